"""What passed and what did not. Every check is one line of the count."""

import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager


class Score:
    """Counts checks; says at once what failed and why."""

    def __init__(self, quiet: bool = False) -> None:
        self.passed = self.skipped = 0
        self.failed: list[str] = []
        self._quiet = quiet
        self._lock = threading.Lock()
        self._start = time.monotonic()

    def say(self, text: str) -> None:
        if not self._quiet:
            with self._lock:
                print(f"[{time.monotonic() - self._start:5.1f} s] {text}", flush=True)

    @contextmanager
    def check(self, name: str) -> Iterator[None]:
        """A check that fails by raising anything; the run goes on."""
        try:
            yield
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            why = f"{type(error).__name__}: {str(error)[:600]} ({at.name}, line {at.lineno})"
            with self._lock:
                self.failed.append(name)
            self.say(f"FAILED {name}: {why}")
        else:
            with self._lock:
                self.passed += 1

    def skip(self, count: int, why: str) -> None:
        self.skipped += count
        self.say(f"skipped: {why}")

    def line(self) -> str:
        return f"{self.passed} passed, {len(self.failed)} failed, {self.skipped} skipped"
