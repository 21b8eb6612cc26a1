"""Messages of a framework as chat completions, and back: for frameworks with a format of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ..results import Offloaded

M = TypeVar("M")
Chat = dict[str, Any]
"""A message of chat completions."""


class ChatHistory(Generic[M]):
    """A history of a framework; a message of it is one or several of chat completions, or none."""

    def __init__(self, messages: Sequence[M], chats_of: Callable[[M], Sequence[Chat]]) -> None:
        """`chats_of` gives a message as chat completions; a message without any is always kept."""
        self._parts = [(message, list(chats_of(message))) for message in messages]
        self.chats = [chat for _, chats in self._parts for chat in chats]
        """The history as chat completions, to be posted."""

    def merged(
        self,
        result: Offloaded[Chat],
        edit: Callable[[M, list[Chat | None]], M],
        add: Callable[[Chat], M],
    ) -> list[M]:
        """The framework's messages for the answer of `offload` to `chats`.

        Messages that did not change are the same objects.

        Args:
            result: the answer.
            edit: a message and its chat completions as they came back, None for each that left.
            add: a message of the service, such as a snapshot.
        """
        came: list[Chat | None] = [None] * len(self.chats)
        owners = [at for at, (_, chats) in enumerate(self._parts) for _ in chats]
        added: dict[int, list[M]] = {}
        waiting: list[M] = []
        for chat, origin in zip(result.messages, result.origins, strict=True):
            if origin is None:
                waiting.append(add(chat))
                continue
            came[origin] = chat
            added.setdefault(owners[origin], []).extend(waiting)
            waiting = []
        kept: list[M] = []
        rest = iter(came)
        for at, (message, chats) in enumerate(self._parts):
            kept += added.get(at, [])
            kept += _merged(message, chats, [next(rest) for _ in chats], edit)
        return kept + waiting


def _merged(
    message: M, chats: list[Chat], came: list[Chat | None], edit: Callable[[M, list[Chat | None]], M]
) -> Iterator[M]:
    if all(new is old for new, old in zip(came, chats, strict=True)):
        yield message
    elif any(new is not None for new in came):
        yield edit(message, came)


def content(texts: Iterable[str | None]) -> str | list[Chat]:
    """Content of chat completions for the parts of a message: text, or None for any other part."""
    parts = list(texts)
    if len(parts) < 2 and None not in parts:
        return "".join(text for text in parts if text)
    # The service counts a picture, a sound and a document alike, and looks into none.
    other = {"type": "image_url", "image_url": {"url": "attachment:"}}
    return [other if text is None else {"type": "text", "text": text} for text in parts]


def texts(content: str | list[Chat]) -> list[str | None]:
    """The parts of what `content` made, as they came back."""
    return [content] if isinstance(content, str) else [part.get("text") for part in content]


def arguments_json(arguments: Any) -> str:
    """Arguments of a tool call as models write them."""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=str)


def call(id: str, name: str, arguments: str) -> Chat:
    """A tool call; `arguments` is JSON."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(text: str | None, calls: list[Chat], reasoning: str | None = None) -> Chat:
    """A message of the model."""
    chat: Chat = {"role": "assistant", "content": text or None}
    if reasoning:
        chat["reasoning_content"] = reasoning
    return {**chat, "tool_calls": calls} if calls else chat


def tool_result(call_id: str, content: str | list[Chat]) -> Chat:
    """The result of a tool call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}
