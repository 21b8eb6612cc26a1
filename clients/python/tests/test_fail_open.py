"""Whatever happens to the service, `offload` gives the caller its own messages back."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import ssl
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

from unburden import AsyncUnburden, ServiceError, Unavailable, Unburden
from unburden.outage import remedy

from . import scripted
from .scripted import Server, offloads, refuses, says

MESSAGES: list[Any] = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]


class FailOpen(unittest.TestCase):
    def setUp(self) -> None:
        self.warnings: list[str] = []

    def client(self, url: str, **options: Any) -> Unburden:
        options.setdefault("timeout", 0.5)
        client = Unburden(url, on_warning=self.warnings.append, **options)
        self.addCleanup(client.close)
        return client

    def assert_open(self, url: str, code: str, says: str = "") -> None:
        client = self.client(url)
        system = [{"type": "text", "text": "be good"}]
        for _ in range(3):
            result = client.offload(MESSAGES, system=system)
            assert result.error is not None
            self.assertEqual(result.error.code, code)
            self.assertIs(result.messages, MESSAGES)
            self.assertIs(result.system, system)
            self.assertFalse(result.changed)
            self.assertIsNone(result.report)
        self.assertEqual(len(self.warnings), 1, self.warnings)
        self.assertIn(says or code, self.warnings[0])

    def test_nothing_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        self.assert_open(url, "unreachable")
        self.assertEqual(
            self.warnings,
            [
                f"unburden: no service at {url}: Connection refused (unreachable); continuing with the "
                f"original messages. Start it: unburden serve --listen 127.0.0.1:{port}"
            ],
        )

    def test_what_to_do(self) -> None:
        self.assertEqual(remedy("http://localhost:8002", None), "Start it: unburden serve")
        self.assertEqual(remedy("http://[::1]:7", None), "Start it: unburden serve --listen [::1]:7")
        self.assertIn("set base_url", remedy("https://contexts.example", None))
        self.assertEqual(remedy("http://127.0.0.1:9", "/run/x.log"), "Its log: /run/x.log")

    def test_no_such_host(self) -> None:
        self.assert_open("http://no-such-host.invalid:1", "unreachable")

    def test_it_hangs(self) -> None:
        with Server(scripted.hangs) as server:
            began = time.monotonic()
            self.assert_open(server.url, "timeout", "within 0.5 s")
            self.assertLess(time.monotonic() - began, 4)

    def test_a_service_that_hangs_is_not_asked_on_every_turn(self) -> None:
        now = 1000.0
        with mock.patch("unburden.outage.monotonic", side_effect=lambda: now):
            with Server(*[scripted.hangs] * 6, offloads(), scripted.hangs) as server:
                client = self.client(server.url, timeout=0.05)
                for turn, pause in enumerate((5, 10, 20, 40, 60, 60), 1):
                    self.assertIs(client.offload(MESSAGES).messages, MESSAGES)
                    now += pause - 1
                    passed = client.offload(MESSAGES)
                    self.assertIs(passed.messages, MESSAGES)
                    assert passed.error is not None
                    self.assertEqual(passed.error.code, "timeout")
                    self.assertRegex(passed.error.message, "within 0.05 s; it is asked again in 1 s$")
                    self.assertEqual(len(server.requests), turn)
                    now += 1
                self.assertEqual(len(self.warnings), 1, self.warnings)
                # It answers again, and a new outage begins with the shortest pause.
                self.assertIsNone(client.offload(MESSAGES).error)
                self.assertIsNotNone(client.offload(MESSAGES).error)
                now += 5
                client.offload(MESSAGES)
                self.assertEqual(len(server.requests), 9)
        self.assertEqual(len(self.warnings), 2)

    def test_calls_that_hang_at_the_same_time_are_one_pause(self) -> None:
        with Server(scripted.hangs) as server:
            client = self.client(server.url, timeout=0.3)
            with ThreadPoolExecutor(4) as threads:
                list(threads.map(client.offload, [MESSAGES] * 4))
            error = client.offload(MESSAGES).error
        assert error is not None
        self.assertIn("asked again in 5 s", error.message)
        self.assertEqual(len(server.requests), 4)

    def test_who_wants_errors_asks_on_every_turn(self) -> None:
        with Server(scripted.hangs) as server:
            client = self.client(server.url, timeout=0.05, fail_open=False)
            for _ in range(2):
                with self.assertRaises(Unavailable):
                    client.offload(MESSAGES)
            self.assertEqual(len(server.requests), 2)

    def test_no_connection_in_time_is_a_pause_too(self) -> None:
        with mock.patch("http.client.HTTPConnection.connect", side_effect=TimeoutError) as connect:
            client = self.client("http://10.0.0.1:8002")
            for _ in range(3):
                self.assertIsNotNone(client.offload(MESSAGES).error)
        self.assertEqual(connect.call_count, 1)

    def test_it_trickles(self) -> None:
        with Server(scripted.trickles) as server:
            began = time.monotonic()
            self.assert_open(server.url, "timeout")
            self.assertLess(time.monotonic() - began, 4)

    def test_an_internal_error(self) -> None:
        with Server(refuses(500, "internal_error", "something broke")) as server:
            self.assert_open(server.url, "internal_error", "something broke")

    def test_a_refusal(self) -> None:
        sentence = 'store_dir: "/etc" is outside the allowed roots'
        with Server(refuses(422, "path_outside_roots", sentence, "store_dir")) as server:
            self.assert_open(server.url, "path_outside_roots", sentence)

    def test_no_token(self) -> None:
        with Server(refuses(401, "unauthorized", "no valid bearer token was found")) as server:
            self.assert_open(server.url, "unauthorized", "no valid bearer token")

    def test_garbage(self) -> None:
        for body in (b"<html>502 Bad Gateway</html>", b"", b"[]", b"null", b'{"success": true}', b"\xff\xfe"):
            with self.subTest(body=body), Server(says(200, body)) as server:
                self.warnings.clear()
                self.assert_open(server.url, "answer_broken")

    def test_an_answer_that_lacks_what_it_should_have(self) -> None:
        for metadata, messages in (({}, MESSAGES), ({"report": {}}, []), ({"report": None}, MESSAGES)):
            envelope = {"success": True, "answer": "", "messages": messages, "metadata": metadata}
            with self.subTest(envelope=envelope), Server(says(200, envelope)) as server:
                self.warnings.clear()
                self.assert_open(server.url, "answer_broken")

    def test_no_http(self) -> None:
        def play(connection: socket.socket, path: str, request: Any) -> None:
            connection.sendall(b"220 mail.example.org ESMTP\r\n")
            connection.shutdown(socket.SHUT_RDWR)

        with Server(play) as server:
            self.assert_open(server.url, "answer_broken")

    def test_https_where_the_service_speaks_http(self) -> None:
        def serve(listener: socket.socket) -> None:
            for _ in range(3):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, args=(listener,), daemon=True).start()
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            self.assert_open(f"https://{address}", "tls_failed")
        self.assertEqual(
            self.warnings,
            [
                f"unburden: the service at https://{address} speaks http, not https; set base_url "
                f"(UNBURDEN_URL) to http://{address} (tls_failed); continuing with the original messages"
            ],
        )

    def test_a_certificate_that_is_not_trusted(self) -> None:
        error = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")
        with mock.patch("http.client.HTTPSConnection.connect", side_effect=error):
            self.assert_open(
                "https://127.0.0.1:1", "tls_failed", "no TLS with https://127.0.0.1:1: [SSL: CERT"
            )
        self.assertNotIn("unburden serve", self.warnings[0])

    def test_dropped_before_the_answer(self) -> None:
        with Server(scripted.hangs_up) as server:
            self.assert_open(server.url, "unreachable", "broke the connection off")

    def test_dropped_within_the_answer(self) -> None:
        with Server(scripted.drops(b"{" * 40)) as server:
            self.assert_open(server.url, "answer_broken")

    def test_dropped_behind_what_looks_whole(self) -> None:
        with Server(scripted.drops(json.dumps(_answer()).encode())) as server:
            self.assert_open(server.url, "answer_broken")

    def test_messages_that_are_no_json(self) -> None:
        with Server(offloads()) as server:
            for value in (b"bytes", {1, 2}, float("nan")):
                with self.subTest(value=value):
                    messages = [{"role": "user", "content": value}]
                    result = self.client(server.url).offload(messages)
                    self.assertIs(result.messages, messages)
                    self.assertEqual(result.error and result.error.code, "body_not_json")
            self.assertEqual(server.requests, [])

    def test_half_a_surrogate_pair_is_sent(self) -> None:
        messages = [{"role": "user", "content": "cut \ud83d"}]
        with Server(offloads()) as server:
            result = self.client(server.url).offload(messages)
        self.assertIsNone(result.error)
        self.assertIs(result.messages, messages)

    def test_a_warning_that_fails_costs_nothing(self) -> None:
        def warn(text: str) -> None:
            raise RuntimeError(text)

        with Server(refuses(500, "internal_error", "broke")) as server, self.assertLogs("unburden", "ERROR"):
            result = Unburden(server.url, on_warning=warn).offload(MESSAGES)
        self.assertIs(result.messages, MESSAGES)

    def test_one_warning_for_each_outage(self) -> None:
        broke = refuses(500, "internal_error", "broke")
        full = refuses(500, "store_failed", "disk full")
        fine = offloads()
        with Server(broke, broke, full, full, fine, full, full) as server:
            client = self.client(server.url)
            results = [client.offload(MESSAGES) for _ in range(7)]
        self.assertEqual([result.error is None for result in results], [False] * 4 + [True] + [False] * 2)
        said = [text.rsplit("(", 1)[1].split(")")[0] for text in self.warnings]
        self.assertEqual(said, ["internal_error", "store_failed", "store_failed"])

    def test_by_default_the_logger_warns(self) -> None:
        with Server(refuses(500, "internal_error", "broke")) as server:
            with self.assertLogs("unburden", logging.WARNING) as logs:
                Unburden(server.url).offload(MESSAGES)
        self.assertEqual(len(logs.output), 1)

    def test_the_service_is_back(self) -> None:
        with Server(scripted.hangs_up, scripted.hangs_up, offloads()) as server:
            client = self.client(server.url)
            self.assertIsNotNone(client.offload(MESSAGES).error)
            self.assertIsNotNone(client.offload(MESSAGES).error)
            self.assertIsNone(client.offload(MESSAGES).error)
        self.assertEqual(len(self.warnings), 1)

    def test_an_idle_connection_that_was_closed_is_no_outage(self) -> None:
        with Server(says(200, _answer(), close=True)) as server:
            client = self.client(server.url)
            for _ in range(3):
                self.assertIsNone(client.offload(MESSAGES).error)
        self.assertEqual(self.warnings, [])

    def test_closed(self) -> None:
        with Server(refuses(500, "internal_error", "broke")) as server:
            with self.assertRaises(ServiceError) as caught:
                self.client(server.url, fail_open=False).offload(MESSAGES)
            self.assertEqual((caught.exception.status, caught.exception.code), (500, "internal_error"))
        with self.assertRaises(Unavailable):
            self.client(server.url, fail_open=False).offload(MESSAGES)
        self.assertEqual(self.warnings, [])

    def test_async(self) -> None:
        async def run() -> None:
            with Server(scripted.hangs) as server:
                client = AsyncUnburden(server.url, timeout=0.5, on_warning=self.warnings.append)
                results = await asyncio.gather(*(client.offload(MESSAGES) for _ in range(4)))
                for result in results:
                    self.assertIs(result.messages, MESSAGES)
                    self.assertEqual(result.error and result.error.code, "timeout")
                await client.close()

        asyncio.run(run())
        self.assertEqual(len(self.warnings), 1)

    def test_async_leaves_the_loop_to_others(self) -> None:
        may_answer = threading.Event()

        def waits(connection: socket.socket, path: str, request: dict[str, Any]) -> None:
            may_answer.wait(20)
            offloads()(connection, path, request)

        async def run() -> None:
            with Server(waits) as server:
                client = AsyncUnburden(server.url, timeout=60)
                task = asyncio.create_task(client.offload(MESSAGES))
                while not server.requests:
                    await asyncio.sleep(0.01)
                self.assertFalse(task.done(), "the loop stood still until the answer")
                may_answer.set()
                self.assertIsNone((await task).error)
                await client.close()

        asyncio.run(run())

    def test_async_cancelled(self) -> None:
        async def run() -> float:
            with Server(scripted.hangs) as server:
                client = AsyncUnburden(server.url, timeout=1)
                began = time.monotonic()
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.offload(MESSAGES), 0.1)
                waited = time.monotonic() - began
                await client.close()
                return waited

        self.assertLess(asyncio.run(run()), 0.9)


def _answer() -> dict[str, Any]:
    report: dict[str, Any] = {"outcome": "unchanged", "snapshot": None, "warnings": [], "actions": []}
    return {"success": True, "answer": "", "messages": MESSAGES, "metadata": {"report": report}}
