"""The program under test, started as its users start it and spoken to over HTTP."""

import http.client
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

# Settings of the machine must not pick a model or a store for the run.
_FOREIGN = ("UNBURDEN_", "ATLATL_", "OPENAI_", "PORT", "RUST_LOG")
_GREETING = "listening on http://"


class Service:
    """`unburden serve` with one allowed root, without a model unless `settings` name one."""

    def __init__(self, binary: Path, root: Path, settings: dict[str, str] | None = None) -> None:
        env = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
        # A power cut is not what is tested here, and fsync is most of a small request's time.
        env["UNBURDEN_STORE__DURABILITY"] = "relaxed"
        env |= settings or {}
        self._log = (root / "service.log").open("wb")
        self._child = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--root", root],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=env,
        )
        assert self._child.stdout
        line = self._child.stdout.readline().strip()
        if not line.startswith(_GREETING):
            self.close()
            said = (root / "service.log").read_text(errors="replace")[-2000:]
            raise RuntimeError(f"the service did not start: {line!r}\n{said}")
        self._address = line.removeprefix(_GREETING)
        self._local = threading.local()

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and parsed answer; each thread keeps a connection of its own."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self._address, timeout=120)
            self._local.connection = connection
        try:
            connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException):
            connection.close()
            raise

    def close(self) -> None:
        self._child.terminate()
        try:
            self._child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._log.close()
