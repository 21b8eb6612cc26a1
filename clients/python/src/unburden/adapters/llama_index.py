"""LlamaIndex: a `FunctionAgent` with small histories, and the retrieval tools.

client = Unburden(target_tokens=60_000)
agent = UnburdenFunctionAgent(
    unburden=client, llm=llm, tools=[*my_tools, *reload_tools(client)], system_prompt="…"
)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..aio import AsyncUnburden
from ..client import Unburden
from .chat import Chat, ChatHistory, arguments_json, assistant, call, content, texts, tool_result
from .extras import needs
from .retrieval import retrieval_tools

with needs("llama-index"):
    from llama_index.core.agent.workflow import AgentOutput, FunctionAgent
    from llama_index.core.base.llms.types import TextBlock, ThinkingBlock, ToolCallBlock
    from llama_index.core.llms import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemory
    from llama_index.core.tools import AsyncBaseTool, FunctionTool
    from llama_index.core.tools.types import ToolMetadata
    from pydantic import Field

    from .arguments import arguments_model


class UnburdenFunctionAgent(FunctionAgent):
    """A `FunctionAgent` that makes the input of each model call smaller.

    Its memory and scratchpad keep everything: the service gets the whole history anew with each
    call and answers with the same bytes and the same snapshots. Messages that did not change stay
    the very same objects.
    """

    unburden: Any = Field(description="A client, `Unburden` or `AsyncUnburden`.", exclude=True)
    unburden_settings: dict[str, Any] = Field(
        default_factory=dict, description="Settings before those of the client.", exclude=True
    )

    async def take_step(
        self, ctx: Any, llm_input: list[ChatMessage], tools: Sequence[AsyncBaseTool], memory: BaseMemory
    ) -> AgentOutput:
        """One model call."""
        scratchpad: list[ChatMessage] = await ctx.store.get(self.scratchpad_key, default=[])
        told = ChatHistory([*llm_input, *scratchpad], _chats)
        beside = [_definition(tool) for tool in tools] or None
        asked: dict[str, Any] = {"tools": beside, "format": "openai-chat", **self.unburden_settings}
        result = await AsyncUnburden.of(self.unburden).offload(told.chats, **asked)
        if not result.changed:
            return await super().take_step(ctx, llm_input, tools, memory)
        shown = told.merged(result, _edited, _added)
        answered: list[ChatMessage] = []
        # The step adds the scratchpad to its input, and the model's answer to the scratchpad.
        await ctx.store.set(self.scratchpad_key, [])
        try:
            output = await super().take_step(ctx, shown, tools, memory)
            answered = await ctx.store.get(self.scratchpad_key, default=[])
        finally:
            await ctx.store.set(self.scratchpad_key, [*scratchpad, *answered])
        return output


def reload_tools(client: Unburden | AsyncUnburden) -> list[FunctionTool]:
    """The tools with which the agent reads back what left, for sync and async runs."""
    return [
        FunctionTool(
            tool.run,
            ToolMetadata(tool.description, tool.name, arguments_model(tool.name, tool.schema)),
            tool.arun,
        )
        for tool in retrieval_tools(client)
    ]


def _definition(tool: AsyncBaseTool) -> dict[str, Any]:
    known = tool.metadata
    return {
        "name": known.name,
        "description": known.description,
        "parameters": known.get_parameters_dict(),
    }


_ROLES = {MessageRole.MODEL: "assistant", MessageRole.CHATBOT: "assistant", MessageRole.FUNCTION: "tool"}


def _chats(message: ChatMessage) -> list[Chat]:
    role = _ROLES.get(message.role, message.role.value)
    if role == "assistant":
        thoughts = [b.content for b in message.blocks if isinstance(b, ThinkingBlock) and b.content]
        return [assistant(message.content, list(_calls(message)), "\n".join(thoughts))]
    told = content(_text(block) for block in message.blocks)
    if role == "tool":
        return [tool_result(str(message.additional_kwargs.get("tool_call_id") or ""), told)]
    return [{"role": role, "content": told}]


def _calls(message: ChatMessage) -> Iterable[Chat]:
    blocks = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    for block in blocks:
        given = block.tool_kwargs
        arguments = given if isinstance(given, str) else arguments_json(given)
        yield call(block.tool_call_id or "", block.tool_name, arguments)
    # Integrations of older models keep the provider's own calls here.
    for made in [] if blocks else message.additional_kwargs.get("tool_calls") or []:
        plain = made if isinstance(made, dict) else made.model_dump()
        function = plain.get("function") or {}
        arguments = str(function.get("arguments") or "{}")
        yield call(str(plain.get("id") or ""), str(function.get("name")), arguments)


def _text(block: Any) -> str | None:
    return block.text if isinstance(block, TextBlock) else None


def _edited(message: ChatMessage, came: list[Chat | None]) -> ChatMessage:
    (chat,) = came
    if chat is None or chat["role"] == "assistant":
        return message
    pairs = zip(message.blocks, texts(chat["content"]), strict=True)
    blocks = [old if text is None else TextBlock(text=text) for old, text in pairs]
    return message.model_copy(update={"blocks": blocks})


def _added(chat: Chat) -> ChatMessage:
    return ChatMessage(chat["content"], role=MessageRole(chat["role"]))
