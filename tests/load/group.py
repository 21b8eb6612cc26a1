"""A memory group of the kernel: what the limit of a container is made of."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tally import Skipped

PATIENCE = 10


class MemoryGroup:
    """A group of its own below this process's; the kernel kills in it what goes over `limit`."""

    def __init__(self, limit: int) -> None:
        if os.geteuid() != 0:
            raise Skipped("a memory group needs root")
        try:
            self.second, self.path = _place()
            self.path.mkdir()
            self._limit(limit)
        except OSError as error:
            raise Skipped(f"no memory group can be made here: {error}") from error

    def _limit(self, limit: int) -> None:
        if self.second:
            self._write("memory.max", limit)
            self._write("memory.swap.max", 0, needed=False)
        else:
            self._write("memory.limit_in_bytes", limit)
            self._write("memory.memsw.limit_in_bytes", limit, needed=False)

    def _write(self, name: str, value: int, needed: bool = True) -> None:
        file = self.path / name
        if needed or file.exists():
            file.write_text(str(value))

    def inside(self, command: list[str]) -> list[str]:
        """The command that starts `command` in the group, which must see its limit at once."""
        script = 'echo $$ >"$0" && exec "$@"'
        return ["sh", "-c", script, str(self.path / "cgroup.procs"), *command]

    def kills(self) -> int:
        """Processes that the kernel killed for the group's memory."""
        name = "memory.events" if self.second else "memory.oom_control"
        for line in (self.path / name).read_text().splitlines():
            word, count = line.split()
            if word == "oom_kill":
                return int(count)
        raise Skipped(f"the kernel does not count its kills in {name}")

    def processes(self) -> list[int]:
        """Who is in it."""
        return [int(pid) for pid in (self.path / "cgroup.procs").read_text().split()]

    def remove(self) -> None:
        """Takes the group away once its last process has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.05)


def _place() -> tuple[bool, Path]:
    """Which version the memory controller has here, and where the group goes."""
    name = f"unburden-load-{os.getpid()}-{time.monotonic_ns()}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ")
        kind, _, options = after.split(maxsplit=2)
        mount = Path(before.split()[4])
        if kind == "cgroup" and "memory" in options.split(","):
            own = mount / _own().lstrip("/")
            return False, (own if own.is_dir() else mount) / name
        controllers = mount / "cgroup.controllers"
        if kind == "cgroup2" and "memory" in controllers.read_text().split():
            # A group with processes in it can have none below it: only the top may have both.
            handed = mount / "cgroup.subtree_control"
            if "memory" not in handed.read_text().split():
                handed.write_text("+memory")
            return True, mount / name
    raise Skipped("the kernel has no memory controller here")


def _own() -> str:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return path
    return "/"
