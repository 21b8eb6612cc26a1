"""What a check found: counts for its line, and each thing that is not as promised."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

SHOWN = 12
LONGEST = 400


class Skipped(Exception):
    """This machine cannot run the check; the text says why."""


@dataclass
class Tally:
    """One check's figures and failures."""

    name: str
    figures: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    # False where nothing of it could be run.
    ran: bool = True

    def add(self, figure: str, count: int = 1) -> None:
        """Counts up."""
        self.figures[figure] = str(int(self.figures.get(figure, "0")) + count)

    def note(self, figure: str, value: object) -> None:
        """A figure that is measured, not counted."""
        self.figures[figure] = str(value)

    def fail(self, what: str) -> None:
        """Something is not as promised."""
        self.failures.append(what)

    def hold(self, true: bool, what: str) -> bool:
        """Fails with `what` where it is not true."""
        if not true:
            self.fail(what)
        return true

    def skip(self, why: str) -> None:
        """A part that this machine cannot run."""
        self.skips.append(why)

    def lines(self) -> Iterator[str]:
        """The check's line, and one for each failure and each part that was skipped."""
        if not self.ran and not self.failures:
            yield f"skip {self.name}: {', '.join(self.skips)}"
            return
        word = "FAIL" if self.failures else "ok  "
        figures = ", ".join(f"{name} {value}" for name, value in self.figures.items())
        yield f"{word} {self.name}: {figures}"
        yield from (f"       not run: {why}" for why in self.skips)
        found = Counter(what[:LONGEST] for what in self.failures)
        for what, times in list(found.items())[:SHOWN]:
            yield f"       {what}" + (f" ({times} times)" if times > 1 else "")
        if len(found) > SHOWN:
            yield f"       … and {len(found) - SHOWN} more"


@dataclass
class Bench:
    """What every check is given."""

    program: str
    full: bool
    folder: str
    tally: Tally

    def pick(self, short: int, full: int) -> int:
        """A size for the short form, or for the figures."""
        return full if self.full else short


def remove(folder: str) -> None:
    """Deletes a folder, also one that is deeper than an interpreter recurses."""
    subprocess.run(["rm", "-rf", "--", folder], check=True)
