"""Haystack: a `before_llm` hook, and the retrieval tools.

client = Unburden(target_tokens=60_000)
agent = Agent(
    chat_generator=generator, tools=[*my_tools, *reload_tools(client)],
    hooks={"before_llm": [UnburdenHook(client)]},
)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..settings import Settings
from .chat import Chat, ChatHistory, arguments_json, assistant, call, content, texts, tool_result
from .extras import needs
from .retrieval import retrieval_tools

with needs("haystack"):
    from haystack.components.agents.state.state import State
    from haystack.dataclasses import ChatMessage, TextContent, ToolCallResult
    from haystack.tools.tool import Tool

if TYPE_CHECKING:
    from typing_extensions import Unpack


class UnburdenHook:
    """Makes the messages of an agent's state smaller before each model call, for good.

    Messages that did not change stay the very same objects. An agent with this hook cannot be
    saved with `to_dict`: a client has connections.
    """

    allowed_hook_points = ("before_llm",)

    def __init__(self, client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> None:
        """`settings` go before those of the client."""
        self._client = AsyncUnburden.of(client)
        self._settings = settings

    def run(self, state: State) -> None:
        """Haystack calls it."""
        told = ChatHistory[ChatMessage](state.data["messages"], _chats)
        result = self._client.sync.offload(told.chats, **self._asked(state))
        if result.changed:
            state.data["messages"] = told.merged(result, _edited, _added)

    async def run_async(self, state: State) -> None:
        """The same for `run_async` of the agent."""
        told = ChatHistory[ChatMessage](state.data["messages"], _chats)
        result = await self._client.offload(told.chats, **self._asked(state))
        if result.changed:
            state.data["messages"] = told.merged(result, _edited, _added)

    def to_dict(self) -> dict[str, Any]:
        """Raises TypeError."""
        raise TypeError("UnburdenHook has a client and cannot be saved; give it to the loaded agent")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> UnburdenHook:
        """Raises TypeError."""
        raise TypeError("UnburdenHook has a client and cannot be loaded")

    def _asked(self, state: State) -> dict[str, Any]:
        tools = [tool.tool_spec for tool in state.data.get("tools") or () if isinstance(tool, Tool)]
        return {"tools": tools or None, "format": "openai-chat", **self._settings}


def _chats(message: ChatMessage) -> list[Chat]:
    results = message.tool_call_results
    if results:
        return [tool_result(result.origin.id or "", _result(result)) for result in results]
    if message.is_from("assistant"):
        calls = [
            call(made.id or "", made.tool_name, arguments_json(made.arguments)) for made in message.tool_calls
        ]
        thoughts = "\n".join(reasoning.reasoning_text for reasoning in message.reasonings)
        return [assistant("\n".join(message.texts), calls, thoughts)]
    return [{"role": message.role.value, "content": content(_text(part) for part in message._content)}]


def _text(part: Any) -> str | None:
    return part.text if isinstance(part, TextContent) else None


def _result(result: ToolCallResult) -> str | list[Chat]:
    told = result.result
    return told if isinstance(told, str) else content(_text(part) for part in told)


def _edited(message: ChatMessage, came: list[Chat | None]) -> ChatMessage:
    rest = iter(came)
    if message.tool_call_results:
        parts = [
            _edited_result(part, next(rest)) if isinstance(part, ToolCallResult) else part
            for part in message._content
        ]
        return replace(message, _content=[part for part in parts if part is not None])
    chat = next(rest)
    if chat is None or message.is_from("assistant"):
        return message
    return replace(message, _content=_edited_parts(message._content, chat["content"]))


def _edited_result(result: ToolCallResult, chat: Chat | None) -> ToolCallResult | None:
    if chat is None or chat["content"] == _result(result):
        return result if chat else None
    told = result.result
    new: Any = chat["content"] if isinstance(told, str) else _edited_parts(told, chat["content"])
    return replace(result, result=new)


def _edited_parts(parts: Sequence[Any], new: str | list[Chat]) -> list[Any]:
    pairs = zip(parts, texts(new), strict=True)
    return [old if text is None else TextContent(text) for old, text in pairs]


def _added(chat: Chat) -> ChatMessage:
    made = ChatMessage.from_system if chat["role"] == "system" else ChatMessage.from_user
    return made(chat["content"])


def reload_tools(client: Unburden | AsyncUnburden) -> list[Tool]:
    """The tools with which the agent reads back what left, for sync and async runs."""
    return [
        Tool(tool.name, tool.description, tool.schema, tool.run, async_function=tool.arun)
        for tool in retrieval_tools(client)
    ]
