"""An agent on LiteLLM, with a loop of its own, whose history stays small.

python examples/litellm_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import litellm
from depot import INSTRUCTIONS, TOOLS, Call, Script
from litellm.llms.custom_llm import CustomLLM
from litellm.types.utils import ModelResponse

from unburden import AsyncUnburden, Unburden
from unburden.adapters.litellm import offloading


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    litellm.custom_provider_map = [{"provider": "scripted", "custom_handler": ScriptedModel(script)}]
    model = "scripted/script"
    # A real one: model = "anthropic/claude-sonnet-4-5"
    acompletion: Any = offloading(client, litellm.acompletion) if client else litellm.acompletion
    tools = [*map(_definition, TOOLS), *(client.tool_definitions("openai") if client else [])]
    messages: list[Any] = [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": script.question},
    ]
    while True:
        answer = await acompletion(model=model, messages=messages, tools=tools)
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            text = await _result(client, call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


async def _result(client: Unburden | None, name: str, arguments: str) -> str:
    for tool in TOOLS:
        if tool.__name__ == name:
            return tool(**json.loads(arguments))
    return await AsyncUnburden.of(client).run_tool(name, arguments) if client else "There is no such tool."


def _definition(tool: Any) -> dict[str, Any]:
    (name,) = inspect.signature(tool).parameters
    parameters = {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}
    function = {"name": tool.__name__, "description": tool.__doc__, "parameters": parameters}
    return {"type": "function", "function": function}


class ScriptedModel(CustomLLM):
    """The script as a provider of LiteLLM."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    async def acompletion(self, *_: Any, messages: list[Any], **__: Any) -> ModelResponse:  # type: ignore[override]
        step = self._script.next_of_chat([_chat(message) for message in messages])
        said: dict[str, Any] = {"role": "assistant", "content": None if isinstance(step, Call) else step}
        if isinstance(step, Call):
            said["tool_calls"] = [step.as_chat()]
        return ModelResponse(choices=[{"index": 0, "finish_reason": "stop", "message": said}])


def _chat(message: Any) -> dict[str, Any]:
    return dict(message if isinstance(message, dict) else message.model_dump(exclude_none=True))


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("read_tool_result"))))
