"""Pydantic AI: a capability that processes the history, and the reload tools.

client = Unburden(target_tokens=60_000)
agent = Agent(model, tools=[*my_tools, *reload_tools(client)], capabilities=[history(client)])
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..settings import Settings
from .chat import Chat, ChatHistory, assistant, call, content, texts, tool_result
from .extras import needs
from .retrieval import retrieval_tools

with needs("pydantic-ai"):
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.capabilities import AbstractCapability, ProcessHistory
    from pydantic_ai.messages import (
        BaseToolReturnPart,
        ModelMessage,
        ModelRequest,
        ModelRequestPart,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ThinkingPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

if TYPE_CHECKING:
    from typing_extensions import Unpack


def history(client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> AbstractCapability[Any]:
    """A capability that makes the history smaller before each model call, for good.

    `all_messages()` of the run has the smaller history. The service reads it as chat completions;
    messages and parts that did not change stay the very same objects, and of a result that moved
    only the content is another.

    Args:
        client: of the service.
        **settings: before those of the client.
    """
    made = AsyncUnburden.of(client)

    async def process(context: RunContext[Any], messages: list[ModelMessage]) -> list[ModelMessage]:
        told = ChatHistory(messages, _chats)
        result = await made.offload(
            told.chats,
            tools=_beside(messages, context) or None,
            format="openai-chat",
            **settings,
        )
        return told.merged(result, _message, _snapshot) if result.changed else messages

    return ProcessHistory(process)


def reload_tools(client: Unburden | AsyncUnburden) -> list[Tool[Any]]:
    """The tools with which the agent reads back what left."""
    return [
        Tool.from_schema(tool.arun, tool.name, tool.description, tool.schema)
        for tool in retrieval_tools(client)
    ]


def _chats(message: ModelMessage) -> list[Chat]:
    if isinstance(message, ModelResponse):
        return [_response(message)]
    chats = (_request_part(part) for part in message.parts)
    return [chat for chat in chats if chat is not None]


def _response(message: ModelResponse) -> Chat:
    texts = [part.content for part in message.parts if isinstance(part, TextPart)]
    # What the provider's own tools returned is only counted: a response is never changed.
    texts += [part.model_response_str() for part in message.parts if isinstance(part, BaseToolReturnPart)]
    thoughts = [part.content for part in message.parts if isinstance(part, ThinkingPart)]
    calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
    made = [call(part.tool_call_id, part.tool_name, part.args_as_json_str()) for part in calls]
    return assistant("\n".join(texts), made, "\n".join(thoughts))


def _request_part(part: ModelRequestPart) -> Chat | None:
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, UserPromptPart):
        return {"role": "user", "content": _user_content(part.content)}
    if isinstance(part, ToolReturnPart):
        return tool_result(part.tool_call_id, part.model_response_str(wrap_if_error=False))
    if part.part_kind == "retry-prompt":
        if part.tool_name is not None:
            return tool_result(part.tool_call_id, part.model_response())
        return {"role": "user", "content": part.model_response()}
    if part.part_kind == "retry-feedback":
        return {"role": "user", "content": str(part.content)}
    return None


def _user_content(given: Any) -> Any:
    if isinstance(given, str):
        return given
    return content(item if isinstance(item, str) else None for item in given)


def _message(message: ModelMessage, came: list[Chat | None]) -> ModelMessage:
    if isinstance(message, ModelResponse):
        return message
    rest = iter(came)
    parts: list[ModelRequestPart] = []
    for part in message.parts:
        was = _request_part(part)
        now = next(rest) if was is not None else None
        if now == was:
            parts.append(part)
        elif now is not None:
            parts.append(_part(part, now))
    return replace(message, parts=parts)


def _part(part: ModelRequestPart, chat: Chat) -> ModelRequestPart:
    new: Any = chat["content"]
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str):
        came = zip(part.content, texts(new), strict=True)
        return replace(part, content=[old if text is None else text for old, text in came])
    if type(part) is ToolReturnPart:
        whole: Any = [new, *part.files] if part.files else new
        return replace(part, content=whole)
    if isinstance(part, ToolReturnPart):
        # Of a typed part the content has a shape that no text has.
        return part
    return replace(part, content=new)


def _snapshot(chat: Chat) -> ModelRequest:
    return ModelRequest(parts=[SystemPromptPart(content=chat["content"])])


def _beside(messages: list[ModelMessage], context: RunContext[Any]) -> list[dict[str, Any]]:
    # `tools` is only counted. As `system` the instructions would get the snapshot, which the
    # history would not keep.
    beside: list[dict[str, Any]] = []
    manager = context.tool_manager
    for tool in (manager.tools or {}).values() if manager is not None else ():
        known = tool.tool_def
        beside.append(
            {"name": known.name, "description": known.description, "parameters": known.parameters_json_schema}
        )
    told = [message.instructions for message in messages if isinstance(message, ModelRequest)]
    return [*beside, {"system": told[-1]}] if told and told[-1] else beside
