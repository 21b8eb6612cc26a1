"""A Pydantic AI agent whose history stays small.

python examples/pydantic_ai_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from depot import INSTRUCTIONS, TOOLS, Call, Script, Seen
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from unburden import Unburden
from unburden.adapters.pydantic_ai import history, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    model: Any = FunctionModel(_scripted(script))
    # A real one: model = "anthropic:claude-sonnet-4-5"
    agent = Agent(
        model,
        system_prompt=INSTRUCTIONS,
        tools=[*TOOLS, *(reload_tools(client) if client else [])],
        capabilities=[history(client)] if client else [],
    )
    result = await agent.run(script.question)
    return str(result.output)


def _scripted(script: Script) -> Any:
    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        chat = [line for message in messages for line in _chat(message)]
        step = script.next(
            [piece for line in chat for piece in _seen(line)], {"messages": chat, "format": "openai-chat"}
        )
        if isinstance(step, Call):
            return ModelResponse(parts=[ToolCallPart(step.name, step.arguments, step.id)])
        return ModelResponse(parts=[TextPart(step)])

    return respond


def _chat(message: ModelMessage) -> list[dict[str, Any]]:
    """The message as a model of OpenAI would get it."""
    if message.kind == "request":
        return [_chat_part(part) for part in message.parts]
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    return [{"role": "assistant", "content": message.text, **({"tool_calls": calls} if calls else {})}]


def _chat_part(part: Any) -> dict[str, Any]:
    if part.part_kind == "tool-return":
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    return {"role": "system" if part.part_kind == "system-prompt" else "user", "content": part.content}


def _seen(line: dict[str, Any]) -> list[Seen]:
    if line["role"] == "tool":
        return [Seen("result", line["content"], line["tool_call_id"])]
    calls = [(call["id"], call["function"]) for call in line.get("tool_calls", [])]
    return [
        Seen("text", line["content"] or ""),
        *(
            Seen("call", f"{made['name']} {json.dumps(json.loads(made['arguments']))}", name)
            for name, made in calls
        ),
    ]


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("lro_extract"))))
