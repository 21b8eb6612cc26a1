"""strace on a running service: it counts calls, makes them fail, or kills at them."""

import signal
import subprocess
import time
from pathlib import Path

from bench import root_alone, tool


def need() -> str | None:
    """Why strace cannot attach to a service here, where it cannot."""
    return tool("strace") or root_alone()


class Attached:
    """strace attached to every thread of a process, until the block ends.

    strace counts the n-th call by thread; a request's files are written by threads of its own, so
    that the count begins anew with each request."""

    def __init__(self, pid: int, log: Path, calls: str, *inject: str) -> None:
        self.log = log
        command = ["strace", "-f", "-q", "-y", "-o", str(log), "-e", f"trace={calls}"]
        for expression in inject:
            command += ["-e", expression]
        self._child = subprocess.Popen(
            [*command, "-p", str(pid)], stderr=subprocess.PIPE, text=True
        )
        self._pid = pid

    def __enter__(self) -> "Attached":
        end = time.monotonic() + 5
        while time.monotonic() < end and not self._holds_all():
            time.sleep(0.005)
        return self

    def _holds_all(self) -> bool:
        tasks = Path(f"/proc/{self._pid}/task")
        try:
            status = [(task / "status").read_text() for task in tasks.iterdir()]
        except OSError:
            return self._child.poll() is not None
        return all(f"TracerPid:\t{self._child.pid}" in text for text in status)

    def __exit__(self, *_: object) -> None:
        if self._child.poll() is None:
            self._child.send_signal(signal.SIGINT)
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait(10)
        if self._child.stderr:
            self._child.stderr.close()

    def injected(self) -> int:
        """How many calls were tampered with; after the block."""
        return self.log.read_text(errors="replace").count("(INJECTED)")
