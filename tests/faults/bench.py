"""What every fault is given, and what it gives back."""

import os
import random
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

_TOLD = 6


@dataclass
class Verdict:
    """One line of counts, and what was wrong; a skipped one says what it needs."""

    line: str
    faults: list[str] = field(default_factory=list)
    skipped: bool = False

    def show(self, name: str) -> str:
        """The line as it is printed, with the first faults below it."""
        word = "skipped " if self.skipped else "FAILED " if self.faults else ""
        lines = [f"{word}{name}: {self.line}"]
        lines += [f"  {fault[:600]}" for fault in self.faults[:_TOLD]]
        if len(self.faults) > _TOLD:
            lines.append(f"  … and {len(self.faults) - _TOLD} more")
        return "\n".join(lines)


@dataclass
class Bench:
    """The program under test, a folder of the run's own, and how long it may take."""

    program: Path
    folder: Path
    full: bool
    seed: int

    def pick(self, short: int, full: int) -> int:
        """A count: the short form's or the full one's."""
        return full if self.full else short

    def random(self, what: str) -> random.Random:
        """Numbers that a seed gives again."""
        return random.Random(f"{self.seed}/{what}")

    def fresh(self, name: str) -> Path:
        """A new empty folder that another user may enter."""
        made = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder))
        made.chmod(0o755)
        return made


def settled(ask, seconds: float, every: float = 0.05):
    """Asks until the answer is true or the time is over; returns the last answer."""
    end = time.monotonic() + seconds
    while not (said := ask()) and time.monotonic() < end:
        time.sleep(every)
    return said


def root_alone() -> str | None:
    """Why this needs root, where it is not."""
    return None if os.geteuid() == 0 else "needs root"


def tool(name: str) -> str | None:
    """Why this cannot run without a program, where it is missing."""
    return None if shutil.which(name) else f"needs {name}"


def does(*command: str) -> bool:
    """True where the command succeeds."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.run(command, check=False, timeout=60, **quiet).returncode == 0


def must(*command: str | Path) -> str:
    """Runs a command that has to succeed; returns what it said."""
    done = subprocess.run(command, check=False, timeout=60, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout
