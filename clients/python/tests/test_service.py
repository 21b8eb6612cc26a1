"""The client and the real service."""

from __future__ import annotations

import asyncio
import copy
import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from unburden import AsyncUnburden, ServiceError, Unburden

from .binary import BINARY, Running, WithService, free_address, log

ORDERS = [{"id": f"O-{n}", "city": "Łódź" if n % 4 else "東京", "weight": n / 4} for n in range(120)]


def _call(name: str, tool: str) -> dict[str, Any]:
    function = {"name": tool, "arguments": "{}"}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def _history() -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "Look at everything.", "x_note": {"kept": 1.5}},
        _call("call_1", "bash"),
        {"role": "tool", "tool_call_id": "call_1", "content": log("build")},
        _call("call_2", "orders"),
        {"role": "tool", "tool_call_id": "call_2", "content": json.dumps(ORDERS, ensure_ascii=False)},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "And now?"},
    ]


class Offload(WithService):
    def test_there_and_back(self) -> None:
        client, messages = self.client(), _history()
        before = copy.deepcopy(messages)
        result = client.offload(messages)
        self.assertEqual(messages, before)
        assert result.report is not None
        self.assertEqual(result.report["outcome"], "compacted")
        self.assertEqual(result.report["format"], "openai-chat")
        changed = [i for i, (a, b) in enumerate(zip(result.messages, messages, strict=True)) if a is not b]
        self.assertEqual(changed, [3, 5])
        self.assertEqual(client.rehydrate(result.messages).messages, before)
        again = client.offload(result.messages)
        self.assertIs(again.messages, result.messages)

    def test_a_snapshot(self) -> None:
        client, messages = self.client(context_manage_mode="compress"), _history()
        result = client.offload(messages, chat_id="chat")
        assert result.report is not None
        self.assertEqual(result.report["outcome"], "compressed")
        # The model's message would come first, so words of the service's stand before it.
        self.assertEqual(result.origins, [0, None, 6, 7])
        self.assertEqual(result.messages[1]["role"], "user")
        self.assertIs(result.messages[2], messages[6])
        self.assertIn("<state_snapshot>", result.messages[0]["content"])
        self.assertTrue((self.store / "compressed_group_chat_0.json").exists())
        back = client.rehydrate(result.messages)
        self.assertEqual(back.messages, messages)
        self.assertGreater(back.messages_restored, 0)

    def test_a_snapshot_beside_the_messages(self) -> None:
        client = self.client(context_manage_mode="compress")
        history: list[Any] = [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {}}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": log("build", 900)}],
            },
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "And now?"},
        ]
        result = client.offload(history, system="You help.")
        self.assertIn("<state_snapshot>", result.system)
        self.assertTrue(result.changed)
        self.assertEqual(client.rehydrate(result.messages, result.system).system, "You help.")

    def test_dry_run(self) -> None:
        messages = _history()
        result = self.client().offload(messages, dry_run=True)
        self.assertIs(result.messages, messages)
        self.assertFalse(self.store.exists())

    def test_files_of_the_call(self) -> None:
        result = self.client().offload(_history(), include_files=True)
        self.assertIn(log("build"), result.write_file_dict.values())
        self.assertEqual(self.client().offload(_history()).write_file_dict, {})

    def test_async(self) -> None:
        async def run() -> None:
            async with AsyncUnburden.of(self.client()) as client:
                results = await asyncio.gather(*(client.offload(_history()) for _ in range(8)))
                self.assertEqual({result.changed for result in results}, {True})
                self.assertEqual({result.error for result in results}, {None})
                found = await client.grep("line 77 says")
                self.assertEqual([match.line for match in found.matches], [78])
                self.assertTrue(await client.healthy())

        asyncio.run(run())


class Reload(WithService):
    def setUp(self) -> None:
        super().setUp()
        self.made = self.client()
        report = self.made.offload(_history()).report
        assert report is not None
        self.text, self.records = (str(action["path"]) for action in report["actions"])

    def test_grep(self) -> None:
        found = self.made.grep("LINE 7[0-2] ", context=1)
        self.assertEqual(
            [(m.path, m.line) for m in found.matches], [("tool_call_1.txt", n) for n in (71, 72, 73)]
        )
        self.assertFalse(found.truncated)
        self.assertTrue(found.text.startswith("Found 3 matches"))

    def test_read_file(self) -> None:
        page = self.made.read_file(self.text, offset=10, limit=2)
        self.assertEqual((page.total_lines, page.next_offset), (200, 12))
        self.assertIn("build line 11 says", page.text)

    def test_read_tool_result(self) -> None:
        part = self.made.read_tool_result("call_1", lines="last:2")
        self.assertEqual((part.path, part.total_lines), (self.text, 200))
        self.assertIn("build line 199", part.text)

    def test_extract(self) -> None:
        where = {
            "all": [{"field": "city", "op": "=", "value": "東京"}, {"field": "weight", "op": "<", "value": 3}]
        }
        answer = self.made.extract(self.records, where, select=["id"])
        self.assertEqual([record["id"] for record in answer.records], ["O-0", "O-4", "O-8"])
        groups = self.made.extract(self.records, group_by="city").groups
        self.assertEqual({group.value: group.count for group in groups}, {"Łódź": 90, "東京": 30})
        present = self.made.extract(self.records, ids=["O-5", "O-500"])
        self.assertEqual((present.present, present.absent), (["O-5"], ["O-500"]))
        self.assertEqual(self.made.extract(self.records, query="select(.weight > 29)").count, 3)

    def test_names_of_the_agent(self) -> None:
        client = self.client(prefix="unburden_", preview_tokens=200)
        told = json.dumps(client.offload(_history()).messages)
        self.assertIn("unburden_", told)
        self.assertNotRegex(told, r"[^_](read_file|read_tool_result|lro_extract)\(")
        asked: Any = {"output_dir": str(self.store), "threshold_tokens": 9, "descriptor": "full"}
        stored = client.offload_result("orders", results=ORDERS, **asked)
        self.assertIn("unburden_lro_extract", json.dumps(stored.descriptor))

    def test_offload_result(self) -> None:
        out = str(self.store)
        stored = self.made.offload_result("orders", results=ORDERS, threshold_tokens=10, output_dir=out)
        self.assertTrue(stored.offloaded)
        assert stored.file_path is not None
        self.assertEqual(self.made.extract(stored.file_path, {"id": "O-3"}).records, [ORDERS[3]])
        small = self.made.offload_result("orders", content="[1, 2]", output_dir=out)
        self.assertEqual((small.offloaded, small.file_path, small.results), (False, None, "[1, 2]"))

    def test_a_stored_result_is_where_the_client_looks(self) -> None:
        stored = self.made.offload_result("orders", results=ORDERS, threshold_tokens=10)
        assert stored.file_path is not None
        self.assertEqual(Path(stored.file_path).parent, self.store)
        self.assertIn("O-77", self.made.run_tool("grep", {"pattern": "O-77"}))

    def test_count_and_validate(self) -> None:
        counted = self.made.count_tokens(
            _history(), system="You help.", tools=[{"name": "x"}], model="gpt-4o"
        )
        self.assertEqual(sum(counted.by_message), counted.messages)
        self.assertEqual(counted.tokens, counted.messages + counted.tools + counted.system)
        self.assertTrue(counted.exact)
        self.assertTrue(self.made.validate(_history()).valid)
        broken = self.made.validate([*_history()[:3], *_history()[4:]])
        self.assertEqual([problem.rule for problem in broken.problems], ["call_without_result"])

    def test_errors(self) -> None:
        unknown = {"field": "cty", "op": "=", "value": 1}
        for call, code, status, field in (
            (lambda: self.made.read_file("/etc/passwd"), "file_not_found", 404, "absolute_path"),
            (lambda: self.made.grep("(x"), "pattern_invalid", 422, "pattern"),
            (
                lambda: self.made.extract(self.records, unknown),
                "field_unknown",
                422,
                "where",
            ),
            (lambda: self.made.read_file(self.text, offset=999), "offset_past_end", 422, "offset"),
        ):
            with self.subTest(code=code), self.assertRaises(ServiceError) as caught:
                call()
            error = caught.exception
            self.assertEqual((error.code, error.status, error.field), (code, status, field))
            self.assertGreater(len(error.message), 20)

    def test_a_model_reads_a_file_to_its_end(self) -> None:
        arguments: dict[str, Any] = {"absolute_path": self.text, "max_tokens": 300}
        pages = []
        while True:
            header, _, page = self.made.run_tool("read_file", arguments).rpartition("\n\n---\n\n")
            pages.append(page)
            more = re.search(r" More: the same call with start_line=(\d+)\.$", header)
            if not more:
                break
            arguments["start_line"] = int(more[1])
        self.assertGreater(len(pages), 5)
        self.assertEqual("".join(pages), log("build"))

    def test_a_model_asks_again_where_a_question_was_cut(self) -> None:
        asked = {"file_path": self.records, "where": {"city": "東京"}}
        first = self.made.run_tool("lro_extract", {**asked, "max_tokens": 90})
        offset = re.search(r"offset=(\d+) for more", first)
        assert offset is not None, first
        rest = {**asked, "offset": int(offset[1])}
        self.assertIn('"O-116"', self.made.run_tool("lro_extract", rest))

    def test_a_model_reads_an_error(self) -> None:
        self.assertIn(
            "was not found", self.made.run_tool("read_file", {"absolute_path": str(self.store / "no")})
        )
        self.assertIn('send {"pattern": "x"}', self.made.run_tool("grep", {"patern": "x"}))
        self.assertIn("pattern is missing", self.made.run_tool("grep", ""))
        self.assertIn(
            "nearest", self.made.run_tool("lro_extract", {"file_path": self.records, "group_by": "cty"})
        )

    def test_what_was_read_back_is_not_stored_again(self) -> None:
        messages = self.made.offload(_history()).messages
        files = sorted(self.store.iterdir())
        asked = {"absolute_path": self.text}
        call = _call("call_3", "read_file")
        call["tool_calls"][0]["function"]["arguments"] = json.dumps(asked)
        page = self.made.run_tool("read_file", asked)
        self.assertEqual(page, log("build"))
        longer = [*messages, call, {"role": "tool", "tool_call_id": "call_3", "content": page}]
        longer += [{"role": "assistant", "content": "I see."}, {"role": "user", "content": "Go on."}]
        result = self.made.offload(longer)
        self.assertIn(f"stored in {self.text})", result.messages[-3]["content"])
        self.assertEqual(sorted(self.store.iterdir()), files)


@unittest.skipUnless(BINARY, "UNBURDEN_BINARY names no program")
class Outage(unittest.TestCase):
    def test_killed_and_back(self) -> None:
        root = Path(tempfile.mkdtemp(prefix="unburden-test-"))
        self.addCleanup(shutil.rmtree, root)
        address = free_address()
        warnings: list[str] = []
        client = Unburden(
            f"http://{address}", store_dir=str(root / "s"), max_total_tokens=500, on_warning=warnings.append
        )
        first = Running(root, address)
        small = client.offload(_history())
        self.assertTrue(small.changed)
        first.kill()
        self.assertFalse(client.healthy())
        messages = _history()
        for _ in range(3):
            self.assertIs(client.offload(messages).messages, messages)
        self.assertIn("cannot be read now", client.run_tool("grep", {"pattern": "x"}))
        self.assertEqual(len(warnings), 1)
        second = Running(root, address)
        try:
            self.assertEqual(client.offload(messages).messages, small.messages)
            self.assertEqual(client.rehydrate(small.messages).messages, messages)
        finally:
            second.kill()
        self.assertEqual(len(warnings), 1)
