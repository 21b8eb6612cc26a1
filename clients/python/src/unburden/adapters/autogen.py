"""AutoGen: a model context, and the retrieval tools.

client = Unburden(target_tokens=60_000)
agent = AssistantAgent(
    "keeper", model_client, tools=[*my_tools, *reload_tools(client)],
    model_context=UnburdenChatCompletionContext(client),
)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..definitions import plain_tools
from ..settings import Settings
from .chat import Chat, ChatHistory, assistant, call, content, texts, tool_result
from .extras import needs

with needs("autogen"):
    from autogen_core import CancellationToken
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import (
        AssistantMessage,
        FunctionExecutionResultMessage,
        LLMMessage,
        SystemMessage,
        UserMessage,
    )
    from autogen_core.tools import BaseTool, ParametersSchema, ToolSchema
    from pydantic import BaseModel

    from .arguments import arguments_model

if TYPE_CHECKING:
    from typing_extensions import Unpack


class UnburdenChatCompletionContext(ChatCompletionContext):
    """A context whose messages are made smaller before each model call, for good.

    The state that an agent saves has the smaller history. Messages that did not change stay the
    very same objects. A context of its own for each agent.
    """

    component_provider_override = "unburden.adapters.autogen.UnburdenChatCompletionContext"

    def __init__(
        self,
        client: Unburden | AsyncUnburden,
        initial_messages: list[LLMMessage] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        """`settings` go before those of the client."""
        super().__init__(initial_messages)
        self._client = AsyncUnburden.of(client)
        self._settings = settings

    async def get_messages(self) -> list[LLMMessage]:
        """The messages for the next model call."""
        told = ChatHistory(self._messages, _chats)
        asked: dict[str, Any] = {"format": "openai-chat", **self._settings}
        result = await self._client.offload(told.chats, **asked)
        if result.changed:
            self._messages = told.merged(result, _edited, _added)
        return list(self._messages)


def _chats(message: LLMMessage) -> list[Chat]:
    if isinstance(message, SystemMessage):
        return [{"role": "system", "content": message.content}]
    if isinstance(message, UserMessage):
        given = message.content
        parts = [given] if isinstance(given, str) else [p if isinstance(p, str) else None for p in given]
        return [{"role": "user", "content": content(parts)}]
    if isinstance(message, AssistantMessage):
        if isinstance(message.content, str):
            return [assistant(message.content, [], message.thought)]
        calls = [call(made.id, made.name, made.arguments) for made in message.content]
        return [assistant(message.thought, calls)]
    return [tool_result(result.call_id, result.content) for result in message.content]


def _edited(message: LLMMessage, came: list[Chat | None]) -> LLMMessage:
    if isinstance(message, FunctionExecutionResultMessage):
        pairs = zip(message.content, came, strict=True)
        kept = [
            old.model_copy(update={"content": chat["content"]}) for old, chat in pairs if chat is not None
        ]
        return message.model_copy(update={"content": kept})
    if isinstance(message, SystemMessage) and came[0] is not None:
        return message.model_copy(update={"content": came[0]["content"]})
    if isinstance(message, UserMessage) and came[0] is not None:
        given = message.content
        if isinstance(given, str):
            return message.model_copy(update={"content": came[0]["content"]})
        pairs_of_parts = zip(given, texts(came[0]["content"]), strict=True)
        return message.model_copy(
            update={"content": [old if text is None else text for old, text in pairs_of_parts]}
        )
    return message


def _added(chat: Chat) -> LLMMessage:
    if chat["role"] == "system":
        return SystemMessage(content=chat["content"])
    return UserMessage(content=chat["content"], source="user")


class ReloadTool(BaseTool[BaseModel, Any]):
    """One of the tools with which the agent reads back what left."""

    component_provider_override = "unburden.adapters.autogen.ReloadTool"

    def __init__(self, client: AsyncUnburden, tool: dict[str, Any]) -> None:
        """`tool` is a definition of `unburden.definitions.plain_tools`."""
        self._client = client
        self._parameters: ParametersSchema = tool["input_schema"]
        model = arguments_model(tool["name"], tool["input_schema"])
        super().__init__(model, str, tool["name"], tool["description"])

    @property
    def schema(self) -> ToolSchema:
        """The definition for a model."""
        return ToolSchema(name=self.name, description=self.description, parameters=self._parameters)

    async def run(self, args: BaseModel, cancellation_token: CancellationToken) -> str:
        """The text that the model reads."""
        return await self._client.run_tool(self.name, args.model_dump())


def reload_tools(client: Unburden | AsyncUnburden) -> list[BaseTool[BaseModel, Any]]:
    """The tools with which the agent reads back what left."""
    made = AsyncUnburden.of(client)
    return [ReloadTool(made, tool) for tool in plain_tools(made.sync.reload_tools)]
