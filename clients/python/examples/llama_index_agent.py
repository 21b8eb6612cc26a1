"""A LlamaIndex agent whose history stays small.

python examples/llama_index_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from depot import INSTRUCTIONS, TOOLS, Call, Script
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage, ChatResponse
from llama_index.core.llms.mock import MockFunctionCallingLLM

from unburden import Unburden
from unburden.adapters.llama_index import UnburdenFunctionAgent, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    asked: dict[str, Any] = {
        "llm": ScriptedModel(script),
        # A real one: "llm": Anthropic(model="claude-sonnet-4-5")
        "tools": [*TOOLS, *(reload_tools(client) if client else [])],
        "system_prompt": INSTRUCTIONS,
        "streaming": False,
    }
    agent = UnburdenFunctionAgent(unburden=client, **asked) if client else FunctionAgent(**asked)
    answer = await agent.run(script.question, max_iterations=60)
    return str(answer)


class ScriptedModel(MockFunctionCallingLLM):
    """The script as a model that calls functions."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        step = self._script.next_of_chat([_chat(message) for message in messages])
        if isinstance(step, str):
            return ChatResponse(message=ChatMessage(step, role="assistant"))
        block = ToolCallBlock(tool_call_id=step.id, tool_name=step.name, tool_kwargs=step.arguments)
        return ChatResponse(message=ChatMessage(role="assistant", blocks=[block]))


def _chat(message: ChatMessage) -> dict[str, Any]:
    chat: dict[str, Any] = {"role": message.role.value, "content": message.content}
    calls = [
        Call(block.tool_call_id or "", block.tool_name, _arguments(block)).as_chat()
        for block in message.blocks
        if isinstance(block, ToolCallBlock)
    ]
    answered = message.additional_kwargs.get("tool_call_id")
    return {
        **chat,
        **({"tool_calls": calls} if calls else {}),
        **({"tool_call_id": answered} if answered else {}),
    }


def _arguments(block: ToolCallBlock) -> dict[str, Any]:
    given = block.tool_kwargs
    return dict(json.loads(given)) if isinstance(given, str) else given


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("read_file"))))
