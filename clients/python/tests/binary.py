"""The real service, where the environment names its program."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from unburden import Unburden

BINARY = os.environ.get("UNBURDEN_BINARY")
_GREETING = "listening on "


class Running:
    """`unburden serve` with one root."""

    def __init__(self, root: Path, listen: str = "127.0.0.1:0") -> None:
        # Settings of the machine must not pick a model or a store for the tests.
        env = {k: v for k, v in os.environ.items() if not k.startswith(("UNBURDEN_", "ATLATL_", "OPENAI_"))}
        env["UNBURDEN_STORE__DURABILITY"] = "relaxed"
        self._child = subprocess.Popen(
            [str(BINARY), "serve", "--listen", listen, "--root", str(root)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
        )
        assert self._child.stdout
        self.url = self._child.stdout.readline().strip().removeprefix(_GREETING)

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()
        assert self._child.stdout
        self._child.stdout.close()


@unittest.skipUnless(BINARY, "UNBURDEN_BINARY names no program")
class WithService(unittest.TestCase):
    """Tests that ask the real service; each has a store of its own."""

    root: Path
    service: Running

    @classmethod
    def setUpClass(cls) -> None:
        cls.root = Path(tempfile.mkdtemp(prefix="unburden-test-"))
        cls.service = Running(cls.root)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.kill()
        shutil.rmtree(cls.root)

    def setUp(self) -> None:
        self.warnings: list[str] = []
        self.store = self.root / self.id().rsplit(".", 1)[1]

    def client(self, **settings: Any) -> Unburden:
        asked = {"max_total_tokens": 500, "max_tool_message_tokens": 200, **settings}
        client = Unburden(
            self.service.url, store_dir=str(self.store), on_warning=self.warnings.append, **asked
        )
        self.addCleanup(client.close)
        return client

    def tearDown(self) -> None:
        self.assertEqual(self.warnings, [])


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def log(name: str, lines: int = 200) -> str:
    """A text of about ten tokens a line."""
    return "".join(f"{name} line {n} says little of note\n" for n in range(lines))
