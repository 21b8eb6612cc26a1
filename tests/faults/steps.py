"""The shim of `steps.c`: a process that counts the steps by which it changes its folders, and dies
right before a chosen one."""

import mmap
import struct
from pathlib import Path

from bench import Bench, must, tool

_NUMBERS = struct.Struct("qq")


def need() -> str | None:
    """Why no process can die at a step, where no C compiler is."""
    return tool("cc")


class Steps:
    """The numbers that one process after another shares with the test."""

    def __init__(self, bench: Bench) -> None:
        self._library = bench.folder / "steps.so"
        if not self._library.exists():
            source = Path(__file__).with_name("steps.c")
            must("cc", "-O1", "-Wall", "-shared", "-fPIC", "-o", self._library, source)
        self._file = bench.fresh("steps") / "numbers"
        self._file.write_bytes(bytes(_NUMBERS.size))
        with self._file.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), _NUMBERS.size)

    def env(self) -> dict[str, str]:
        """The environment of a process that counts."""
        return {"LD_PRELOAD": str(self._library), "FAULT_STEPS": str(self._file)}

    def begun(self) -> int:
        """Steps begun so far, by all processes that counted here."""
        return _NUMBERS.unpack(self._page[:])[0]

    def die_before(self, nth: int) -> None:
        """The process dies before the n-th step from now."""
        struct.pack_into("q", self._page, 8, self.begun() + nth)

    def live(self) -> bool:
        """Nobody dies any more; true where somebody did."""
        begun, fatal = _NUMBERS.unpack(self._page[:])
        struct.pack_into("q", self._page, 8, 0)
        return 0 < fatal <= begun
