"""The definitions of the reload tools, as the providers take them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, cast

ToolFormat = Literal["openai", "openai-responses", "anthropic", "gemini", "mcp"]

_Tool = dict[str, Any]


@cache
def _tools() -> tuple[_Tool, ...]:
    text = files("unburden").joinpath("tools.json").read_text("utf-8")
    return tuple(json.loads(text))


TOOL_NAMES: Final = ("read_file", "grep", "lro_extract", "read_tool_result")
"""The reload tools, in the order of their definitions."""


def plain_tools(names: Iterable[str] | Mapping[str, str] | None = None) -> list[_Tool]:
    """The definitions as their source has them: name, title, description, annotations, input_schema.

    Args:
        names: only these, or only these under the names that an object gives; other tools are passed
            over. None: all four.
    """
    wanted = TOOL_NAMES if names is None else frozenset(names)
    tools = [copy.deepcopy(tool) for tool in _tools() if tool["name"] in wanted]
    return [_renamed(tool, names) for tool in tools] if isinstance(names, Mapping) else tools


def _renamed(tool: _Tool, names: Mapping[str, str]) -> _Tool:
    # A description may name another of the tools.
    words = re.compile(rf"\b(?:{'|'.join(TOOL_NAMES)})\b")
    text = words.sub(lambda found: names.get(found[0], found[0]), tool["description"])
    return {**tool, "name": names[tool["name"]], "description": text}


def tool_definitions(
    format: ToolFormat, names: Iterable[str] | Mapping[str, str] | None = None
) -> list[_Tool]:
    """The definitions for a request to a provider. They are part of this package: no service is asked.

    Args:
        format: `openai` (chat completions), `openai-responses`, `anthropic`, `gemini` (one element,
            with `functionDeclarations`), or `mcp`.
        names: only these tools, or only these under the names that an object gives.

    Raises:
        ValueError: another `format`.
    """
    if format == "gemini":
        return [{"functionDeclarations": [_gemini(tool) for tool in plain_tools(names)]}]
    shape = _SHAPES.get(format)
    if shape is None:
        raise ValueError(f"format is {format!r}; accepted is {', '.join([*_SHAPES, 'gemini'])}")
    return [shape(tool) for tool in plain_tools(names)]


def _openai(tool: _Tool) -> _Tool:
    return {
        "type": "function",
        "function": {
            "name": tool["name"],
            "description": tool["description"],
            "parameters": tool["input_schema"],
        },
    }


def _openai_responses(tool: _Tool) -> _Tool:
    # Strict is the default of this API, and asks for schemas in which every field is required.
    return {"type": "function", "strict": False, **cast(_Tool, _openai(tool)["function"])}


def _anthropic(tool: _Tool) -> _Tool:
    return {key: tool[key] for key in ("name", "description", "input_schema")}


def _gemini(tool: _Tool) -> _Tool:
    # Its own `parameters` know neither objects without properties nor lists of types.
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parametersJsonSchema": tool["input_schema"],
    }


def _mcp(tool: _Tool) -> _Tool:
    kept = {key: tool[key] for key in ("name", "title", "description", "annotations")}
    return {**kept, "inputSchema": tool["input_schema"]}


_SHAPES: Final[dict[str, Callable[[_Tool], _Tool]]] = {
    "openai": _openai,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "mcp": _mcp,
}
