"""MCP servers that we did not write, and what looks at the wire in front of them."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path


class Servers:
    """The commands of the pinned servers under HOME."""

    def __init__(self, home: Path) -> None:
        packages = home / "node/node_modules/@modelcontextprotocol"
        self._filesystem = packages / "server-filesystem/dist/index.js"
        self._everything = packages / "server-everything/dist/index.js"
        self._python = str(home / "python-2/bin/python")
        self._sqlite = home / "python-1/bin/mcp-server-sqlite"

    def filesystem(self, folder: Path) -> list[str]:
        return ["node", str(self._filesystem), str(folder)]

    def everything(self, way: str = "stdio") -> list[str]:
        return ["node", str(self._everything), way]

    def newest(self, port: int | None = None) -> list[str]:
        script = str(Path(__file__).parent / "drivers/newest.py")
        return [self._python, script, *([str(port)] if port else [])]

    def sqlite(self, database: Path) -> list[str]:
        return [str(self._sqlite), "--db-path", str(database)]


def recorded(command: list[str], record: Path) -> list[str]:
    """The same server with every line that it is sent kept in `record`."""
    return [sys.executable, str(Path(__file__).parent / "drivers/record.py"), str(record), *command]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class OverHttp:
    """A server over streamable HTTP, behind a tap that keeps what it is sent.

    `command` makes the command for a port; the port is in the environment too.
    """

    def __init__(self, command: Callable[[int], list[str]], log: Path) -> None:
        self.port = _free_port()
        self.sent = bytearray()
        self._log = log.open("wb")
        env = os.environ | {"PORT": str(self.port)}
        self._child = subprocess.Popen(
            command(self.port), env=env, stdout=self._log, stderr=self._log
        )
        self._tap = socket.create_server(("127.0.0.1", 0))
        self.direct = f"http://127.0.0.1:{self.port}/mcp"
        self.tapped = f"http://127.0.0.1:{self._tap.getsockname()[1]}/mcp"
        self._wait()
        threading.Thread(target=self._accept, daemon=True).start()

    def _wait(self) -> None:
        end = time.monotonic() + 30
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                if time.monotonic() > end or self._child.poll() is not None:
                    raise
                time.sleep(0.05)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._tap.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            threading.Thread(
                target=self._pump, args=(client, server, self.sent), daemon=True
            ).start()
            threading.Thread(target=self._pump, args=(server, client, None), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket, kept: bytearray | None) -> None:
        try:
            while chunk := source.recv(65_536):
                if kept is not None:
                    kept += chunk
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            sink.close()

    def __enter__(self) -> "OverHttp":
        return self

    def __exit__(self, *_: object) -> None:
        self._tap.close()
        self._child.terminate()
        self._child.wait(timeout=10)
        self._log.close()
