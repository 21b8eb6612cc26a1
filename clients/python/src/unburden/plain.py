"""Messages as plain JSON values: agents keep the objects of their SDK in a history."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Callable, Mapping
from typing import Any

from .errors import Unavailable

ACCEPTED = "a dict, a pydantic model, a dataclass, or an object with to_dict()"
"""What a message, or a part of one, may be."""

_DEEPEST = 64


def plain_list(values: list[Any], name: str) -> list[Any]:
    """The values as JSON values; those that are, are the same objects.

    Args:
        values: such as the messages of a history.
        name: of the argument, for errors.

    Raises:
        Unavailable: one cannot be converted; code `body_not_json`, with its index and type.
    """
    return [_plain(value, f"{name}[{index}]", 0) for index, value in enumerate(values)]


def plain(value: Any, name: str) -> Any:
    """The same for one value."""
    return _plain(value, name, 0)


def _plain(value: Any, place: str, depth: int) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if depth == _DEEPEST:
        raise _refused(f"{place} is nested more than {_DEEPEST} deep, or holds itself")
    if isinstance(value, enum.Enum):
        return _plain(value.value, place, depth + 1)
    if isinstance(value, (list, tuple)):
        made = [_plain(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]
        return value if _same(value, made) else made
    members = value if isinstance(value, Mapping) else _members(value, place)
    for key in members:
        if not isinstance(key, str):
            raise _refused(f"{place} has a key that is {type(key).__name__}; accepted is a string")
    items = {key: _plain(item, f"{place}.{key}", depth + 1) for key, item in members.items()}
    unchanged = isinstance(value, dict) and _same(list(value.values()), list(items.values()))
    return value if unchanged else items


def _same(old: Any, new: list[Any]) -> bool:
    return isinstance(old, list) and all(a is b for a, b in zip(old, new, strict=True))


def _members(value: Any, place: str) -> Mapping[str, Any]:
    """The members of an object, as its SDK sends it back to its provider."""
    for dump in (_by_itself, _by_pydantic, _by_old_pydantic, _by_dataclass):
        try:
            members = dump(value)
        except Exception as error:
            raise _refused(f"{place} is {_kind(value)}, which cannot be dumped: {error!r}") from error
        if isinstance(members, Mapping):
            return members
    raise _refused(f"{place} is {_kind(value)}; accepted is {ACCEPTED}")


def _by_itself(value: Any) -> Any:
    # A class is no message, and a stand-in of a test has every attribute.
    own = None if isinstance(value, type) else getattr(type(value), "to_dict", None)
    return value.to_dict() if callable(own) else None


def _by_pydantic(value: Any) -> Any:
    dump: Callable[..., Any] | None = getattr(value, "model_dump", None)
    if isinstance(value, type) or not hasattr(type(value), "model_fields") or dump is None:
        return None
    # What was set, None too; and defaults that say something, such as a part's type.
    given = dump(mode="json", by_alias=True, exclude_unset=True)
    return _joined(given, dump(mode="json", by_alias=True, exclude_none=True))


def _by_old_pydantic(value: Any) -> Any:
    dump = getattr(value, "json", None)
    if isinstance(value, type) or not hasattr(type(value), "__fields__") or dump is None:
        return None
    given = json.loads(dump(by_alias=True, exclude_unset=True))
    return _joined(given, json.loads(dump(by_alias=True, exclude_none=True)))


def _by_dataclass(value: Any) -> Any:
    if isinstance(value, type) or not dataclasses.is_dataclass(value):
        return None
    fields = [(field, getattr(value, field.name)) for field in dataclasses.fields(value)]
    # A field that nobody set says nothing.
    return {field.name: item for field, item in fields if item is not None or field.default is not None}


def _joined(given: Any, more: Any) -> Any:
    if isinstance(given, dict) and isinstance(more, dict):
        joined = {key: _joined(item, more[key]) if key in more else item for key, item in given.items()}
        return {**joined, **{key: item for key, item in more.items() if key not in given}}
    if isinstance(given, list) and isinstance(more, list) and len(given) == len(more):
        return [_joined(a, b) for a, b in zip(given, more, strict=True)]
    return given


def _kind(value: Any) -> str:
    return f"a {type(value).__module__}.{type(value).__qualname__}"


def _refused(message: str) -> Unavailable:
    return Unavailable(message, code="body_not_json")
