"""Calls of the reload tools, as a model makes them, and what it reads of the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .definitions import TOOL_NAMES

MAX_TOKENS = 8000
"""The most tokens of an answer that a model gets at once, unless it asks for less."""

_RULE = "\n\n---\n\n"
"""What stands between a page's header and the page."""

_REQUIRED = {
    "read_file": "absolute_path",
    "grep": "pattern",
    "lro_extract": "file_path",
    "read_tool_result": "result_id",
}


@dataclass(frozen=True)
class ToolCall:
    """A call that can be sent."""

    name: str
    """Of the tool; the agent may have it under another."""
    asked: dict[str, Any]
    """The arguments as the model gave them."""
    body: dict[str, Any]
    """The request: with a ceiling, and the client's own store where the model named none."""


def parse_call(
    name: str,
    arguments: Mapping[str, Any] | str | None,
    store_dir: str,
    names: Sequence[str] | Mapping[str, str],
    max_tokens: int,
) -> ToolCall | str:
    """The call, or the sentence that tells the model what is wrong with it."""
    spelled = names if isinstance(names, Mapping) else {tool: tool for tool in names}
    known = {spelled[tool]: tool for tool in TOOL_NAMES if tool in spelled}
    if name not in known:
        return f"there is no tool {name!r}; accepted is one of {', '.join(known)}"
    name = known[name]
    asked = _arguments(arguments)
    if isinstance(asked, str):
        return asked
    if asked.get(_REQUIRED[name]) is None:
        # The service refuses it, and repeats what it got in the call that it suggests.
        return ToolCall(name, asked, asked)
    return ToolCall(name, asked, _body(name, asked, store_dir, max_tokens))


def answered(call: ToolCall, answer: str, metadata: Mapping[str, Any]) -> str:
    """What the model reads: the answer; the header of a page that was cut says how to go on.

    Below the header stands what the file holds and nothing else: by that the service knows the
    page as read back and keeps no copy of it. Searches and answers about records say themselves
    what was cut.
    """
    header, rule, page = answer.partition(_RULE)
    change = _change(call.asked, metadata)
    if change is None or not rule or not header.startswith("Showing ") or "\n" in header:
        return answer
    return f"{header} More: the same call with {change}.{rule}{page}"


def _arguments(arguments: Mapping[str, Any] | str | None) -> dict[str, Any] | str:
    if arguments is None or arguments == "":
        return {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            return f"the arguments are no JSON: {error}; accepted is an object"
    if not isinstance(arguments, Mapping):
        return f"the arguments are {type(arguments).__name__}; accepted is an object"
    return dict(arguments)


def _body(name: str, asked: dict[str, Any], store_dir: str, max_tokens: int) -> dict[str, Any]:
    body = dict(asked)
    limit = body.get("max_tokens")
    # What is no number goes out as it is: the service says better what it wants.
    if limit is None or (isinstance(limit, int) and limit > max_tokens):
        body["max_tokens"] = max_tokens
    # Without a folder the service would look into the stores of every chat.
    if name == "grep" and body.get("path") is None:
        body["path"] = store_dir
    if name == "read_tool_result" and body.get("store_dir") is None:
        body["store_dir"] = store_dir
    return body


def _change(asked: Mapping[str, Any], metadata: Mapping[str, Any]) -> str | None:
    """What changes in the call that goes on; None where nothing was cut."""
    if metadata.get("truncated") is not True:
        return None
    without_offset = "" if asked.get("offset") is None else " and without offset"
    if metadata.get("next_lines") is not None:
        return f"lines={metadata['next_lines']}"
    if metadata.get("next_start_line") is not None:
        return f"start_line={metadata['next_start_line']}{without_offset}"
    # A page in bytes, or one that ends inside a line, goes on in bytes.
    byte = metadata.get("next_byte_offset")
    return None if byte is None else f"byte_offset={byte}"
