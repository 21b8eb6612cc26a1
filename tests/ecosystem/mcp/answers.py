"""The answers of the retrieval tools, read as an agent reads them: by their text alone."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from client import Result

RULE = "\n\n---\n\n"
_SHOWN = re.compile(r"Showing (lines|bytes) (\d+)-(\d+) of (\d+) total \1")
_MORE = re.compile(
    r" More: the same call with (start_line|byte_offset|lines)=((\d+)(?:-\d+)?)"
    r"(?: and (limit|byte_limit)=(\d+))?(?: and without (\w+(?: and \w+)*))?\.$"
)
_FOUND = re.compile(
    r"Found (at least )?(\d+) match(?:es)?(?:, (\d+)-(\d+) shown)?"
    r'(?: \([^()]*?(?:offset=(\d+) shows more)?\))?,? for pattern "'
)
_HIT = re.compile(r"L(\d+): (.*)")
_LEFT = re.compile(r"\[(\d+) of (\d+) shown; offset=(\d+) for more\]")
_NAMED = re.compile(r"([\w-]+)\((.*)\); ref \d{15}\]$")
_MOST_PAGES = 200

# The difference of the next call: new arguments, and those that it does without.
Change = tuple[dict[str, Any], set[str]]


def told(result: Result) -> str:
    """The text of a call that did not fail. Hosts show a model structured content instead."""
    assert not result.failed, result.text
    assert "structuredContent" not in result.raw, list(result.raw)
    return result.text


@dataclass(frozen=True)
class Page:
    """A page of a file: its own text, and the header above it, "" where the file ends with it."""

    header: str
    body: str

    @staticmethod
    def of(text: str) -> "Page":
        header, rule, body = text.partition(RULE)
        is_page = rule and header.startswith("Showing ") and "\n" not in header
        return Page(header, body) if is_page else Page("", text)

    @property
    def range(self) -> tuple[int, int, int]:
        """The first and the last line or byte and the number of them, all from 1."""
        shown = _SHOWN.match(self.header)
        assert shown, self.header
        first, last, total = map(int, shown.groups()[1:])
        from_one = int(shown[1] == "bytes")
        return first + from_one, last + from_one, total

    def change(self) -> Change | None:
        """The next call, as the header says it; None where all that was asked for is here."""
        more = _MORE.search(self.header)
        assert more or "More" not in self.header, self.header
        if not more:
            return None
        _, last, total = self.range
        assert last < total, self.header
        # Bytes count from 0, so the one after the last has the number of the last.
        assert int(more[3]) == last + int(more[1] != "byte_offset"), self.header
        value = more[2] if more[1] == "lines" else int(more[2])
        length = {more[4]: int(more[5])} if more[4] else {}
        return {more[1]: value} | length, set(more[6].split(" and ") if more[6] else ())


@dataclass(frozen=True)
class Match:
    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Matches:
    """The first line of grep's answer: of `total` matches it shows `shown`, `next` is the offset."""

    total: int
    exact: bool
    shown: list[Match]
    next: int | None

    @staticmethod
    def of(text: str) -> "Matches":
        if text.startswith("No matches found for pattern "):
            return Matches(0, " so far " not in text, [], None)
        heading, *lines = text.split("\n")
        found = _FOUND.match(heading)
        assert found and lines[0] == lines[-1] == "---", text[:400]
        shown, file = [], ""
        for line in lines:
            file = line.removeprefix("File: ") if line.startswith("File: ") else file
            if hit := _HIT.fullmatch(line):
                shown.append(Match(file, int(hit[1]), hit[2]))
        total, following = int(found[2]), found[5] and int(found[5])
        if found[3]:
            first, last = int(found[3]), int(found[4])
            assert len(shown) == last - first + 1 < total, heading
            assert following == (last if last < total else None), heading
        else:
            assert len(shown) == total and following is None, heading
        return Matches(total, found[1] is None, shown, following)

    def change(self) -> Change | None:
        return None if self.next is None else ({"offset": self.next}, set())


def records(text: str) -> list[Any]:
    """The records in an answer, without the lines that are said about them."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def page_change(text: str) -> Change | None:
    return Page.of(text).change()


def matches_change(text: str) -> Change | None:
    return Matches.of(text).change()


def records_change(text: str) -> Change | None:
    left = _LEFT.fullmatch(text.splitlines()[-1])
    assert left or "for more" not in text, text[-200:]
    return ({"offset": int(left[3])}, set()) if left else None


def follow(
    call: Callable[..., Result], arguments: dict[str, Any], change: Callable[[str], Change | None]
) -> Iterator[str]:
    """The texts of a call and of all that follow it, each made as the text before says."""
    for _ in range(_MOST_PAGES):
        text = told(call(**arguments))
        yield text
        following = change(text)
        if following is None:
            return
        new, without = following
        assert without <= arguments.keys(), f"{without} was not given"
        arguments = {name: arguments[name] for name in arguments if name not in without} | new
    raise AssertionError(f"more than {_MOST_PAGES} pages")


class _JsonWords(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Constant:
        return ast.Constant({"true": True, "false": False, "null": None}[node.id])


def named_call(replaced: str) -> tuple[str, dict[str, Any]]:
    """The call that stands above a reference: the name of the tool, and the arguments."""
    note = replaced.splitlines()[-2]
    named = _NAMED.search(note)
    assert named, note
    written = ast.parse(f"call({named[2]})", mode="eval").body
    assert isinstance(written, ast.Call) and not written.args, note
    words = _JsonWords()
    return named[1], {
        str(given.arg): ast.literal_eval(words.visit(given.value)) for given in written.keywords
    }


def lines_left_out(replaced: str) -> tuple[int, int, int]:
    """The first and the last line that a reference says were left out, and the number of all."""
    note = re.search(r"\[(\d+) lines, .*; L(\d+)-L(\d+) left out: ", replaced)
    assert note, replaced
    return int(note[2]), int(note[3]), int(note[1])
