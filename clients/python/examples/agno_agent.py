"""An Agno agent whose history stays small.

python examples/agno_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from agno.agent import Agent
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse
from depot import INSTRUCTIONS, TOOLS, Call, Script

from unburden import Unburden
from unburden.adapters.agno import UnburdenCompressionManager, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    model: Any = ScriptedModel(id="scripted", script=script)
    # A real one: model = Claude(id="claude-sonnet-4-5")
    agent = Agent(
        model=model,
        instructions=INSTRUCTIONS,
        tools=[*TOOLS, *(reload_tools(client) if client else [])],
        compress_tool_results=client is not None,
        compression_manager=UnburdenCompressionManager(client) if client else None,
        telemetry=False,
    )
    result = await agent.arun(script.question)
    return str(result.content)


@dataclass
class ScriptedModel(Model):
    """The script as a model that calls functions."""

    script: Any = None

    async def ainvoke(self, messages: list[Message], **more: Any) -> ModelResponse:
        shorter = bool(more.get("compress_tool_results"))
        step = self.script.next_of_chat([_chat(message, shorter) for message in messages])
        if isinstance(step, Call):
            return ModelResponse(role="assistant", tool_calls=[step.as_chat()])
        return ModelResponse(role="assistant", content=step)

    def invoke(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("the examples run in asyncio")

    invoke_stream = ainvoke_stream = _parse_provider_response = _parse_provider_response_delta = invoke


def _chat(message: Message, shorter: bool) -> dict[str, Any]:
    chat: dict[str, Any] = {"role": message.role, "content": message.get_content(shorter)}
    if message.tool_calls:
        chat["tool_calls"] = message.tool_calls
    return {**chat, "tool_call_id": message.tool_call_id} if message.tool_call_id else chat


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("lro_extract of guests"))))
