"""anthropic: the request types of the `anthropic` package."""

from collections.abc import Iterable
from typing import Any

from anthropic.types import MessageParam, TextBlockParam
from pydantic import TypeAdapter

from .typed import check, check_each

_MESSAGE: TypeAdapter[Any] = TypeAdapter(MessageParam)
_SYSTEM: TypeAdapter[Any] = TypeAdapter(str | Iterable[TextBlockParam])


def _has_system_role(messages: list[Any]) -> bool:
    return any(isinstance(m, dict) and m.get("role") == "system" for m in messages)


def complaints(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
    found = check_each(_MESSAGE, messages)
    if system is not None:
        words = check(_SYSTEM, system)
        found += [f"system: {words}"] if words else []
    # The types know a system role, most models do not: nobody gets one who sent none.
    if _has_system_role(messages) and not _has_system_role(before):
        found.append("system: a message of role system where there was none")
    return found
