"""Pydantic AI: a capability that processes the history, and the reload tools.

client = Unburden(target_tokens=60_000)
agent = Agent(model, tools=[*my_tools, *reload_tools(client)], capabilities=[history(client)])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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

from ..aio import AsyncUnburden
from ..client import Unburden
from ..definitions import plain_tools
from ..settings import Settings

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
        told = [_lines(message) for message in messages]
        sent = [line for lines in told for line in lines]
        result = await made.offload(
            [line.chat for line in sent],
            tools=_beside(messages, context) or None,
            format="openai-chat",
            **settings,
        )
        if not result.changed:
            return messages
        added = []
        for chat, origin in zip(result.messages, result.origins, strict=True):
            if origin is None:
                added.append(_snapshot(chat))
            else:
                sent[origin].left = chat
        kept = [_message(message, lines) for message, lines in zip(messages, told, strict=True)]
        return [*added, *(message for message in kept if message is not None)]

    return ProcessHistory(process)


def reload_tools(client: Unburden | AsyncUnburden) -> list[Tool[Any]]:
    """The tools with which the agent reads back what left."""
    made = AsyncUnburden.of(client)
    return [_tool(made, tool) for tool in plain_tools(made.sync.reload_tools)]


def _tool(client: AsyncUnburden, tool: dict[str, Any]) -> Tool[Any]:
    name = tool["name"]

    async def run(**arguments: Any) -> str:
        return await client.run_tool(name, arguments)

    return Tool.from_schema(run, name, tool["description"], tool["input_schema"])


@dataclass(eq=False)
class _Line:
    """One message of chat completions, and the part of the request that it tells."""

    chat: dict[str, Any]
    part: int | None = None
    left: dict[str, Any] | None = None
    """What came back of it; None where it became a part of a snapshot."""


def _lines(message: ModelMessage) -> list[_Line]:
    if isinstance(message, ModelResponse):
        return [_Line(_response(message))]
    lines = ((index, _request_part(part)) for index, part in enumerate(message.parts))
    return [_Line(chat, index) for index, chat in lines if chat is not None]


def _response(message: ModelResponse) -> dict[str, Any]:
    texts = [part.content for part in message.parts if isinstance(part, TextPart)]
    # What the provider's own tools returned is only counted: a response is never changed.
    texts += [part.model_response_str() for part in message.parts if isinstance(part, BaseToolReturnPart)]
    chat: dict[str, Any] = {"role": "assistant", "content": "\n".join(texts) or None}
    thoughts = [part.content for part in message.parts if isinstance(part, ThinkingPart)]
    if any(thoughts):
        chat["reasoning_content"] = "\n".join(thoughts)
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCallPart)]
    return {**chat, "tool_calls": calls} if calls else chat


def _call(part: ToolCallPart) -> dict[str, Any]:
    function = {"name": part.tool_name, "arguments": part.args_as_json_str()}
    return {"id": part.tool_call_id, "type": "function", "function": function}


def _request_part(part: ModelRequestPart) -> dict[str, Any] | None:
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, UserPromptPart):
        return {"role": "user", "content": _user_content(part.content)}
    if isinstance(part, ToolReturnPart):
        return _tool_message(part.tool_call_id, part.model_response_str(wrap_if_error=False))
    if part.part_kind == "retry-prompt":
        if part.tool_name is not None:
            return _tool_message(part.tool_call_id, part.model_response())
        return {"role": "user", "content": part.model_response()}
    if part.part_kind == "retry-feedback":
        return {"role": "user", "content": str(part.content)}
    return None


def _tool_message(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def _user_content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    # The service counts a picture, a sound and a document alike, and looks into none.
    return [
        {"type": "text", "text": item}
        if isinstance(item, str)
        else {"type": "image_url", "image_url": {"url": "attachment:"}}
        for item in content
    ]


def _message(message: ModelMessage, lines: Sequence[_Line]) -> ModelMessage | None:
    if lines and all(line.left is None for line in lines):
        return None
    if isinstance(message, ModelResponse) or all(line.left is line.chat for line in lines):
        return message
    told = {line.part: line for line in lines}
    parts: list[ModelRequestPart] = []
    for index, part in enumerate(message.parts):
        line = told.get(index)
        if line is None or line.left is line.chat:
            parts.append(part)
        elif line.left is not None:
            parts.append(_part(part, line.left))
    return replace(message, parts=parts)


def _part(part: ModelRequestPart, chat: Mapping[str, Any]) -> ModelRequestPart:
    content: Any = chat["content"]
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str):
        texts = zip(part.content, content, strict=True)
        return replace(part, content=[new["text"] if isinstance(old, str) else old for old, new in texts])
    if type(part) is ToolReturnPart:
        whole: Any = [content, *part.files] if part.files else content
        return replace(part, content=whole)
    if isinstance(part, ToolReturnPart):
        # Of a typed part the content has a shape that no text has.
        return part
    return replace(part, content=content)


def _snapshot(chat: Mapping[str, Any]) -> ModelRequest:
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
