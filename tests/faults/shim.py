"""The shim of `shim.c`: built once a run, its settings, and how often it tampered."""

from pathlib import Path

from bench import Bench, must, tool


def need() -> str | None:
    """Why there is no shim, where no C compiler is."""
    return tool("cc")


class Shim:
    """One way to tamper, and the count of what was tampered with."""

    def __init__(self, bench: Bench, under: Path, call: str, kind: str, do: str) -> None:
        library = bench.folder / "shim.so"
        if not library.exists():
            source = Path(__file__).with_name("shim.c")
            must("cc", "-O1", "-Wall", "-shared", "-fPIC", "-o", library, source)
        self._count = bench.fresh("shim") / "count"
        self._count.parent.chmod(0o777)
        self._env = {
            "LD_PRELOAD": str(library),
            "FAULT_UNDER": str(under),
            "FAULT_CALL": call,
            "FAULT_KIND": kind,
            "FAULT_DO": do,
            "FAULT_COUNT": str(self._count),
        }

    def env(self, first: int = 1, times: int | None = None) -> dict[str, str]:
        """The environment of a service that it stands before."""
        only = {} if times is None else {"FAULT_TIMES": str(times)}
        return self._env | {"FAULT_FROM": str(first)} | only

    def tampered(self) -> int:
        """Calls tampered with so far."""
        return self._count.stat().st_size if self._count.exists() else 0
