"""One client against the program's own MCP server: everything moves out and comes back."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import data
from agent import SLACK, Agent, Settings
from answers import (
    RULE,
    Change,
    Match,
    Matches,
    Page,
    lines_left_out,
    matches_change,
    named_call,
    page_change,
    records,
    records_change,
    told,
)
from client import Answered, Client
from score import Score
from tokens import Counter

TOOLS = ["read_file", "grep", "lro_extract", "read_tool_result", "context_offload"]
# A tool's name in a text for models.
_NAMED = re.compile(rf"`([\w-]*?(?:{'|'.join(TOOLS)}))`")
# Above any answer here.
PLENTY = 10_000_000


class Reload(Agent):
    """The checks of one client. `store` is a folder of its own under the root."""

    def __init__(
        self,
        score: Score,
        label: str,
        client: Client,
        store: Path,
        count: Counter,
        settings: Settings = Settings(),
    ) -> None:
        super().__init__(client, store, count, settings)
        self.score, self.label = score, label
        self.paths: dict[str, str] = {}
        self.replaced: dict[str, str] = {}

    def walk(self, generation: str, only: set[str] | None = None) -> None:
        """Runs the checks, those named in `only` where it is given."""
        checks = (
            self.lists_its_tools,
            self.moves_what_is_large,
            self.a_dry_run_writes_nothing,
            self.files_hold_what_left,
            self.references_name_the_calls_that_bring_it_back,
            self.grep_finds_the_fact,
            self.pages_of_matches_are_all_matches,
            self.lines_count_from_one,
            self.pages_are_the_whole_log,
            self.pages_in_bytes_are_the_whole_line,
            self.pages_of_an_earlier_result,
            self.asks_for_records,
            self.pages_of_records_are_all_records,
            self.every_recipe_answers,
            self.errors_are_sentences,
            self.an_unknown_tool_is_an_error_of_the_protocol,
            self.no_answer_is_above_the_ceiling,
            self.an_answer_without_a_ceiling_is_whole,
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
        assert f"`{self.settings.prefix}grep`" in info["instructions"]
        self.names_tools_as_they_are_here(info["instructions"])

    def names_tools_as_they_are_here(self, text: str) -> None:
        named = set(_NAMED.findall(text))
        assert named <= {self.settings.prefix + tool for tool in TOOLS}, named

    def lists_its_tools(self) -> None:
        tools = self.client.tools()
        assert list(tools) == [self.settings.prefix + tool for tool in TOOLS], list(tools)
        for tool, listed in zip(TOOLS, tools.values(), strict=True):
            hints, reads = listed["annotations"], tool != "context_offload"
            assert (hints["readOnlyHint"], hints["destructiveHint"], hints["openWorldHint"]) == (
                reads,
                False,
                False,
            )
            assert listed["title"] and len(listed["description"]) > 100, tool
            # Hosts show what a schema of output promises instead of the text.
            assert ("outputSchema" in listed) is not reads, tool
            for schema in [listed["inputSchema"], *([] if reads else [listed["outputSchema"]])]:
                assert schema["type"] == "object" and schema["properties"] and schema["required"]
            self.names_tools_as_they_are_here(json.dumps(listed))

    def moves_what_is_large(self) -> None:
        before = data.history()
        result = self.call(
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
        self.replaced = {name: after[i]["content"] for i, name in zip(data.MOVED, data.CALLS)}
        for index, name in zip(data.MOVED, data.CALLS, strict=True):
            assert after[index]["tool_call_id"] == name
            assert f"(detailed result is stored in {self.paths[name]})" in after[index]["content"]
        was, now = (
            self.count(json.dumps(messages, ensure_ascii=False)) for messages in (before, after)
        )
        assert now < was / 100, f"{was} tokens became {now}"

    def a_dry_run_writes_nothing(self) -> None:
        place = self.store.with_name(self.store.name + "-dry")
        result = self.call(
            "context_offload",
            messages=data.history(),
            store_dir=str(place),
            max_total_tokens=1,
            dry_run=True,
        )
        assert not result.failed and result.data["report"]["dry_run"] is True, result.text[:400]
        assert json.loads(result.text)["messages"] == data.history() and not place.exists()

    def files_hold_what_left(self) -> None:
        log, records, line = (Path(self.paths[name]) for name in data.CALLS)
        assert all(path.parent == self.store for path in (log, records, line))
        assert (log.read_text(), line.read_text()) == (data.log(), data.one_line())
        header, *stored = map(json.loads, records.read_text().splitlines())
        assert header["type"] == "lro_header" and header["count"] == len(stored)
        assert stored == data.records()

    def references_name_the_calls_that_bring_it_back(self) -> None:
        log, rows, line = (named_call(self.replaced[name]) for name in data.CALLS)
        prefix = self.settings.prefix
        assert [tool for tool, _ in (log, rows, line)] == [
            f"{prefix}read_file",
            f"{prefix}lro_extract",
            f"{prefix}read_file",
        ]
        lines = data.log().splitlines(True)
        first, last, total = lines_left_out(self.replaced[data.CALLS[0]])
        assert total == len(lines) and log[1]["start_line"] == first, log
        assert self.whole("read_file", log[1], 5) == "".join(lines[first - 1 : last])
        start, length = line[1]["byte_offset"], line[1]["byte_limit"]
        assert 0 < start < start + length < len(data.one_line()), line
        assert self.whole("read_file", line[1], 3) == data.one_line()[start : start + length]
        closed = sum(not record["open"] for record in data.records())
        answer = told(self.client.call(rows[0], **rows[1]))
        assert answer == f"{closed} of {len(data.records())} records match.", (rows, answer)

    def grep_finds_the_fact(self) -> None:
        found = Matches.of(
            self.ask("grep", pattern=r"vault-\d+ refused", path=str(self.store), glob="*.txt")
        )
        (match,) = found.shown
        assert match.line == data.FACT_LINE and data.FACT in match.text, match
        assert (found.total, found.exact) == (1, True), found
        line = self.ask(
            "read_file", absolute_path=str(self.store / match.file), start_line=match.line, limit=1
        )
        assert Page.of(line).body == match.text + "\n", line
        around = self.ask("grep", pattern=data.FACT, path=str(self.store), literal=True, context=2)
        assert Matches.of(around) == found, around
        assert f"\nL{match.line - 2}- " in around and f"\nL{match.line + 2}- " in around, around
        assert f"Schritt {data.FACT_LINE + 2} " in around
        nothing = self.ask("grep", pattern="was never said", path=str(self.store))
        assert Matches.of(nothing) == Matches(0, True, [], None), nothing

    def pages_of_matches_are_all_matches(self) -> None:
        log = self.paths[data.CALLS[0]]
        lines = [line for line in enumerate(data.log().splitlines(), 1) if "worker-3 " in line[1]]
        arguments = {"pattern": r"\bworker-3\b", "path": log}
        for more, least in ({}, 1), ({"limit": 50}, 5), ({"max_tokens": 1_000}, 5):
            pages = list(self.texts("grep", arguments | more, matches_change))
            found = [match for text in pages for match in Matches.of(text).shown]
            assert found == [Match(Path(log).name, *line) for line in lines], len(found)
            assert {Matches.of(text).total for text in pages} == {len(lines)}
            assert len(pages) >= least, f"{more}: {len(pages)} pages"

    def lines_count_from_one(self) -> None:
        path, lines = self.paths[data.CALLS[0]], data.log().splitlines(True)
        wanted = f"Showing lines 3-5 of {data.LINES} total lines.{RULE}" + "".join(lines[2:5])
        assert self.ask("read_file", absolute_path=path, start_line=3, limit=3) == wanted
        # `offset`, which no model is told of, counts from 0.
        told_of = self.client.listed[self.settings.prefix + "read_file"]["inputSchema"]
        assert "start_line" in told_of["properties"] and "offset" not in told_of["properties"]
        assert self.ask("read_file", absolute_path=path, offset=2, limit=3) == wanted
        called = self.ask("read_tool_result", result_id=data.CALLS[0], lines="3-5", **self.here())
        assert called == wanted, called
        # The line feed at the end begins no line, so the last is the last.
        assert self.ask("read_file", absolute_path=path, start_line=data.LINES) == lines[-1]
        past = self.call("read_file", absolute_path=path, start_line=data.LINES + 1)
        assert past.failed and f"{data.LINES} lines" in past.text, past.text

    def pages_are_the_whole_log(self) -> None:
        path, lines = {"absolute_path": self.paths[data.CALLS[0]]}, data.log().splitlines(True)
        assert self.whole("read_file", path, 5) == data.log()
        late = "".join(lines[600:])
        assert self.whole("read_file", path | {"start_line": 601}, 3) == late
        assert self.whole("read_file", path | {"offset": 600}, 3) == late
        # A number of lines is that of all pages together.
        part = "".join(lines[600:1400])
        assert self.whole("read_file", path | {"start_line": 601, "limit": 800}, 2) == part
        assert self.whole("read_file", path | {"offset": 600, "limit": 800}, 2) == part

    def pages_in_bytes_are_the_whole_line(self) -> None:
        path, line = {"absolute_path": self.paths[data.CALLS[2]]}, data.one_line()
        assert self.whole("read_file", path, 3) == line
        assert self.whole("read_file", path | {"start_line": 1, "limit": 1}, 3) == line
        part = {"byte_offset": 100, "byte_limit": 60_000}
        assert self.whole("read_file", path | part, 2) == line[100:60_100]

    def pages_of_an_earlier_result(self) -> None:
        name, lines = data.CALLS[0], data.log().splitlines(True)
        few = self.ask("read_tool_result", result_id=name, lines="1186-1188", **self.here())
        assert Page.of(few).body == "".join(lines[1185:1188]), few
        same = self.ask("read_tool_result", result_id=self.paths[name], lines="1186-1188")
        assert same == few, same
        found = self.ask("read_tool_result", result_id=name, lines="grep:vault-17", **self.here())
        (match,) = Matches.of(found).shown
        assert data.FACT in match.text and match.line == data.FACT_LINE, found
        many = self.ask("read_tool_result", result_id=name, lines="grep:Schritt", **self.here())
        shown = Matches.of(many)
        assert f"; a search of this file with offset={shown.next} shows more" in many, many[:300]
        rest = {"pattern": "Schritt", "path": self.paths[name], "offset": shown.next}
        following = (Matches.of(text) for text in self.texts("grep", rest, matches_change))
        all_of_them = shown.shown + [match for page in following for match in page.shown]
        assert [match.line for match in all_of_them] == list(range(1, data.LINES + 1))
        late = {"result_id": name, "lines": "801-1600"} | self.here()
        assert self.whole("read_tool_result", late, 2) == "".join(lines[800:])

    def asks_for_records(self) -> None:
        ask = partial(self.ask, "lro_extract", file_path=self.paths[data.CALLS[1]])
        mine = [
            record for record in data.records() if record["owner"] == "ada" and record["score"] > 90
        ]
        both = [
            {"field": "owner", "op": "=", "value": "ada"},
            {"field": "score", "op": ">", "value": 90},
        ]
        counted = f"{len(mine)} of {len(data.records())} records match."
        assert ask(where={"all": both}, count=True) == counted and len(mine) > 3
        listed = ask(where={"all": both})
        assert listed.startswith(counted + "\n") and records(listed) == mine, listed
        assert records(ask(query='select(.owner == "ada" and .score > 90)')) == mine
        total = sum(record["score"] for record in data.records())
        assert float(ask(query="map(.score) | add", slurp=True)) == total
        present = ask(ids=["T-7", data.MISSING_ID])
        assert present == f"1 of 2 ids is present. Absent: {data.MISSING_ID}.", present
        groups = ask(group_by="owner")
        assert all(re.search(rf"\b{owner}\b.*\b13[34]\b", groups) for owner in data.OWNERS), groups
        best = ask(sort_by="-score", select=["id"], limit=1)
        assert records(best) == [{"id": "T-399"}] and records_change(best) == ({"offset": 1}, set())

    def pages_of_records_are_all_records(self) -> None:
        every = {"field": "score", "op": ">=", "value": 0}
        for asked in ({"query": "."}, {"where": every}, {"where": every, "limit": 90}):
            arguments = {"file_path": self.paths[data.CALLS[1]]} | asked
            pages = list(self.texts("lro_extract", arguments, records_change))
            whole = [record for text in pages for record in records(text)]
            assert len(pages) > 1 and whole == data.records(), (len(pages), len(whole))

    def every_recipe_answers(self) -> None:
        for recipe in range(1, 11):
            result = self.call(
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
            ("start_line is 0", "read_file", {"absolute_path": log, "start_line": 0}),
            ("offset is", "read_file", {"absolute_path": log, "offset": "ten"}),
            (
                "start_line (from 1) or offset (from 0)",
                "read_file",
                {"absolute_path": log, "start_line": 3, "offset": 2},
            ),
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
            result = self.call(tool, **arguments)
            assert result.failed and "structuredContent" not in result.raw, (
                f"{tool} {arguments}: {result.text[:200]}"
            )
            assert words in result.text and len(result.text) < 600, f"{tool}: {result.text}"
            assert "root:" not in result.text

    def an_unknown_tool_is_an_error_of_the_protocol(self) -> None:
        known = ", ".join(self.settings.prefix + tool for tool in TOOLS)
        # With a prefix the names without it belong to somebody else.
        for name in ("cat", *(TOOLS if self.settings.prefix else ())):
            try:
                result = self.client.call(name, path="/etc/passwd")
            except Answered as error:
                assert error.code == -32602 and f'there is no tool "{name}"' in str(error), error
                assert known in str(error), error
            else:
                raise AssertionError(result)

    def _large_answers(self) -> list[tuple[str, dict[str, Any], Callable[[str], Change | None]]]:
        """Calls whose answers are above any ceiling, and what tells how each goes on."""
        log, rows, _ = (self.paths[name] for name in data.CALLS)
        return [
            ("read_file", {"absolute_path": log}, page_change),
            ("grep", {"pattern": "Schritt", "path": log, "limit": 100_000}, matches_change),
            ("lro_extract", {"file_path": rows, "query": "."}, records_change),
            ("read_tool_result", {"result_id": data.CALLS[0]} | self.here(), page_change),
        ]

    def no_answer_is_above_the_ceiling(self) -> None:
        ceiling = self.settings.ceiling
        for tool, arguments, change in self._large_answers():
            usual = self.ask(tool, **arguments)
            assert ceiling / 2 < self.count(usual) <= ceiling + SLACK, (
                f"{tool}: {self.count(usual)}"
            )
            modest = self.ask(tool, **arguments, max_tokens=500)
            assert 100 < self.count(modest) <= 500 + SLACK, f"{tool}: {self.count(modest)}"
            assert change(usual) and change(modest), f"{tool} does not say how it goes on"

    def an_answer_without_a_ceiling_is_whole(self) -> None:
        lines = data.log().splitlines()
        for max_tokens in (PLENTY, 0):
            texts = {}
            for tool, arguments, change in self._large_answers():
                texts[tool] = self.ask(tool, **arguments, max_tokens=max_tokens)
                assert change(texts[tool]) is None, f"{tool}, {max_tokens}: {texts[tool][:200]}"
            assert texts["read_file"] == texts["read_tool_result"] == data.log()
            matches = Matches.of(texts["grep"]).shown
            assert [(match.line, match.text) for match in matches] == list(enumerate(lines, 1))
            assert records(texts["lro_extract"]) == data.records()

    def calls_at_once_get_their_own_answers(self) -> None:
        path, lines = self.paths[data.CALLS[0]], data.log().splitlines(True)

        def read(line: int) -> bool:
            page = self.ask("read_file", absolute_path=path, start_line=line, limit=1)
            return Page.of(page).body == lines[line - 1]

        with ThreadPoolExecutor(16) as pool:
            assert all(pool.map(read, range(1, data.LINES, 100)))
