"""The check that the settings of an offload are what the service takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .declared import ACCEPTED, Descriptor, Format, Mode, ReloadTool, Role, Settings

__all__ = ["Descriptor", "Format", "Mode", "ReloadTool", "Role", "Settings", "check_settings"]


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
    accepted = ACCEPTED.get(name)
    if accepted is None:
        raise TypeError(f"{name} is no setting; accepted are {', '.join(ACCEPTED)}")
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
        raise TypeError(f"{name} is {value!r}; accepted is a list of {', '.join(words)}")
    for word in value if many else [value]:
        if word not in words:
            raise ValueError(f"{name} has {word!r}; accepted is {', '.join(words)}")
