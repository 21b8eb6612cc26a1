"""A Haystack agent whose history stays small.

python examples/haystack_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
from typing import Any

from depot import INSTRUCTIONS, TOOLS, Call, Script
from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools.from_function import create_tool_from_function

from unburden import Unburden
from unburden.adapters.haystack import UnburdenHook, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    generator: Any = ScriptedModel(script)
    # A real one: generator = AnthropicChatGenerator(model="claude-sonnet-4-5")
    agent = Agent(
        chat_generator=generator,
        system_prompt=INSTRUCTIONS,
        tools=[*map(create_tool_from_function, TOOLS), *(reload_tools(client) if client else [])],
        hooks={"before_llm": [UnburdenHook(client)]} if client else None,
        max_agent_steps=60,
    )
    result = await agent.run_async(messages=[ChatMessage.from_user(script.question)])
    return str(result["messages"][-1].text)


@component
class ScriptedModel:
    """The script as a chat generator."""

    def __init__(self, script: Script) -> None:
        self._script = script

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        step = self._script.next_of_chat([message.to_openai_dict_format() for message in messages])
        if isinstance(step, Call):
            call = ToolCall(step.name, step.arguments, step.id)
            return {"replies": [ChatMessage.from_assistant(tool_calls=[call])]}
        return {"replies": [ChatMessage.from_assistant(step)]}


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("grep"))))
