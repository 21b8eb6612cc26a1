"""Complaints of a pydantic adapter, in words short enough to compare and to print."""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError


def exhaust(value: Any) -> None:
    """Walks a validated value to its leaves.

    Pydantic checks `Iterable[...]` fields, which both provider libraries use for content
    parts and tool calls, only while they are iterated: without this walk nothing inside
    a content array is ever looked at.
    """
    if isinstance(value, dict):
        for item in value.values():
            exhaust(item)
    elif isinstance(value, (list, tuple)) or (
        isinstance(value, Iterator) and not isinstance(value, (str, bytes))
    ):
        for item in value:
            exhaust(item)


def complaint(error: ValidationError) -> str:
    """The nearest branch of a union: fields that are wrong there, without positions.

    A union error lists every branch. The one meant is the one whose `role` or `type`
    fits and that has the fewest errors.
    """
    branches: dict[Any, list[Any]] = {}
    for item in error.errors(include_url=False, include_input=False):
        first = next((at for at in item["loc"] if not isinstance(at, int)), "")
        branches.setdefault(first, []).append(item)

    def misfit(items: list[Any]) -> tuple[bool, int]:
        wrong_kind = any(
            item["type"] == "literal_error" and item["loc"][-1] in ("role", "type")
            for item in items
        )
        return wrong_kind, len(items)

    nearest = min(branches.values(), key=misfit)
    return "; ".join(
        f"{'.'.join(str(at) for at in item['loc'] if not isinstance(at, int))}: {item['msg']}"
        for item in nearest
    )


def check(adapter: TypeAdapter[Any], value: Any) -> str | None:
    """What is wrong with the value, or None."""
    try:
        exhaust(adapter.validate_python(value))
    except ValidationError as error:
        return complaint(error)
    return None


def check_each(adapter: TypeAdapter[Any], messages: list[Any]) -> list[str]:
    """One complaint a message at most, so that a count of complaints counts messages."""
    found = []
    for message in messages:
        words = check(adapter, message)
        if words is not None:
            kind = message.get("type", message.get("role")) if isinstance(message, dict) else "?"
            found.append(f"{kind}: {words}")
    return found
