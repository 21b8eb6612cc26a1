"""Names of the retrieval tools: those the agent has them under, and those it uses for its own tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .definitions import TOOL_NAMES, plain_tools
from .settings import NAME_ACCEPTED, TOOL_NAME


def named(tools: Iterable[str] | Mapping[str, str], prefix: str) -> list[str] | dict[str, str]:
    """The request field `reload_tools`: the tools as a list, or with the agent's name for each.

    Args:
        tools: a list of tools, or an object with the agent's name for each.
        prefix: of every retrieval tool's name; a shell keeps its own.

    Raises:
        ValueError: a prefix for tools that have names already, or one that no name can have.
    """
    if isinstance(tools, Mapping):
        if prefix:
            raise ValueError("prefix is for a list of reload_tools; an object has the whole names")
        return dict(tools)
    if not prefix:
        return list(tools)
    if not TOOL_NAME.fullmatch(f"{prefix}read_tool_result"):
        raise ValueError(f"prefix is {prefix!r}; accepted are {NAME_ACCEPTED}")
    return {tool: f"{prefix}{tool}" if tool in TOOL_NAMES else tool for tool in tools}


def collisions(tools: Any, reload_tools: Sequence[str] | Mapping[str, str]) -> list[str]:
    """The names that both a retrieval tool and a tool of the agent's own have.

    A framework that keeps its tools by name may have dropped one of the two already. The
    retrieval tools stand together in a list of tools; one that stands elsewhere took the place of
    another tool. An agent without any retrieval tool reads the files with tools of its own.

    Args:
        tools: the tool definitions of a request, in any provider's format.
        reload_tools: the retrieval tools that the agent should have.
    """
    ours = {tool["name"]: _words(tool["description"]) for tool in plain_tools(reload_tools)}
    found = list(_definitions(tools))
    names = [name for name, _ in found]
    places = [at for at, (name, text) in enumerate(found) if name in ours and _words(text) == ours[name]]
    if not places:
        return []
    others = {name for at, (name, _) in enumerate(found) if name in ours and at not in places}
    # A list in the order of the alphabet says nothing of who came first.
    if names != sorted(names):
        others |= {names[at] for at in places if at not in _longest_run(places)}
    return [name for name in ours if name in others]


def _longest_run(places: list[int]) -> list[int]:
    runs: list[list[int]] = []
    for at in places:
        if runs and runs[-1][-1] + 1 == at:
            runs[-1].append(at)
        else:
            runs.append([at])
    return max(reversed(runs), key=len)


def _words(text: Any) -> str:
    # Frameworks wrap and strip descriptions.
    return " ".join(str(text or "").split())[:60]


def _definitions(tools: Any) -> Iterator[tuple[str, Any]]:
    """Name and description of each definition, wherever a format has them."""
    if isinstance(tools, Mapping):
        if isinstance(tools.get("name"), str):
            yield tools["name"], tools.get("description")
            return
        for key in ("function", "functionDeclarations", "function_declarations", "toolSpec", "tools"):
            yield from _definitions(tools.get(key))
    elif isinstance(tools, (list, tuple)):
        for tool in tools:
            yield from _definitions(tool)
