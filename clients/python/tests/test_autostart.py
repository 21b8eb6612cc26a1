"""Services that clients start, share and leave behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

from unburden import AsyncUnburden, Unburden, UnburdenError

from .binary import BINARY, log

PARENT = """
import os, sys
from unburden import Unburden
client = Unburden(store_dir=sys.argv[1], autostart=True)
print(client._started._process.pid, client._transport._url, client.log, flush=True)
sys.stdin.read()
"""


class Parent:
    """Another process that starts a service, or joins one."""

    def __init__(self, store: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PARENT, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout
        pid, self.url, self.log = self.process.stdout.readline().decode().split()
        self.service = int(pid)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def leave(self) -> None:
        self.process.communicate()


def ended(pid: int, seconds: float = 20.0) -> bool:
    """Whether a process of somebody else's ends in time."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


@unittest.skipUnless(BINARY, "UNBURDEN_BINARY names no program")
@unittest.skipUnless(hasattr(os, "pidfd_open"), "needs Linux")
class Autostart(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="unburden-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # The files of these services, apart from those of the user's own.
        (self.folder / "run").mkdir()
        settings = {"XDG_RUNTIME_DIR": str(self.folder / "run")}
        patch = mock.patch.dict(os.environ, settings)
        patch.start()
        self.addCleanup(patch.stop)
        os.environ.pop("UNBURDEN_URL", None)
        self.store = str(self.folder / "store")

    def test_a_history(self) -> None:
        messages = [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "c", "content": log("build", 900) + "error: no space left\n"},
            {"role": "user", "content": "why?"},
        ]
        with Unburden(store_dir=os.path.relpath(self.store), autostart=True, max_total_tokens=500) as client:
            self.assertEqual(client.store_dir, self.store)
            result = client.offload(messages)
            self.assertTrue(result.changed, result.answer)
            self.assertIn("no space left", client.run_tool("grep", {"pattern": "no space"}))
            assert client.log
            self.assertTrue(Path(client.log).is_file())

    def test_two_clients_are_one_service(self) -> None:
        first = Unburden(store_dir=self.store, autostart=True)
        second = AsyncUnburden(store_dir=self.store, autostart=True)
        assert first._started
        process = first._started._process
        self.assertIs(first._started, second.sync._started)
        self.assertEqual(first.log, second.log)
        first.close()
        self.assertTrue(second.sync.healthy())
        second.sync.close()
        self.assertTrue(ended(process.pid))

    def test_processes_share_one_service(self) -> None:
        parents = [Parent(self.store) for _ in range(3)]
        self.assertEqual(len({parent.url for parent in parents}), 1)
        self.assertEqual(len({parent.log for parent in parents}), 1)
        other = Parent(str(self.folder / "other"))
        self.assertNotEqual(other.url, parents[0].url)
        # The one that runs the service goes first.
        parents[0].leave()
        client = Unburden(parents[0].url)
        for parent in parents[1:]:
            self.assertTrue(client.healthy())
            parent.kill()
        other.kill()
        for parent in [*parents, other]:
            self.assertTrue(ended(parent.service))
        self.assertFalse(client.healthy())
        client.close()

    def test_a_killed_parent_leaves_no_orphan(self) -> None:
        def life(number: int) -> int:
            # Some share a store, so that services end while others come.
            parent = Parent(str(self.folder / f"store-{number % 7}"))
            parent.kill()
            return parent.service

        with ThreadPoolExecutor(4) as threads:
            services = list(threads.map(life, range(100)))
        deadline = time.monotonic() + 30
        left = [pid for pid in services if not ended(pid, max(0.0, deadline - time.monotonic()))]
        self.assertEqual(left, [])

    def test_an_interrupt_of_the_terminal_does_not_reach_it(self) -> None:
        with Unburden(store_dir=self.store, autostart=True) as client:
            assert client._started
            self.assertNotEqual(os.getpgid(client._started._process.pid), os.getpgrp())

    def kill(self, client: Unburden) -> str:
        """The address of the service that was killed."""
        assert client._started
        client._started._process.kill()
        client._started._process.wait()
        return client._started.url

    def test_a_killed_service_is_replaced(self) -> None:
        first = Unburden(store_dir=self.store, autostart=True)
        self.kill(first)
        with Unburden(store_dir=self.store, autostart=True) as second:
            self.assertTrue(second.healthy())
            self.assertIsNone(first.offload([]).error)
        first.close()

    def test_a_service_that_was_killed_is_started_again(self) -> None:
        warnings: list[str] = []
        clients = [
            Unburden(store_dir=self.store, autostart=True, on_warning=warnings.append) for _ in range(2)
        ]
        url = self.kill(clients[0])
        with ThreadPoolExecutor(4) as threads:
            codes = list(threads.map(_code, clients * 2))
        self.assertEqual(codes, [None] * 4)
        assert clients[0]._started
        news = f"the service at {url} has ended; started again at {clients[0]._started.url}"
        self.assertEqual(warnings, [f"unburden: {news}. Its log: {clients[0].log}"])
        self.assertIn("No matches", clients[1].run_tool("grep", {"pattern": "x"}))
        process = clients[0]._started._process
        for client in clients:
            client.close()
        self.assertTrue(ended(process.pid))

    def test_a_service_that_ends_again_is_not_started_on_every_turn(self) -> None:
        warnings: list[str] = []
        with Unburden(store_dir=self.store, autostart=True, on_warning=warnings.append) as client:
            self.kill(client)
            self.assertIsNone(client.offload([]).error)
            self.kill(client)
            warnings.clear()
            for _ in range(3):
                self.assertEqual(_code(client), "unreachable")
            self.assertIn(f"Its log: {client.log}", "".join(warnings))
            self.assertEqual(len(warnings), 1)
            now = time.monotonic()
            with mock.patch("unburden.autostart.time.monotonic", side_effect=lambda: now + 11):
                self.assertIsNone(client.offload([]).error)

    def test_a_service_that_cannot_start_again_says_why_once(self) -> None:
        warnings: list[str] = []
        with Unburden(store_dir=self.store, autostart=True, on_warning=warnings.append) as client:
            self.kill(client)
            with mock.patch.dict(os.environ, {"UNBURDEN_BINARY": "/no/such/program"}):
                for _ in range(3):
                    self.assertEqual(_code(client), "unreachable")
                said = client.run_tool("grep", {"pattern": "x"})
            self.assertIn("cannot be read now", said)
            self.assertEqual(len(warnings), 1, warnings)
            self.assertIn("it could not be started again: unburden: UNBURDEN_BINARY is", warnings[0])

    def test_a_client_follows_the_service_that_another_process_started(self) -> None:
        with Unburden(store_dir=self.store, autostart=True) as client:
            # This one's own process only keeps the service of the other.
            self.kill(client)
            parent = Parent(self.store)
            self.assertIsNone(client.offload([]).error)
            assert client._started
            self.assertEqual(client._started.url, parent.url)
            os.kill(parent.service, signal.SIGKILL)
            self.assertTrue(ended(parent.service))
            now = time.monotonic()
            with mock.patch("unburden.autostart.time.monotonic", side_effect=lambda: now + 11):
                self.assertIsNone(client.offload([]).error)
            self.assertNotEqual(client._started.url, parent.url)
        parent.kill()

    def test_the_token_that_the_service_demands(self) -> None:
        secret = self.folder / "token"
        secret.write_text("a token of a file\n")
        for variables in (
            {"UNBURDEN_SERVER__TOKEN": "a token of the service\n"},
            {"UNBURDEN_SERVER__TOKEN": "a token of the service", "UNBURDEN_TOKEN": "another service's"},
            {"UNBURDEN_SERVER__TOKEN_FILE": str(secret)},
        ):
            store = tempfile.mkdtemp(dir=self.folder)
            with self.subTest(variables=variables), mock.patch.dict(os.environ, variables):
                with Unburden(store_dir=store, autostart=True) as client:
                    self.assertIsNone(client.offload([]).error)
                    assert client._started
                    alone = Unburden(client._started.url, token="a token of nobody")
                    self.assertEqual(_code(alone), "unauthorized")
                    alone.close()

    def test_an_address_wins(self) -> None:
        with mock.patch.dict(os.environ, {"UNBURDEN_URL": "http://127.0.0.1:9"}):
            client = Unburden(autostart=True)
        self.assertIsNone(client.log)
        with self.assertRaisesRegex(ValueError, "leave one out"):
            Unburden("http://127.0.0.1:9", autostart=True)

    def test_what_does_not_start(self) -> None:
        (self.folder / "file").touch()
        with self.assertRaises(UnburdenError) as caught:
            Unburden(store_dir=str(self.folder / "file"), autostart=True)
        self.assertEqual(caught.exception.code, "not_started")
        with mock.patch.dict(os.environ, {"UNBURDEN_STORE__ROOT": "x"}):
            with self.assertRaisesRegex(UnburdenError, "did not start: error: .*root"):
                Unburden(store_dir=self.store, autostart=True)
        with mock.patch.dict(os.environ, {"UNBURDEN_BINARY": "/no/such/program"}):
            with self.assertRaisesRegex(UnburdenError, "UNBURDEN_BINARY is '/no/such/program'"):
                Unburden(store_dir=self.store, autostart=True)


def _code(client: Unburden) -> str | None:
    error = client.offload([]).error
    return None if error is None else error.code
