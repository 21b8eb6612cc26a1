"""What a check found: figures for its line, and each thing that is not as promised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

SHOWN = 12


class Skipped(Exception):
    """This machine cannot run the check; the text says why."""


@dataclass
class Tally:
    """One check's figures and failures."""

    name: str
    figures: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    skipped: str = ""

    def note(self, figure: str, value: object) -> None:
        """A figure."""
        self.figures[figure] = str(value)

    def hold(self, true: bool, what: str) -> bool:
        """Fails with `what` where it is not true."""
        if not true:
            self.failures.append(what)
        return true

    def lines(self) -> Iterator[str]:
        """The check's line, and one for each failure."""
        if self.skipped:
            yield f"skip {self.name}: {self.skipped}"
            return
        word = "FAIL" if self.failures else "ok  "
        figures = ", ".join(f"{name} {value}" for name, value in self.figures.items())
        yield f"{word} {self.name}: {figures}"
        yield from (f"       {what}" for what in self.failures[:SHOWN])
        if len(self.failures) > SHOWN:
            yield f"       … and {len(self.failures) - SHOWN} more"


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
