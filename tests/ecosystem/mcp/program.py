"""The program under test over HTTP, started as its users start it."""

import os
import subprocess
from pathlib import Path

# Settings of the machine must not pick a model or a store for the run.
_FOREIGN = ("UNBURDEN_", "ATLATL_", "OPENAI_", "PORT", "RUST_LOG")
_GREETING = "listening on "


def environment() -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    # A power cut is not what is tested here, and fsync is most of a small request's time.
    return env | {"UNBURDEN_STORE__DURABILITY": "relaxed"}


class Served:
    """`unburden serve` with one allowed root; `url` is its MCP door."""

    def __init__(self, binary: Path, root: Path, *options: str, **env: str) -> None:
        self._log = (root / "serve.log").open("wb")
        self._child = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--root", root, *options],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=environment() | env,
        )
        assert self._child.stdout
        line = self._child.stdout.readline().strip()
        if not line.startswith(_GREETING):
            self.close()
            raise RuntimeError(f"the service did not start: {line!r}")
        self.url = line.removeprefix(_GREETING) + "/mcp"

    def close(self) -> None:
        self._child.terminate()
        try:
            self._child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._log.close()

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def knows(binary: Path, command: str) -> bool:
    """Whether the program has that command."""
    return subprocess.run([binary, command, "--help"], capture_output=True).returncode == 0
