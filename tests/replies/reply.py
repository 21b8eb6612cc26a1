"""Replies of a model, and the lines of them that are true: read from `sets/`.

A set is a folder with an `index.toml` and one text for each reply. The index names the history:
a path under ../shared, or a file of `histories/` here. `first` takes its first messages only,
`ranges` those from one number, counted from 0, to before another. `then` names a history whose
messages follow, `[note]` adds an order to what a tool says.
`part` names the part of the sets that it belongs to: see `main.py`.
"""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared"
HONEST, DISHONEST, MALFORMED = "honest", "dishonest", "malformed"
# Names of formats in ../shared, where the service has another.
_DIALECTS = {"other": "auto", "vercel": "ai-sdk"}


@dataclass(frozen=True)
class History:
    format: str
    messages: list[Any]
    system: Any = None


@dataclass(frozen=True)
class Bad:
    """A line that is not true: `kind` says in which way."""

    kind: str
    line: str


@dataclass(frozen=True)
class Reply:
    name: str
    kind: str
    text: str
    history: History
    bad: tuple[Bad, ...] = ()
    fault: str = ""
    finish_reason: str = "stop"
    part: str = "first"

    @property
    def honest_lines(self) -> list[str]:
        bad = {bad.line for bad in self.bad}
        return [line for line in content(self.text) if line not in bad]


def content(text: str) -> list[str]:
    """The lines that are neither empty nor a tag nor a fence.

    >>> content('<key_knowledge>\\n- a < b\\n\\n</key_knowledge>')
    ['- a < b']
    """
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not _is_tag(line) and not line.startswith("```")]


def _is_tag(line: str) -> bool:
    return line.startswith("<") and line.endswith(">") and " " not in line


def read_all(only: str = "") -> list[Reply]:
    """All replies whose name, SET/REPLY, holds `only`; those without their history are left out."""
    folders = sorted(path.parent for path in (HERE / "sets").glob("*/index.toml"))
    return [reply for folder in folders for reply in _read(folder) if only in reply.name]


def _read(folder: Path) -> Iterator[Reply]:
    index = tomllib.loads((folder / "index.toml").read_text())
    history = _history(index)
    if history is None:
        return
    for entry in index["replies"]:
        yield Reply(
            name=f"{folder.name}/{entry['name']}",
            kind=entry["kind"],
            text=(folder / f"{entry['name']}.txt").read_text(),
            history=history,
            bad=tuple(Bad(**bad) for bad in entry.get("bad", ())),
            fault=entry.get("fault", ""),
            finish_reason=entry.get("finish_reason", "stop"),
            part=index.get("part", "first"),
        )


def _history(index: dict[str, Any]) -> History | None:
    names = [index["history"], *index.get("then", ())]
    paths = [(SHARED if "/" in name else HERE / "histories") / name for name in names]
    if not all(path.exists() for path in paths):
        return None
    held, *following = [json.loads(path.read_bytes()) for path in paths]
    messages = _messages(held)[: index.get("first")]
    if ranges := index.get("ranges"):
        messages = [message for start, end in ranges for message in messages[start:end]]
    for one in following:
        messages += _messages(one)
    if note := index.get("note"):
        _add(messages[note["message"] - 1], note["text"])
    name = held.get("format", "gemini")
    return History(_DIALECTS.get(name, name), messages, held.get("system"))


def _messages(held: dict[str, Any]) -> list[Any]:
    return held.get("messages", held.get("history"))


def _add(message: dict[str, Any], text: str) -> None:
    """Appends to the text of a tool's message."""
    assert message["role"] == "tool", message["role"]
    if isinstance(message["content"], str):
        message["content"] += text
    else:
        message["content"][-1]["text"] += text
