"""What goes out, what comes back, and what is refused before it goes out."""

from __future__ import annotations

import inspect
import os
import threading
import unittest
from typing import Any
from unittest import mock

from unburden import AsyncUnburden, ServiceError, Totals, Unavailable, Unburden

from .scripted import Server, offloads, refuses, says

MESSAGES: list[Any] = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "long", "number": 1.0, "flag": True},
]


def _moved(messages: list[Any]) -> list[Any]:
    return [*messages[:2], {**messages[2], "content": "(detailed result is stored in ./s/tool_call_c1.txt)"}]


class Offload(unittest.TestCase):
    def test_what_is_sent(self) -> None:
        with Server(offloads()) as server:
            client = Unburden(
                server.url, token="secret", model="gpt-4o", max_total_tokens=10, preview_tokens=5
            )
            client.offload(MESSAGES, system="s", tools=[1], chat_id="c", preview_tokens=0, materialize=False)
            path, body, headers = server.requests[0]
        self.assertEqual(path, "/context_offload")
        self.assertEqual(headers["authorization"], "Bearer secret")
        self.assertEqual(
            body,
            {
                "messages": MESSAGES,
                "store_dir": "./context_store",
                "reload_tools": ["read_file", "grep", "lro_extract", "read_tool_result"],
                "include_files": False,
                "max_total_tokens": 10,
                "preview_tokens": 0,
                "materialize": False,
                "system": "s",
                "tools": [1],
                "model": "gpt-4o",
                "chat_id": "c",
            },
        )

    def test_none_takes_a_setting_of_the_client_back(self) -> None:
        with Server(offloads()) as server:
            client = Unburden(server.url, target_tokens=10, preview_tokens=5)
            settings: dict[str, Any] = {"target_tokens": None}
            client.offload(MESSAGES, **settings)
            _, body, _ = server.requests[0]
        self.assertNotIn("target_tokens", body)
        self.assertEqual(body["preview_tokens"], 5)

    def test_totals(self) -> None:
        report = {"tokens_before": 100, "tokens_after": 40, "rewritten_tokens": 30}
        with Server(offloads(**report)) as server:
            client = Unburden(server.url)
            client.offload(MESSAGES)
            client.offload(MESSAGES)
        self.assertEqual(client.totals, Totals(2, 2, 60, 200, 80))
        self.assertEqual(AsyncUnburden.of(client).totals, client.totals)
        unchanged = {"tokens_before": 7, "tokens_after": 7, "rewritten_tokens": 0}
        with Server(offloads(**unchanged), offloads(dry_run=True, **report)) as server:
            client = Unburden(server.url)
            client.offload(MESSAGES)
            client.offload(MESSAGES, dry_run=True)
        self.assertEqual(client.totals, Totals(1, 0, 0, 7, 7))

    def test_nothing_changed(self) -> None:
        with Server(offloads()) as server:
            result = Unburden(server.url).offload(MESSAGES)
        self.assertIs(result.messages, MESSAGES)
        self.assertFalse(result.changed)
        self.assertEqual(result.origins, [0, 1, 2])

    def test_what_did_not_change_is_the_same_object(self) -> None:
        with Server(offloads(_moved, outcome="compacted")) as server:
            result = Unburden(server.url).offload(MESSAGES)
        self.assertTrue(result.changed)
        self.assertIsNot(result.messages, MESSAGES)
        self.assertIs(result.messages[0], MESSAGES[0])
        self.assertIs(result.messages[1], MESSAGES[1])
        self.assertIsNot(result.messages[2], MESSAGES[2])
        self.assertEqual(MESSAGES[2]["content"], "long")
        self.assertEqual(result.origins, [0, 1, 2])

    def test_equal_in_python_is_not_equal_in_json(self) -> None:
        def other(messages: list[Any]) -> list[Any]:
            return [*messages[:2], {**messages[2], "flag": 1}]

        with Server(offloads(other)) as server:
            result = Unburden(server.url).offload(MESSAGES)
        self.assertTrue(result.changed)

    def test_system_comes_back(self) -> None:
        def answer(request: dict[str, Any]) -> dict[str, Any]:
            report = {"outcome": "compressed", "snapshot": {}}
            kept = request["messages"][1:]
            metadata = {"report": report}
            return {"success": True, "answer": "", "messages": kept, "system": "s+", "metadata": metadata}

        with Server(says(200, answer)) as server:
            result = Unburden(server.url).offload(MESSAGES, system="s")
        self.assertEqual(result.system, "s+")
        self.assertEqual(result.origins, [1, 2])

    def test_connections_are_used_again(self) -> None:
        with Server(offloads()) as server:
            client = Unburden(server.url)
            for _ in range(5):
                client.offload(MESSAGES)
            self.assertEqual(server.connections, 1)
            threads = [threading.Thread(target=client.offload, args=(MESSAGES,)) for _ in range(5)]
            for thread in threads:
                thread.start()
                thread.join()
            self.assertEqual(server.connections, 1, "a thread made a connection where one was idle")

    def test_a_base_url_with_a_path(self) -> None:
        with Server(offloads()) as server:
            Unburden(server.url + "/sidecar/").offload(MESSAGES)
            self.assertEqual(server.requests[0][0], "/sidecar/context_offload")

    def test_environment(self) -> None:
        with Server(offloads()) as server:
            with mock.patch.dict(os.environ, UNBURDEN_URL=server.url, UNBURDEN_TOKEN="t"):
                Unburden().offload(MESSAGES)
            self.assertEqual(server.requests[0][2]["authorization"], "Bearer t")

    def test_a_token_of_a_file(self) -> None:
        with Server(offloads()) as server:
            Unburden(server.url, token=" t\r\n").offload(MESSAGES)
            with mock.patch.dict(os.environ, UNBURDEN_TOKEN="e\n"):
                Unburden(server.url).offload(MESSAGES)
                Unburden(server.url).run_tool("read_file", {"absolute_path": "x"})
            with mock.patch.dict(os.environ, UNBURDEN_TOKEN=" \n"):
                Unburden(server.url).offload(MESSAGES)
            sent = [headers.get("authorization") for _, _, headers in server.requests]
        self.assertEqual(sent, ["Bearer t", "Bearer e", "Bearer e", None])


class Mistakes(unittest.TestCase):
    """Of the caller: raised where they are made, also with `fail_open`."""

    def test_messages(self) -> None:
        for messages in (None, "hello", {"role": "user"}, ({"role": "user"},)):
            with self.subTest(messages=messages), self.assertRaises(TypeError):
                Unburden().offload(messages)  # type: ignore[arg-type]

    def test_settings(self) -> None:
        wrong: list[tuple[str, Any, type[Exception]]] = [
            ("max_total_tokens", "many", TypeError),
            ("max_total_tokens", True, TypeError),
            ("max_total_tokens", -1, ValueError),
            ("target_tokens", 0, ValueError),
            ("max_loss", 1.5, ValueError),
            ("compact_ratio_threshold", "a", TypeError),
            ("dry_run", 1, TypeError),
            ("context_manage_mode", "all", ValueError),
            ("descriptor", "long", ValueError),
            ("compact_roles", "tool", TypeError),
            ("compact_roles", ["assistant"], ValueError),
            ("reload_tools", ["cat"], ValueError),
            ("store_dir", " ", ValueError),
            ("store_dir", 1, TypeError),
            ("max_tokens", 1, TypeError),
        ]
        for name, value, error in wrong:
            with self.subTest(name=name, value=value):
                with self.assertRaisesRegex(error, name):
                    Unburden(**{name: value})
                with self.assertRaisesRegex(error, name):
                    Unburden().offload(MESSAGES, **{name: value})

    def test_a_misspelt_setting(self) -> None:
        with self.assertRaisesRegex(TypeError, "target_token is no setting; did you mean target_tokens?"):
            Unburden(target_token=5)  # type: ignore[call-arg]

    def test_options(self) -> None:
        with self.assertRaisesRegex(ValueError, "such as http://127.0.0.1:8002"):
            Unburden("http://127.0.0.1:port")
        for options in ({"base_url": "127.0.0.1:8002"}, {"base_url": "ftp://x"}, {"timeout": 0}):
            with self.subTest(options=options), self.assertRaises(ValueError):
                Unburden(**options)
        with self.assertRaises(TypeError):
            Unburden(timeout="1")  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            Unburden().offload(MESSAGES, format="mastra")  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            Unburden().offload(MESSAGES, model=4)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            Unburden().offload_result("op", results=[], content="")

    def test_a_token_that_no_header_can_hold(self) -> None:
        for token in ("sec\nret", "sec\x00ret", "sec\u20acret", "s\u00e9cret", "sec\tret"):
            with self.subTest(token=token):
                with self.assertRaisesRegex(ValueError, r"^token: .* character [24]; .*ASCII") as caught:
                    Unburden(token=token)
                self.assertNotIn("ret", str(caught.exception))
                with self.assertRaises(ValueError):
                    AsyncUnburden(token=token)
        with mock.patch.dict(os.environ, UNBURDEN_TOKEN="sec\nret"):
            with self.assertRaisesRegex(ValueError, r"^UNBURDEN_TOKEN: "):
                Unburden()
        with self.assertRaisesRegex(TypeError, "^token is bytes; accepted is a string$"):
            Unburden(token=b"secret")  # type: ignore[arg-type]


class Reload(unittest.TestCase):
    def test_a_refusal(self) -> None:
        with Server(refuses(404, "file_not_found", '"x" was not found', "absolute_path")) as server:
            with self.assertRaises(ServiceError) as caught:
                Unburden(server.url).read_file("x")
        error = caught.exception
        self.assertEqual((error.code, error.status, error.field), ("file_not_found", 404, "absolute_path"))
        self.assertEqual(str(error), '"x" was not found')

    def test_a_broken_answer(self) -> None:
        with Server(says(200, {"success": True, "answer": "", "messages": [], "metadata": {}})) as server:
            client = Unburden(server.url)
            for call in (
                lambda: client.grep("x"),
                lambda: client.read_file("x"),
                lambda: client.extract("x", count=True),
                lambda: client.read_tool_result("x"),
                lambda: client.offload_result("x", content=""),
                lambda: client.count_tokens([]),
                lambda: client.validate([]),
                lambda: client.rehydrate([]),
            ):
                with self.assertRaises(Unavailable) as caught:
                    call()
                self.assertEqual(caught.exception.code, "answer_broken")

    def test_only_what_is_given_is_sent(self) -> None:
        with Server(refuses(404, "x", "x")) as server:
            client = Unburden(server.url, store_dir="/s")
            with self.assertRaises(ServiceError):
                client.grep("p", limit=3)
            with self.assertRaises(ServiceError):
                client.extract("f", {"a": 1}, count=True)
            self.assertEqual(server.requests[0][1], {"pattern": "p", "path": "/s", "limit": 3})
            self.assertEqual(server.requests[1][1], {"file_path": "f", "where": {"a": 1}, "count": True})

    def test_the_descriptor_is_compact_unless_a_specification_has_another(self) -> None:
        with Server(refuses(404, "x", "x")) as server:
            client = Unburden(server.url)
            for options in ({}, {"profile": "general"}, {"profile": "mif"}, {"descriptor": "full"}):
                with self.assertRaises(ServiceError):
                    client.offload_result("op", content="", **options)  # type: ignore[arg-type]
            sent = [body.get("descriptor") for _, body, _ in server.requests]
        self.assertEqual(sent, ["compact", "compact", None, "full"])

    def test_healthy(self) -> None:
        with Server(says(200, {"status": "ok"})) as server:
            self.assertTrue(Unburden(server.url).healthy())
        self.assertFalse(Unburden(server.url).healthy())
        with Server(says(503, {})) as server:
            self.assertFalse(Unburden(server.url).healthy())


class Both(unittest.TestCase):
    def test_async_has_the_same_calls(self) -> None:
        for name, method in inspect.getmembers(Unburden, inspect.isfunction):
            if name.startswith("_") and name != "__init__":
                continue
            with self.subTest(name=name):
                other = getattr(AsyncUnburden, name)
                self.assertEqual(
                    list(inspect.signature(method).parameters.values()),
                    list(inspect.signature(other).parameters.values()),
                )
                synchronous = name in ("__init__", "tool_definitions")
                self.assertEqual(inspect.iscoroutinefunction(other), not synchronous)
