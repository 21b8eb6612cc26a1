"""The reload tools, as models are told of them and call them."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from unburden import TOOL_NAMES, Unburden, tool_definitions

from .scripted import Server, offloads, refuses, says

PACKAGE = Path(__file__).resolve().parent.parent


def _gives(answer: str, **metadata: Any) -> Any:
    return says(200, {"success": True, "answer": answer, "messages": [], "metadata": metadata})


class Definitions(unittest.TestCase):
    def test_the_copy_is_the_source(self) -> None:
        script = PACKAGE / "scripts" / "make_tools.py"
        if not (PACKAGE.parent.parent / "prompts" / "tools").is_dir():
            self.skipTest("the source is not beside this package")
        done = subprocess.run(
            [sys.executable, script, "--check"], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_shapes(self) -> None:
        def names(tools: list[Any]) -> list[str]:
            return [tool["name"] for tool in tools]

        every = list(TOOL_NAMES)
        openai = tool_definitions("openai")
        self.assertEqual(names([tool["function"] for tool in openai]), every)
        self.assertEqual(openai[0]["function"]["parameters"]["required"], ["absolute_path"])
        responses = tool_definitions("openai-responses")
        self.assertEqual(names(responses), every)
        self.assertEqual({tool["strict"] for tool in responses}, {False})
        anthropic = tool_definitions("anthropic")
        self.assertEqual(names(anthropic), every)
        self.assertEqual(set(anthropic[0]), {"name", "description", "input_schema"})
        gemini = tool_definitions("gemini")
        self.assertEqual(names(gemini[0]["functionDeclarations"]), every)
        mcp = tool_definitions("mcp")
        self.assertEqual(names(mcp), every)
        self.assertTrue(all(tool["annotations"]["readOnlyHint"] for tool in mcp))
        with self.assertRaises(ValueError):
            tool_definitions("cohere")  # type: ignore[arg-type]

    def test_a_caller_cannot_spoil_them(self) -> None:
        tool_definitions("openai")[0]["function"]["parameters"].clear()
        self.assertIn("properties", tool_definitions("openai")[0]["function"]["parameters"])

    def test_only_the_tools_of_the_client(self) -> None:
        client = Unburden(reload_tools=["grep", "shell"])
        self.assertEqual([tool["name"] for tool in client.tool_definitions("anthropic")], ["grep"])
        self.assertIn("accepted is one of grep", client.run_tool("read_file", {"absolute_path": "x"}))

    def test_names(self) -> None:
        renamed = Unburden(reload_tools={"grep": "mcp__unburden__grep", "read_file": "open_stored"})
        read_file, grep = renamed.tool_definitions("anthropic")
        self.assertEqual((read_file["name"], grep["name"]), ("open_stored", "mcp__unburden__grep"))
        self.assertIn("with `open_stored`, start_line", grep["description"])
        self.assertEqual(read_file["input_schema"], tool_definitions("anthropic")[0]["input_schema"])
        prefixed = Unburden(prefix="unburden_", reload_tools=["grep", "shell"])
        self.assertEqual(prefixed.reload_tools, {"grep": "unburden_grep", "shell": "shell"})
        (tool,) = prefixed.tool_definitions("openai")
        self.assertEqual(tool["function"]["name"], "unburden_grep")
        self.assertIn("accepted is one of unburden_grep", prefixed.run_tool("grep", {"pattern": "x"}))

    def test_names_that_are_none(self) -> None:
        twice = {"grep": "x", "read_file": "x"}
        wrong: list[Any] = [{"grep": 1}, {"grep": "a b"}, {"cat": "cat"}, twice, "grep"]
        for names in wrong:
            with self.subTest(names), self.assertRaises((TypeError, ValueError)):
                Unburden(reload_tools=names)
        with self.assertRaises(ValueError):
            Unburden(prefix="un burden_")
        with self.assertRaises(ValueError):
            Unburden(prefix="unburden_", reload_tools={"grep": "search"})

    def test_names_are_sent(self) -> None:
        with Server(offloads()) as server:
            client = Unburden(server.url, prefix="unburden_")
            client.offload([], reload_tools=["grep"])
            client.offload([], reload_tools=[])
            client.offload([])
        sent = [body["reload_tools"] for _, body, _ in server.requests]
        every = {name: f"unburden_{name}" for name in TOOL_NAMES}
        self.assertEqual(sent, [{"grep": "unburden_grep"}, {}, every])

    def test_a_renamed_call_reaches_its_tool(self) -> None:
        with Server(_gives("text")) as server:
            client = Unburden(server.url, prefix="unburden_")
            self.assertEqual(client.run_tool("unburden_grep", {"pattern": "x"}), "text")
        self.assertEqual(server.requests[0][0], "/grep")


class Collisions(unittest.TestCase):
    MINE = ("bash", "read_file", "edit_file", "grep", "task")

    def warnings(self, *lists: list[Any], **options: Any) -> list[str]:
        said: list[str] = []
        with Server(offloads()) as server:
            client = Unburden(server.url, on_warning=said.append, **options)
            for tools in lists:
                client.offload([{"role": "user", "content": "x"}], tools=tools)
        return said

    def mine(self, *names: str) -> list[Any]:
        return [{"name": name, "description": f"My {name}.", "input_schema": {}} for name in names]

    def test_both_are_there(self) -> None:
        ours = tool_definitions("openai")
        (warning,) = self.warnings([*self.mine(*self.MINE), *ours], [*ours, *self.mine("grep")])
        self.assertIn("retrieval tools: grep, read_file;", warning)

    def test_ours_took_the_place(self) -> None:
        # As a framework does that keeps tools by their names.
        for shape in ("openai", "anthropic", "gemini"):
            made = tool_definitions(shape)
            (ours,) = [made] if shape != "gemini" else [made[0]["functionDeclarations"]]
            by_name = {name: self.mine(name)[0] for name in self.MINE}
            by_name.update({tool.get("name") or tool["function"]["name"]: tool for tool in ours})
            tools = list(by_name.values())
            (warning,) = self.warnings([{"function_declarations": tools}] if shape == "gemini" else tools)
            self.assertIn("retrieval tools: grep, read_file;", warning)

    def test_theirs_stayed(self) -> None:
        ours = tool_definitions("openai-responses", ["lro_extract", "read_tool_result"])
        self.assertEqual(len(self.warnings([*self.mine(*self.MINE), *ours])), 1)

    def test_no_collision(self) -> None:
        ours, mine = tool_definitions("mcp"), self.mine(*self.MINE)
        # Tools of its own alone, that read the files; in the order of the alphabet; others.
        in_order = sorted([*ours, *self.mine("list", "run")], key=lambda tool: str(tool["name"]))
        self.assertEqual(self.warnings(mine, ours, in_order, [*self.mine("bash"), *ours]), [])
        self.assertEqual(self.warnings([*mine, *ours[1:3]], reload_tools=["lro_extract"]), [])
        client = Unburden(prefix="unburden_")
        tools = [*mine, *client.tool_definitions("openai")]
        self.assertEqual(self.warnings(tools, prefix="unburden_"), [])


class RunTool(unittest.TestCase):
    def run_one(self, play: Any, name: str, arguments: Any, **options: Any) -> tuple[str, dict[str, Any]]:
        with Server(play) as server:
            text = Unburden(server.url, store_dir="/s").run_tool(name, arguments, **options)
            return text, server.requests[0][1]

    def test_arguments_as_object_and_as_json(self) -> None:
        asked = {"absolute_path": "/s/a", "limit": 2}
        play = _gives("text\n", next_offset=None, next_byte_offset=None)
        for arguments in (asked, json.dumps(asked)):
            text, body = self.run_one(play, "read_file", arguments)
            self.assertEqual(text, "text\n")
            self.assertEqual(body, {**asked, "max_tokens": 8000})

    def test_the_ceiling(self) -> None:
        play = _gives("t", next_offset=None, next_byte_offset=None)
        for asked, sent in ((None, 8000), (100, 100), (9000, 8000), ("many", "many")):
            _, body = self.run_one(play, "read_file", {"absolute_path": "a", "max_tokens": asked})
            self.assertEqual(body["max_tokens"], sent)
        _, body = self.run_one(play, "read_file", {"absolute_path": "a"}, max_tokens=50)
        self.assertEqual(body["max_tokens"], 50)

    def test_the_store_of_the_client(self) -> None:
        _, body = self.run_one(_gives("t", matches=[], truncated=False), "grep", {"pattern": "x"})
        self.assertEqual(body["path"], "/s")
        _, body = self.run_one(_gives("t", next_lines=None), "read_tool_result", {"result_id": "x"})
        self.assertEqual(body["store_dir"], "/s")

    def test_a_page_that_was_cut_says_how_to_go_on(self) -> None:
        header, page = "Showing lines 1-120 of 500 total lines.", "\n\n---\n\nline\n"
        for name, asked, found, more in (
            (
                "read_file",
                {"absolute_path": "a"},
                {"next_start_line": 121, "next_byte_offset": 9},
                "start_line=121",
            ),
            (
                "read_file",
                {"absolute_path": "a", "offset": 3},
                {"next_start_line": 121, "next_byte_offset": 9},
                "start_line=121 and without offset",
            ),
            (
                "read_file",
                {"absolute_path": "a"},
                {"next_start_line": None, "next_byte_offset": 9},
                "byte_offset=9",
            ),
            (
                "read_file",
                {"absolute_path": "a", "byte_limit": 9},
                {"next_start_line": None, "next_byte_offset": 9},
                "byte_offset=9",
            ),
            ("read_tool_result", {"result_id": "c"}, {"next_lines": "6-900"}, "lines=6-900"),
        ):
            with self.subTest(more=more):
                text, _ = self.run_one(_gives(header + page, truncated=True, **found), name, asked)
                self.assertEqual(text, f"{header} More: the same call with {more}.{page}")
                text, _ = self.run_one(_gives(header + page, truncated=False, **found), name, asked)
                self.assertEqual(text, header + page)

    def test_an_answer_about_records_says_itself_how_to_go_on(self) -> None:
        answer = "3 of 9 records match.\n{}\n[3 of 9 shown; offset=3 for more]"
        text, _ = self.run_one(
            _gives(answer, truncated=True, next_offset=3), "lro_extract", {"file_path": "f"}
        )
        self.assertEqual(text, answer)

    def test_an_error_is_a_sentence(self) -> None:
        sentence = "no record has the field `prio`; the nearest: priority"
        text, _ = self.run_one(refuses(422, "field_unknown", sentence), "lro_extract", {"file_path": "f"})
        self.assertEqual(text, sentence)

    def test_mistakes_of_the_model(self) -> None:
        with Server(refuses(500, "x", "x")) as server:
            client = Unburden(server.url)
            self.assertIn("read_file, grep", client.run_tool("cat", {}))
            self.assertIn("no JSON", client.run_tool("grep", '{"pattern": "x'))
            self.assertIn("accepted is an object", client.run_tool("grep", '["x"]'))
            self.assertEqual(server.requests, [])

    def test_without_what_is_required_the_service_gets_the_model_s_own_arguments(self) -> None:
        # The answer names the missing argument, and repeats the others.
        with Server(refuses(422, "x", "send that")) as server:
            client = Unburden(server.url)
            for name, arguments in (("grep", {"patern": "x"}), ("read_file", None), ("grep", "")):
                self.assertEqual(client.run_tool(name, arguments), "send that")
            sent = [(path, body) for path, body, _ in server.requests]
        self.assertEqual(sent, [("/grep", {"patern": "x"}), ("/read_file", {}), ("/grep", {})])

    def test_the_service_is_down(self) -> None:
        with Server(refuses(500, "x", "x")) as server:
            pass
        text = Unburden(server.url).run_tool("grep", {"pattern": "x"})
        self.assertIn("cannot be read now", text)

    def test_an_argument_that_json_lacks(self) -> None:
        with Server(refuses(500, "x", "x")) as server:
            text = Unburden(server.url).run_tool("grep", {"pattern": {1}})
        self.assertIn("cannot be read now", text)
