"""The check that the settings of an offload are what the service takes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from . import declared
from .declared import ACCEPTED, Descriptor, Format, Mode, ReloadTool, Role

__all__ = [
    "Descriptor",
    "Format",
    "Mode",
    "ReloadTool",
    "ReloadTools",
    "Role",
    "Settings",
    "check_settings",
]

ReloadTools = list[ReloadTool] | dict[ReloadTool, str]
"""The retrieval tools that an agent has, or its name for each."""

TOOL_NAME = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")
"""A name that an agent may have for a tool."""
NAME_ACCEPTED = "letters, digits, _ - . : /, at most 128"

if TYPE_CHECKING:

    class Settings(declared.Settings, total=False):
        """Settings of `/context_offload`, for a client or for one call."""

        reload_tools: ReloadTools  # type: ignore[misc]
        """The retrieval tools that the agent has, or its name for each; references name only those.
        Default: the four that this client has."""
else:
    Settings = declared.Settings


def check_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without those that are None.

    Raises:
        TypeError: a name that is no setting, or a value of the wrong type.
        ValueError: a value out of range. Both are mistakes in the caller's code, and said where
            they are made: at the service they would only switch offloading off.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    for name, value in given.items():
        _check(name, value)
    return given


def _check(name: str, value: Any) -> None:
    if name == "reload_tools" and isinstance(value, Mapping):
        return _check_names(value)
    accepted = ACCEPTED.get(name)
    if accepted is None:
        near = difflib.get_close_matches(name, ACCEPTED, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise TypeError(f"{name} is no setting; {hint}accepted are {', '.join(ACCEPTED)}")
    if isinstance(accepted, int):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} is {value!r}; accepted is a whole number from {accepted} on")
        if value < accepted:
            raise ValueError(f"{name} is {value!r}; accepted is a whole number from {accepted} on")
    elif accepted is float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} is {value!r}; accepted is a number from 0 to 1")
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {value!r}; accepted is a number from 0 to 1")
    elif accepted is bool:
        if not isinstance(value, bool):
            raise TypeError(f"{name} is {value!r}; accepted is True or False")
    elif accepted is str:
        if not isinstance(value, str):
            raise TypeError(f"{name} is {value!r}; accepted is a string")
        if not value.strip():
            raise ValueError(f"{name} is blank; accepted is a string that is not")
    elif isinstance(accepted, (tuple, list)):
        _check_words(name, value, accepted)


def _check_words(name: str, value: Any, words: Sequence[str]) -> None:
    many = isinstance(words, list)
    if many and not isinstance(value, (list, tuple)):
        more = ", or an object with a name for each" if name == "reload_tools" else ""
        raise TypeError(f"{name} is {value!r}; accepted is a list of {', '.join(words)}{more}")
    for word in value if many else [value]:
        if word not in words:
            raise ValueError(f"{name} has {word!r}; accepted is {', '.join(words)}")


def _check_names(names: Mapping[Any, Any]) -> None:
    _check_words("reload_tools", list(names), [*get_args(ReloadTool)])
    for tool, name in names.items():
        if not isinstance(name, str):
            raise TypeError(f"reload_tools has {name!r} for {tool}; accepted is a string")
        if not TOOL_NAME.fullmatch(name):
            raise ValueError(f"reload_tools has {name!r} for {tool}; accepted are {NAME_ACCEPTED}")
    if len(set(names.values())) < len(names):
        raise ValueError("reload_tools has one name for two tools")
