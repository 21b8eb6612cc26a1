"""Microsoft Agent Framework: a `compaction_strategy`, and the retrieval tools.

client = Unburden(target_tokens=60_000)
agent = Agent(
    chat_client, "…", tools=[*my_tools, *reload_tools(client)],
    compaction_strategy=UnburdenCompaction(client),
)
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, TypeVar

from ..aio import AsyncUnburden
from ..client import Unburden
from ..settings import Settings
from .chat import Chat, ChatHistory, arguments_json, assistant, call, content, texts, tool_result
from .extras import needs
from .retrieval import retrieval_tools

with needs("agent-framework"):
    from agent_framework import Content, FunctionTool, Message

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T", Message, Content)


class UnburdenCompaction:
    """Makes the messages of a run smaller before each model call, for good.

    Messages that did not change stay the very same objects; one that did becomes another, so
    that a history provider keeps the original.
    """

    def __init__(self, client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> None:
        """`settings` go before those of the client."""
        self._client = AsyncUnburden.of(client)
        self._settings = settings

    async def __call__(self, messages: list[Message]) -> bool:
        """Whether a message changed; the framework calls it."""
        told = ChatHistory(messages, _chats)
        asked: dict[str, Any] = {"format": "openai-chat", **self._settings}
        result = await self._client.offload(told.chats, **asked)
        if result.changed:
            messages[:] = told.merged(result, _edited, _added)
        return result.changed


def _chats(message: Message) -> list[Chat]:
    results = [part for part in message.contents if part.type == "function_result"]
    if results:
        return [tool_result(part.call_id or "", _result(part)) for part in results]
    if message.role == "assistant":
        said = [part.text or "" for part in message.contents if part.type == "text"]
        thoughts = [part.text or "" for part in message.contents if part.type == "text_reasoning"]
        calls = [
            call(part.call_id or "", part.name or "", _arguments(part.arguments))
            for part in message.contents
            if part.type == "function_call"
        ]
        return [assistant("\n".join(said), calls, "\n".join(thoughts))]
    parts = (part.text if part.type == "text" else None for part in message.contents)
    return [{"role": message.role, "content": content(parts)}]


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else arguments_json(given or {})


def _result(part: Content) -> str | list[Chat]:
    if part.items:
        return content(item.text if item.type == "text" else None for item in part.items)
    return part.result if isinstance(part.result, str) else json.dumps(part.result, default=str)


def _edited(message: Message, came: list[Chat | None]) -> Message:
    rest = iter(came)
    if message.role == "assistant":
        return message
    parts = list(message.contents)
    if any(part.type == "function_result" for part in parts):
        made = [
            part if part.type != "function_result" else _edited_result(part, next(rest)) for part in parts
        ]
        return _with(message, contents=[part for part in made if part is not None])
    chat = next(rest)
    pairs = zip(parts, texts(chat["content"]) if chat else [None] * len(parts), strict=True)
    return _with(message, contents=[old if text is None else _with(old, text=text) for old, text in pairs])


def _edited_result(part: Content, chat: Chat | None) -> Content | None:
    if chat is None or chat["content"] == _result(part):
        return part if chat else None
    if not part.items:
        return _with(part, result=chat["content"])
    pairs = zip(part.items, texts(chat["content"]), strict=True)
    items = [old if text is None else _with(old, text=text) for old, text in pairs]
    # Clients of providers send the items, or else their texts in one.
    told = "\n".join(item.text or "" for item in items if item.type == "text")
    return _with(part, items=items, result=told)


def _with(given: T, **members: Any) -> T:
    made = copy.copy(given)
    for name, value in members.items():
        setattr(made, name, value)
    return made


def _added(chat: Chat) -> Message:
    return Message(chat["role"], [chat["content"]])


def reload_tools(client: Unburden | AsyncUnburden) -> list[FunctionTool]:
    """The tools with which the agent reads back what left."""
    return [
        FunctionTool(name=tool.name, description=tool.description, func=tool.arun, input_model=tool.schema)
        for tool in retrieval_tools(client)
    ]
