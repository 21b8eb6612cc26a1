"""An AutoGen agent whose history stays small.

python examples/autogen_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)
from depot import INSTRUCTIONS, TOOLS, Call, Script

from unburden import Unburden
from unburden.adapters.autogen import UnburdenChatCompletionContext, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    model: Any = ScriptedModel(script)
    # A real one: model = OpenAIChatCompletionClient(model="gpt-5.1")
    agent = AssistantAgent(
        "keeper",
        model,
        system_message=INSTRUCTIONS,
        tools=[*TOOLS, *(reload_tools(client) if client else [])],
        model_context=UnburdenChatCompletionContext(client) if client else None,
        max_tool_iterations=60,
    )
    result: Any = await agent.run(task=script.question)
    return str(result.messages[-1].content)


class ScriptedModel(ChatCompletionClient):
    """The script as a model that calls functions."""

    component_config_schema: Any = None

    def __init__(self, script: Script) -> None:
        self._script = script

    async def create(self, messages: Sequence[LLMMessage], **_: Any) -> CreateResult:
        step = self._script.next_of_chat([chat for message in messages for chat in _chats(message)])
        made: Any = {"usage": self.total_usage(), "cached": False}
        if isinstance(step, Call):
            arguments = step.as_chat()["function"]["arguments"]
            call = FunctionCall(id=step.id, name=step.name, arguments=arguments)
            return CreateResult(finish_reason="function_calls", content=[call], **made)
        return CreateResult(finish_reason="stop", content=step, **made)

    def create_stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("the examples do not stream")

    async def close(self) -> None:
        pass

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(0, 0)

    def total_usage(self) -> RequestUsage:
        return RequestUsage(0, 0)

    def count_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    def remaining_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False
        )


def _chats(message: LLMMessage) -> list[dict[str, Any]]:
    if isinstance(message, FunctionExecutionResultMessage):
        return [
            {"role": "tool", "tool_call_id": result.call_id, "content": result.content}
            for result in message.content
        ]
    if isinstance(message, AssistantMessage) and not isinstance(message.content, str):
        calls = [Call(call.id, call.name, json.loads(call.arguments)).as_chat() for call in message.content]
        return [{"role": "assistant", "content": message.thought, "tool_calls": calls}]
    role = message.type.removesuffix("Message").lower()
    return [{"role": role, "content": message.content}]


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("lro_extract"))))
