"""A Strands agent whose history stays small.

python examples/strands_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from depot import INSTRUCTIONS, TOOLS, Call, Script, Seen
from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models import Model

from unburden import Unburden
from unburden.adapters.strands import UnburdenConversationManager, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    model: Any = ScriptedModel(script)
    # A real one: model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    agent = Agent(
        model=model,
        system_prompt=INSTRUCTIONS,
        tools=[*(tool(made) for made in TOOLS), *(reload_tools(client) if client else [])],
        conversation_manager=UnburdenConversationManager(client) if client else NullConversationManager(),
        callback_handler=None,
    )
    result = await agent.invoke_async(script.question)
    return str(result).strip()


class ScriptedModel(Model):
    """The script as a model of Bedrock's Converse API."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def update_config(self, **_: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("the examples ask for no structured output")

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **_: Any
    ) -> AsyncGenerator[Any, None]:
        seen = [Seen("text", system_prompt or ""), *_seen(messages)]
        wire = {"messages": messages, "system": system_prompt, "format": "bedrock"}
        step = self.script.next(seen, wire)
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(step, Call):
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": step.id, "name": step.name}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(step.arguments)}}}}
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": step}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if isinstance(step, Call) else "end_turn"}}


def _seen(messages: Any) -> list[Seen]:
    seen = []
    for message in messages:
        for block in message["content"]:
            if use := block.get("toolUse"):
                seen.append(Seen("call", f"{use['name']} {json.dumps(use['input'])}", use["toolUseId"]))
            elif result := block.get("toolResult"):
                text = "\n".join(part.get("text", "") for part in result["content"])
                seen.append(Seen("result", text, result["toolUseId"]))
            else:
                seen.append(Seen("text", block.get("text", "")))
    return seen


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("read_tool_result"))))
