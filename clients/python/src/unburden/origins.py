"""Which message of an answer was which message of the request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

# What names a message's kind and its calls in the eight formats. The service changes none of it.
_NAMES = frozenset(
    "role type kind id call_id callId tool_call_id tool_use_id toolUseId toolCallId toolName name".split()
)
# Results, whose inside is replaced as a whole.
_RESULTS = frozenset({"response", "output", "json"})
_SPEAKERS_OF_SNAPSHOTS = frozenset({"system", "developer"})
_REFERENCE = "result is stored in "
_SNAPSHOT = "<state_snapshot>"


def spelled(message: Any) -> str:
    """The message's JSON: equal texts are equal messages, also where Python's `==` is more generous
    (True and 1)."""
    return json.dumps(message, ensure_ascii=True, separators=(",", ":"), default=str)


def trace(sent: Sequence[Any], received: Sequence[Any], compressed: bool) -> list[int | None]:
    """For each received message the index of the sent one that it is; None for an added one.

    Args:
        sent: the messages of the request, as JSON values.
        received: those of the answer.
        compressed: whether snapshots took the place of messages. If not, nothing left and the
            order says it all.
    """
    if not compressed and len(sent) == len(received):
        return list(range(len(sent)))
    left = [spelled(message) for message in sent]
    origins: list[int | None] = [None] * len(received)
    free = len(sent)
    # From the end, since what is newest stays: an older message of the same words is the one that left.
    for at in range(len(received) - 1, -1, -1):
        found = _last(sent, left, free, received[at])
        if found is not None:
            origins[at] = free = found
    return origins


def _last(sent: Sequence[Any], left: list[str], free: int, message: Any) -> int | None:
    text, shape = spelled(message), _shape(message)
    alike = _may_have_changed(message, text)
    for index in range(free - 1, -1, -1):
        if left[index] == text or (alike and _shape(sent[index]) == shape):
            return index
    return None


def _may_have_changed(message: Any, text: str) -> bool:
    # A new snapshot is spoken by a user in some formats, and looks like any other user's message.
    return _role(message) in _SPEAKERS_OF_SNAPSHOTS or (_REFERENCE in text and _SNAPSHOT not in text)


def _role(message: Any) -> Any:
    return message.get("role") or message.get("type") if isinstance(message, dict) else None


def _shape(value: Any) -> list[tuple[str, str]]:
    names: list[tuple[str, str]] = []
    _collect(value, names)
    return names


def _collect(value: Any, names: list[tuple[str, str]]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _NAMES and isinstance(item, str):
                names.append((key, item))
            elif key not in _RESULTS:
                _collect(item, names)
    elif isinstance(value, list):
        for item in value:
            _collect(item, names)
