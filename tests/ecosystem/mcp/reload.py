"""One client against the program's own MCP server: everything moves out and comes back."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import data
from client import Answered, Client
from score import Score
from tokens import Counter

TOOLS = ["read_file", "grep", "lro_extract", "read_tool_result", "context_offload"]
CEILING = 10_000
# The header of a page and the line that says where an answer was cut stand above the ceiling.
SLACK = 60
_RULE = "\n\n---\n\n"
_MORE = re.compile(r" More: the same call with (offset|byte_offset|lines)=(\S+)\.$")


def _records(text: str) -> list[Any]:
    """The records in an answer, without the lines that are said about them."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


class Reload:
    """The checks of one client. `store` is a folder of its own under the root."""

    def __init__(
        self, score: Score, label: str, client: Client, store: Path, count: Counter
    ) -> None:
        self.score, self.label, self.client, self.store, self.count = (
            score,
            label,
            client,
            store,
            count,
        )
        self.paths: dict[str, str] = {}

    def walk(self, generation: str, only: set[str] | None = None) -> None:
        """Runs the checks, those named in `only` where it is given."""
        checks = (
            self.lists_its_tools,
            self.moves_what_is_large,
            self.files_hold_what_left,
            self.grep_finds_the_fact,
            self.pages_are_the_whole_log,
            self.pages_in_bytes_are_the_whole_line,
            self.pages_of_an_earlier_result,
            self.asks_for_records,
            self.pages_of_records_are_all_records,
            self.every_recipe_answers,
            self.errors_are_sentences,
            self.an_unknown_tool_is_an_error_of_the_protocol,
            self.no_answer_is_above_the_ceiling,
            self.calls_at_once_get_their_own_answers,
        )
        with self.score.check(f"{self.label}: connects"):
            self.connects(generation)
        for check in checks:
            name = check.__name__.replace("_", " ")
            if only is None or name in only:
                with self.score.check(f"{self.label}: {name}"):
                    check()

    def connects(self, generation: str) -> None:
        info = self.client.info
        assert info["version"] == generation, info
        assert info["server"] == "unburden"
        assert "(detailed result is stored in PATH)" in info["instructions"]

    def lists_its_tools(self) -> None:
        tools = self.client.tools()
        assert list(tools) == TOOLS, list(tools)
        for name, tool in tools.items():
            hints, reads = tool["annotations"], name != "context_offload"
            assert (hints["readOnlyHint"], hints["destructiveHint"], hints["openWorldHint"]) == (
                reads,
                False,
                False,
            )
            assert tool["title"] and len(tool["description"]) > 100, name
            for schema in (tool["inputSchema"], tool["outputSchema"]):
                assert schema["type"] == "object" and schema["properties"] and schema["required"]

    def moves_what_is_large(self) -> None:
        before = data.history()
        result = self.client.call(
            "context_offload", messages=before, store_dir=str(self.store), max_total_tokens=1
        )
        assert not result.failed, result.text
        envelope = json.loads(result.text)
        after = envelope["messages"]
        assert envelope["success"] is True and len(after) == len(before)
        for index, message in enumerate(before):
            assert (after[index] == message) is (index not in data.MOVED), (
                f"message {index}: {after[index]}"
            )
        report = result.data["report"]
        assert (
            report == envelope["metadata"]["report"] and result.data["answer"] == envelope["answer"]
        )
        assert report["outcome"] == "compacted" and all(report["checks"].values()), report
        self.paths = {action["tool_call_id"]: action["path"] for action in report["actions"]}
        for index, name in zip(data.MOVED, data.CALLS, strict=True):
            assert after[index]["tool_call_id"] == name
            assert f"(detailed result is stored in {self.paths[name]})" in after[index]["content"]
        was, now = (
            self.count(json.dumps(messages, ensure_ascii=False)) for messages in (before, after)
        )
        assert now < was / 100, f"{was} tokens became {now}"

    def files_hold_what_left(self) -> None:
        log, records, line = (Path(self.paths[name]) for name in data.CALLS)
        assert all(path.parent == self.store for path in (log, records, line))
        assert (log.read_text(), line.read_text()) == (data.log(), data.one_line())
        header, *stored = map(json.loads, records.read_text().splitlines())
        assert header["type"] == "lro_header" and header["count"] == len(stored)
        assert stored == data.records()

    def grep_finds_the_fact(self) -> None:
        result = self.client.call(
            "grep", pattern=r"vault-\d+ refused", path=str(self.store), glob="*.txt"
        )
        (match,) = result.data["matches"]
        assert match["line"] == data.FACT_LINE and data.FACT in match["text"], match
        assert f"L{data.FACT_LINE}: {match['text']}" in result.text
        line = self.client.call(
            "read_file", absolute_path=self.paths[data.CALLS[0]], offset=match["line"] - 1, limit=1
        )
        assert line.text.split(_RULE)[1] == match["text"] + "\n", line.text
        around = self.client.call(
            "grep", pattern=data.FACT, path=str(self.store), literal=True, context=2
        )
        assert (
            around.data["answer"] == around.text and f"Schritt {data.FACT_LINE + 2} " in around.text
        )
        nothing = self.client.call("grep", pattern="was never said", path=str(self.store))
        assert nothing.data["matches"] == [] and nothing.text.startswith("No matches found"), (
            nothing.text
        )

    def _pages(self, tool: str, arguments: dict[str, Any], argument: str, at_least: int) -> str:
        """The whole, read as the headers of the pages say."""
        whole, seen = [], 0
        while True:
            result = self.client.call(tool, **arguments)
            assert not result.failed, result.text
            assert self.count(result.text) <= CEILING + SLACK, self.count(result.text)
            assert result.data["answer"] == result.text
            header, rule, body = result.text.partition(_RULE)
            header, body = (
                (header, body) if rule and header.startswith("Showing ") else ("", result.text)
            )
            whole.append(body)
            seen += 1
            more = _MORE.search(header)
            assert bool(more) is result.data["truncated"] is ("next_call" in result.data), header
            if not more:
                assert seen >= at_least, f"{seen} pages"
                return "".join(whole)
            assert more[1] == argument and seen < 100, header
            following = more[2] if argument == "lines" else int(more[2])
            assert f"{argument}={json.dumps(following)}" in result.data["next_call"], result.data[
                "next_call"
            ]
            arguments = arguments | {argument: following}

    def pages_are_the_whole_log(self) -> None:
        path = self.paths[data.CALLS[0]]
        assert self._pages("read_file", {"absolute_path": path}, "offset", 5) == data.log()

    def pages_in_bytes_are_the_whole_line(self) -> None:
        path = self.paths[data.CALLS[2]]
        assert (
            self._pages("read_file", {"absolute_path": path}, "byte_offset", 3) == data.one_line()
        )

    def pages_of_an_earlier_result(self) -> None:
        name, store = data.CALLS[0], str(self.store)
        few = self.client.call(
            "read_tool_result", result_id=name, store_dir=store, lines="1186-1188"
        )
        assert few.text.split(_RULE)[1] == "".join(data.log().splitlines(True)[1185:1188]), few.text
        assert few.data["path"] == self.paths[name]
        found = self.client.call(
            "read_tool_result", result_id=name, store_dir=store, lines="grep:vault-17"
        )
        assert data.FACT in found.text and str(data.FACT_LINE) in found.text, found.text
        late = self._pages(
            "read_tool_result",
            {"result_id": name, "store_dir": store, "lines": "801-1600"},
            "lines",
            2,
        )
        assert late == "".join(data.log().splitlines(True)[800:])

    def asks_for_records(self) -> None:
        path = self.paths[data.CALLS[1]]

        def ask(**arguments: Any) -> Any:
            result = self.client.call("lro_extract", file_path=path, **arguments)
            assert not result.failed and result.data["answer"] == result.text, result.text
            return result

        mine = [
            record for record in data.records() if record["owner"] == "ada" and record["score"] > 90
        ]
        both = [
            {"field": "owner", "op": "=", "value": "ada"},
            {"field": "score", "op": ">", "value": 90},
        ]
        assert ask(where={"all": both}, count=True).data["count"] == len(mine) > 3
        assert _records(ask(where={"all": both}).text) == mine
        assert _records(ask(query='select(.owner == "ada" and .score > 90)').text) == mine
        total = sum(record["score"] for record in data.records())
        assert float(ask(query="map(.score) | add", slurp=True).text) == total
        present = ask(ids=["T-7", data.MISSING_ID])
        assert (
            present.data["count"] == 1 and data.MISSING_ID in present.text.partition("bsent")[2]
        ), present.text
        groups = ask(group_by="owner").text
        assert all(re.search(rf"\b{owner}\b.*\b13[34]\b", groups) for owner in data.OWNERS), groups
        assert _records(ask(sort_by="-score", select=["id"], limit=1).text) == [{"id": "T-399"}]

    def pages_of_records_are_all_records(self) -> None:
        arguments: dict[str, Any] = {"file_path": self.paths[data.CALLS[1]], "query": "."}
        whole: list[Any] = []
        for page in range(20):
            result = self.client.call("lro_extract", **arguments)
            assert self.count(result.text) <= CEILING + SLACK
            whole += _records(result.text)
            if result.data.get("next_offset") is None:
                break
            assert f"offset={result.data['next_offset']}" in result.data["next_call"]
            arguments["offset"] = result.data["next_offset"]
        assert page >= 1 and whole == data.records(), (page, len(whole))

    def every_recipe_answers(self) -> None:
        for recipe in range(1, 11):
            result = self.client.call(
                "lro_extract", file_path=self.paths[data.CALLS[1]], recipe=recipe, limit=3
            )
            assert not result.failed and result.text.strip(), f"recipe {recipe}: {result.text}"

    def errors_are_sentences(self) -> None:
        log, records, _ = (self.paths[name] for name in data.CALLS)
        strange = {"field": "ownr", "op": "=", "value": "ada"}
        for words, tool, arguments in (
            ("was not found", "read_file", {"absolute_path": str(self.store / "gone.txt")}),
            ("was not found", "read_file", {"absolute_path": "/etc/passwd"}),
            (
                "was not found",
                "read_file",
                {"absolute_path": str(self.store / "../../../../etc/passwd")},
            ),
            ("absolute_path is missing", "read_file", {}),
            ("offset is", "read_file", {"absolute_path": log, "offset": "ten"}),
            ("unclosed group", "grep", {"pattern": "(", "path": str(self.store)}),
            ("was not found", "grep", {"pattern": "x", "path": "/etc"}),
            ("nearest: owner", "lro_extract", {"file_path": records, "where": strange}),
            ("recipe", "lro_extract", {"file_path": records, "recipe": 11}),
            (
                "the jq filter does not parse",
                "lro_extract",
                {"file_path": records, "query": "map("},
            ),
            ("call_99", "read_tool_result", {"result_id": "call_99", "store_dir": str(self.store)}),
            ("messages is missing", "context_offload", {"store_dir": str(self.store)}),
            (
                "store_dir",
                "context_offload",
                {"messages": data.history(), "store_dir": "/etc/unburden"},
            ),
        ):
            result = self.client.call(tool, **arguments)
            assert result.failed and "structuredContent" not in result.raw, (
                f"{tool} {arguments}: {result.text[:200]}"
            )
            assert words in result.text and len(result.text) < 600, f"{tool}: {result.text}"
            assert "root:" not in result.text

    def an_unknown_tool_is_an_error_of_the_protocol(self) -> None:
        try:
            result = self.client.call("cat", path="/etc/passwd")
        except Answered as error:
            assert error.code == -32602 and 'there is no tool "cat"' in str(error), error
        else:
            raise AssertionError(result)

    def no_answer_is_above_the_ceiling(self) -> None:
        log, records, _ = (self.paths[name] for name in data.CALLS)
        for tool, arguments in (
            ("read_file", {"absolute_path": log}),
            ("grep", {"pattern": "Schritt", "path": log, "limit": 100_000}),
            ("lro_extract", {"file_path": records, "query": "."}),
            ("read_tool_result", {"result_id": data.CALLS[0], "store_dir": str(self.store)}),
        ):
            greedy = self.client.call(tool, **arguments, max_tokens=10_000_000)
            assert CEILING / 2 < self.count(greedy.text) <= CEILING + SLACK, (
                f"{tool}: {self.count(greedy.text)}"
            )
            modest = self.client.call(tool, **arguments, max_tokens=500)
            assert 100 < self.count(modest.text) <= 500 + SLACK, (
                f"{tool}: {self.count(modest.text)}"
            )
            assert greedy.data["truncated"] is modest.data["truncated"] is True

    def calls_at_once_get_their_own_answers(self) -> None:
        path, lines = self.paths[data.CALLS[0]], data.log().splitlines(True)

        def read(offset: int) -> bool:
            page = self.client.call("read_file", absolute_path=path, offset=offset, limit=1)
            return page.text.split(_RULE)[1] == lines[offset]

        with ThreadPoolExecutor(16) as pool:
            assert all(pool.map(read, range(0, data.LINES, 100)))
