"""What became of a reply: which of its lines the snapshot holds."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endpoint import Endpoint
from reply import Bad, Reply, content

_SNAPSHOT = re.compile(r"<state_snapshot>\n.*?</state_snapshot>", re.DOTALL)
# Sections that the service writes, not the model.
_SERVICE = re.compile(r"<(user_directives|offloaded_files)>.*?</\1>", re.DOTALL)
_MARK = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
_STATUS = re.compile(r"^\[[\w ]{1,14}\]\s*")
_CITATION = re.compile(r"\s*\[#\d+(?:\s*[,–-]\s*#?\d+)*\]")
_NAME = re.compile(r"[\w./-]*[\d_./-][\w./-]*\w|\b[A-Z]\w{2,}")
_QUOTES = re.compile("[`\"'“”„‘’「」]|\\*\\*")


@dataclass(frozen=True)
class Outcome:
    reply: Reply
    source: str
    rejected: list[Any]
    calls: int
    snapshot: str

    @property
    def used(self) -> bool:
        return self.source == "llm"

    @property
    def accepted_at_once(self) -> bool:
        return self.used and self.calls == 1

    @property
    def kept(self) -> list[str]:
        there = self._lines()
        return [line for line in self.reply.honest_lines if bare(line) in there]

    @property
    def lost(self) -> list[str]:
        there = self._lines()
        return [line for line in self.reply.honest_lines if bare(line) not in there]

    @property
    def names(self) -> list[bool]:
        """Whether the snapshot has each name and number of the honest lines, wherever it stands."""
        there = _unescaped(self.snapshot).lower()
        names = [name for line in self.reply.honest_lines for name in _NAME.findall(bare(line))]
        return [name.lower() in there for name in names]

    @property
    def left(self) -> list[Bad]:
        """The bad lines that still stand as they were; one that was changed is mended."""
        there = self._lines()
        return [bad for bad in self.reply.bad if bare(bad.line) in there]

    def _lines(self) -> set[str]:
        return {bare(line) for line in content(_SERVICE.sub("", self.snapshot))}


def bare(line: str) -> str:
    """A line without list mark, status, citations, quotes and extra white space.

    >>> bare('2. [open] Run `make  all` again. [#12, #14]')
    'Run make all again.'
    >>> bare('- [#3] is a citation')
    'is a citation'
    """
    line = _CITATION.sub("", _unescaped(line.strip()))
    line = _STATUS.sub("", _MARK.sub("", line.strip()))
    return " ".join(_QUOTES.sub("", line).split())


def _unescaped(line: str) -> str:
    return line.replace("&lt;", "<").replace("&gt;", ">").replace("&#40;", "(")


def judge(service: Any, endpoint: Endpoint, store: Path, reply: Reply) -> Outcome:
    """Posts the history of a reply to a store of its own, with the reply as the model's."""
    endpoint.say(reply.text, reply.finish_reason)
    body = {
        "messages": reply.history.messages,
        "format": reply.history.format,
        "context_manage_mode": "compress",
        "max_total_tokens": 1,
        "store_dir": str(store / reply.name.replace("/", "-")),
        "include_files": False,
    }
    if reply.history.system is not None:
        body["system"] = reply.history.system
    status, answer = service.post("/context_offload", body)
    assert status == 200, (reply.name, status, answer["answer"])
    snapshot = answer["metadata"]["report"].get("snapshot")
    assert snapshot and len(endpoint.asked) > 0, (reply.name, answer["metadata"]["report"])
    texts = [text for text in _strings(answer) if "<overall_goal>" in text]
    found = [match for text in texts for match in _SNAPSHOT.findall(text)]
    written = next((one for one in found if "<overall_goal>\n" in one), "")
    rejected = list(snapshot["rejected"])
    return Outcome(reply, snapshot["source"], rejected, len(endpoint.asked), written)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def shown(rejected: list[Any]) -> list[str]:
    return [text if isinstance(text, str) else json.dumps(text) for text in rejected]
