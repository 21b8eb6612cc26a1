"""The program as an operator runs it, with the figures that the kernel keeps of it."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
from pathlib import Path
from types import TracebackType

from group import MemoryGroup

Address = tuple[str, int]


class Service:
    """`unburden serve` on a free port of loopback; ends with its block."""

    def __init__(
        self,
        program: str,
        folder: str,
        group: MemoryGroup | None = None,
        **settings: object,
    ) -> None:
        self.root = Path(folder) / "root"
        self.root.mkdir(exist_ok=True)
        self.log = Path(folder) / "service.log"
        command = [program, "serve", "--listen", "127.0.0.1:0", "--root", str(self.root)]
        environment = {f"UNBURDEN_{name.upper()}": str(value) for name, value in settings.items()}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                group.inside(command) if group else command,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.root,
                env={"PATH": os.environ["PATH"], **environment},
            )
        assert self.process.stdout is not None
        first = self.process.stdout.readline().decode()
        if "http://" not in first:
            self.process.kill()
            raise RuntimeError(f"the service said {first!r}: {self.said()[-500:]}")
        host, port = first.strip().rsplit("/", 1)[1].split(":")
        self.address: Address = (host, int(port))

    def __enter__(self) -> Service:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self.process.pid

    def stop(self) -> int:
        """Asks it to end; kills it where it does not within half a minute."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text(errors="replace")

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def alive(self) -> bool:
        """Whether the process runs and answers."""
        if self.process.poll() is not None:
            return False
        try:
            return self.ask("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def kib(self, field: str) -> int:
        """A figure in KiB from /proc/PID/status; 0 where the process is gone."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return 0
        for line in status.splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        return 0

    def cpu_seconds(self) -> float:
        """What it has computed since it started; a busy machine does not change it."""
        row = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(row[11]) + int(row[12])) / os.sysconf("SC_CLK_TCK")

    def files(self) -> tuple[int, int]:
        """Its open files, and how many of them are sockets."""
        folder = f"/proc/{self.pid}/fd"
        names = os.listdir(folder)
        sockets = 0
        for name in names:
            try:
                sockets += os.readlink(f"{folder}/{name}").startswith("socket:")
            except OSError:
                continue
        return len(names), sockets
