"""An agent of the OpenAI Agents SDK whose model input stays small.

python examples/openai_agents_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from depot import INSTRUCTIONS, TOOLS, Call, Script, Seen
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from unburden import Unburden
from unburden.adapters.openai_agents import input_filter, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the input grows."""
    model: Any = ScriptedModel(script)
    # A real one: model = "gpt-5.2"
    agent = Agent(
        name="Keeper",
        instructions=INSTRUCTIONS,
        model=model,
        tools=[*(function_tool(tool) for tool in TOOLS), *(reload_tools(client) if client else [])],
    )
    config = RunConfig(
        call_model_input_filter=input_filter(client) if client else None,
        tracing_disabled=True,
    )
    result = await Runner.run(agent, script.question, run_config=config, max_turns=60)
    return str(result.final_output)


class ScriptedModel(Model):
    """The script as a model of the Responses API."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def get_response(
        self, system_instructions: str | None, input: Any, *_: Any, **__: Any
    ) -> ModelResponse:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        seen = [Seen("text", system_instructions or ""), *(_seen(item) for item in items)]
        wire = {"messages": items, "system": system_instructions, "format": "openai-responses"}
        return ModelResponse(output=[_output(self.script.next(seen, wire))], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("the examples do not stream")


def _output(step: Call | str) -> Any:
    if isinstance(step, Call):
        return ResponseFunctionToolCall(
            type="function_call",
            call_id=step.id,
            id=f"fc_{step.id}",
            name=step.name,
            arguments=json.dumps(step.arguments),
        )
    text = ResponseOutputText(type="output_text", text=step, annotations=[])
    return ResponseOutputMessage(
        id="msg_1", type="message", role="assistant", status="completed", content=[text]
    )


def _seen(item: Any) -> Seen:
    if item.get("type") == "function_call":
        return Seen("call", f"{item['name']} {item['arguments']}", item["call_id"])
    if item.get("type") == "function_call_output":
        return Seen("result", item["output"], item["call_id"])
    content = item["content"]
    return Seen("text", content if isinstance(content, str) else "\n".join(part["text"] for part in content))


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("read_file"))))
