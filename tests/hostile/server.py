"""The program as an operator runs it: a process of its own, asked over a socket."""

from __future__ import annotations

import glob
import http.client
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEPT_BYTES = 4 * 1024 * 1024


@dataclass
class Reply:
    """What came back; of a large body only its beginning, unless all was asked for."""

    status: int
    body: bytes
    length: int
    seconds: float

    @property
    def json(self) -> dict[str, Any]:
        """The envelope."""
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The error's stable code, of a refusal."""
        try:
            error = self.json["metadata"].get("error")
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        return error["code"] if error else None


def field_of_proc(pid: int, field: str) -> int:
    """A figure in KiB from /proc/PID/status; 0 where the process is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    return 0


def children(pid: int) -> list[int]:
    """The processes that the threads of `pid` started."""
    found: list[int] = []
    for listing in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            found += [int(child) for child in Path(listing).read_text().split()]
        except OSError:
            continue
    return found


class Server:
    """`unburden serve` on a free port of loopback; ends with its block."""

    def __init__(
        self,
        program: str,
        root: str,
        *flags: str,
        environment: dict[str, str] | None = None,
        cwd: str | None = None,
        log_in: str | None = None,
    ) -> None:
        self.root = root
        self.log = open(
            Path(log_in or Path(root).parent) / f"server-{time.monotonic_ns()}.log", "wb"
        )
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--root", root, *flags],
            stdout=subprocess.PIPE,
            stderr=self.log,
            cwd=cwd,
            env={"PATH": os.environ["PATH"], "RUST_LOG": "warn", **(environment or {})},
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline().decode()
        if "http://" not in first:
            raise RuntimeError(f"the server said {first!r}: {self.said()}")
        host, port = first.strip().rsplit("/", 1)[1].split(":")
        self.address = (host, int(port))

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
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
        self.log.close()
        return self.process.returncode

    def said(self) -> str:
        """Its log so far."""
        return Path(self.log.name).read_text(errors="replace")

    def alive(self) -> bool:
        """Whether the process runs and answers."""
        if self.process.poll() is not None:
            return False
        try:
            return self.ask("GET", "/healthz", timeout=60).status == 200
        except OSError:
            return False

    def peak_mib(self) -> float:
        """The most memory that it held at a time since it started, in MiB."""
        return field_of_proc(self.pid, "VmHWM") / 1024

    def cpu_seconds(self) -> float:
        """What it has computed since it started; a busy machine does not change it."""
        row = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(row[11]) + int(row[12])) / os.sysconf("SC_CLK_TCK")

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        *,
        headers: dict[str, str] | None = None,
        timeout: float = 130,
        whole: bool = True,
    ) -> Reply:
        """One request on a connection of its own."""
        started = time.monotonic()
        connection = http.client.HTTPConnection(*self.address, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            kept, length = bytearray(), 0
            while piece := answer.read(1 << 20):
                length += len(piece)
                if whole or len(kept) < KEPT_BYTES:
                    kept += piece
            return Reply(answer.status, bytes(kept), length, time.monotonic() - started)
        finally:
            connection.close()

    def post(self, path: str, value: Any, *, timeout: float = 130) -> Reply:
        """A JSON body, an answer."""
        return self.ask("POST", path, json.dumps(value).encode("utf-8"), timeout=timeout)
