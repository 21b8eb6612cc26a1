"""CrewAI: a `before_llm_call` hook, and the retrieval tools.

client = Unburden(target_tokens=60_000)
register_before_llm_call_hook(before_llm_call(client))
agent = Agent(role="…", goal="…", backstory="…", tools=[*my_tools, *reload_tools(client)])
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..definitions import plain_tools
from ..settings import Settings
from .chat import Chat, ChatHistory
from .extras import needs

with needs("crewai"):
    from crewai.hooks import LLMCallHookContext
    from crewai.tools import BaseTool

    from .arguments import arguments_model

if TYPE_CHECKING:
    from typing_extensions import Unpack


def before_llm_call(
    client: Unburden | AsyncUnburden, **settings: Unpack[Settings]
) -> Callable[[LLMCallHookContext], None]:
    """A hook that makes the messages of an agent smaller before each model call, for good.

    Register it with CrewAI's `register_before_llm_call_hook`, or decorate it with CrewAI's
    `before_llm_call` to choose agents. Messages that did not change stay the very same objects.
    Models that cannot call functions tell results in their own messages, which stay.

    Args:
        client: of the service.
        **settings: before those of the client.
    """
    made = AsyncUnburden.of(client).sync

    def run(context: LLMCallHookContext) -> None:
        messages: list[Any] = context.messages
        told = ChatHistory(messages, lambda message: [_chat(message)])
        tools = getattr(context.executor, "_openai_tools", None)
        result = made.offload(told.chats, tools=tools or None, format="openai-chat", **settings)
        if result.changed:
            # In place: the executor holds this very list.
            messages[:] = told.merged(result, lambda message, came: {**message, **(came[0] or {})}, dict)

    return run


_MEMBERS = ("role", "content", "name", "tool_call_id", "tool_calls")


def _chat(message: Any) -> Chat:
    # Files and a provider's own parts are objects that no JSON has.
    return {name: message[name] for name in _MEMBERS if name in message}


class ReloadTool(BaseTool):
    """One of the tools with which the agent reads back what left."""

    client: Any
    objects: list[str]
    """The arguments that are told as JSON texts."""

    def _run(self, **arguments: Any) -> str:
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in self.objects:
            if isinstance(given.get(name), str):
                try:
                    given[name] = json.loads(given[name])
                except ValueError:
                    continue
        text: str = self.client.run_tool(self.name, given)
        return text


def reload_tools(client: Unburden | AsyncUnburden) -> list[BaseTool]:
    """The tools with which the agent reads back what left."""
    made = AsyncUnburden.of(client).sync
    return [_tool(made, tool) for tool in plain_tools(made.reload_tools)]


def _tool(client: Unburden, tool: dict[str, Any]) -> BaseTool:
    schema = tool["input_schema"]
    properties, required = schema["properties"], schema["required"]
    objects = [name for name, member in properties.items() if member.get("type") == "object"]
    # CrewAI asks for strict calls: every member is required, and an object has no free members.
    for name in objects:
        text = f"{properties[name]['description']} As JSON text."
        properties[name] = {"type": "string", "description": text}
    for name in properties.keys() - set(required):
        member = properties[name]
        properties[name] = {"anyOf": [member, {"type": "null"}], "description": member.get("description", "")}
    return ReloadTool(
        name=tool["name"],
        description=tool["description"],
        args_schema=arguments_model(tool["name"], schema),
        client=client,
        objects=objects,
    )
