"""The program under test: started as its users start it, asked over HTTP, and killed."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Settings of the machine must not pick a model or a store for the run.
_FOREIGN = ("UNBURDEN_", "ATLATL_", "OPENAI_", "PORT", "RUST_LOG", "LD_PRELOAD", "FAULT_")
_GREETING = "listening on http://"
# A busy machine may starve a service for long; one that hangs says so all the same.
_SECONDS = 120.0


class Gone(Exception):
    """No whole answer came: the service died, or the connection broke."""


@dataclass(frozen=True)
class Answer:
    """Status and body of an answer that came whole."""

    status: int
    json: dict[str, Any]

    @property
    def metadata(self) -> dict[str, Any]:
        """The envelope's metadata."""
        return self.json.get("metadata", {})

    @property
    def warnings(self) -> list[str]:
        """What the answer warns of, wherever it stands."""
        report = self.metadata.get("report", {})
        return [*report.get("warnings", []), *self.metadata.get("warnings", [])]

    def is_enveloped(self) -> bool:
        """True where the answer has the envelope of the contract, failures with a code."""
        has = {"success", "answer", "messages", "metadata"} <= self.json.keys()
        return has and (self.json["success"] or "code" in self.metadata.get("error", {}))


def clean(extra: dict[str, str] | None = None) -> dict[str, str]:
    """The environment without settings of this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return kept | (extra or {})


class Service:
    """`unburden serve` on a free port of loopback."""

    def __init__(
        self,
        program: Path,
        *roots: Path,
        env: dict[str, str] | None = None,
        prefix: tuple[str, ...] = (),
        log: Path | None = None,
        keep_signals: bool = False,
    ) -> None:
        self.log = log or roots[0].parent / f"{roots[0].name}.log"
        command = [*prefix, str(program), "serve", "--listen", "127.0.0.1:0"]
        for root in roots:
            command += ["--root", str(root)]
        with self.log.open("ab") as log_file:
            self._child = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=log_file,
                text=True,
                env=clean(env),
                restore_signals=not keep_signals,
            )
        self.pid = self._child.pid
        assert self._child.stdout
        line = self._child.stdout.readline().strip()
        if not line.startswith(_GREETING):
            self.kill()
            # A device in a log's place may have no end.
            said = self.log.read_text(errors="replace")[-2000:] if self.log.is_file() else ""
            raise RuntimeError(f"the service did not start: {line!r}\n{said}")
        self.address = line.removeprefix(_GREETING)

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def ask(
        self, method: str, path: str, body: bytes | None = None, seconds: float = _SECONDS
    ) -> tuple[int, bytes]:
        """Status and bytes of one answer, on a connection of its own."""
        connection = http.client.HTTPConnection(self.address, timeout=seconds)
        try:
            connection.request(method, path, body, {"content-type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            state = f"; {self._state()}" if isinstance(error, TimeoutError) else ""
            raise Gone(f"{method} {path}: {type(error).__name__}: {error}{state}") from error
        finally:
            connection.close()

    def _state(self) -> str:
        """What the process is at: one that hangs uses no time, one that starves would."""
        waits: Counter[str] = Counter()
        for task in Path(f"/proc/{self.pid}/task").glob("*"):
            with contextlib.suppress(OSError):
                waits[(task / "wchan").read_text() or "running"] += 1
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return "the process is gone"
        return f"{seconds:.2f} s of processor time, load {os.getloadavg()[0]:.0f}, {dict(waits)}"

    def post(self, path: str, body: dict[str, Any], seconds: float = _SECONDS) -> Answer:
        """The answer to a question; one that is no JSON is a broken service."""
        status, said = self.ask("POST", path, json.dumps(body).encode(), seconds)
        try:
            return Answer(status, json.loads(said))
        except ValueError as error:
            raise Gone(f"POST {path}: {status} without JSON: {said[:200]!r}") from error

    def warm(self) -> None:
        """Waits for the tokenizer's tables: a fault in a first request meets nothing but those."""
        self.post("/count_tokens", {"messages": [{"role": "user", "content": "Warm 漢 é?"}]})

    def get(self, path: str) -> tuple[int, str]:
        """Status and text of a probe."""
        status, said = self.ask("GET", path)
        return status, said.decode(errors="replace")

    def counter(self, name: str) -> int:
        """A counter of /metrics, all its labels together."""
        lines = self.get("/metrics")[1].splitlines()
        own = [line for line in lines if line.startswith((f"{name} ", f"{name}{{"))]
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in own)

    def alive(self) -> bool:
        """True while the process runs."""
        return self._child.poll() is None

    def signal(self, number: int) -> None:
        """Sends a signal, if there is still somebody to get it."""
        if self.alive():
            self._child.send_signal(number)

    def wait(self, seconds: float) -> int | None:
        """The exit status; None where the process still runs after that time."""
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """SIGKILL, at once."""
        self.signal(signal.SIGKILL)
        self._child.wait(30)
        if self._child.stdout:
            self._child.stdout.close()


def together(count: int, work) -> list[threading.Thread]:
    """Starts `count` threads of `work(number)`."""
    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    return threads
