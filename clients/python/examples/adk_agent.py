"""An agent of Google's ADK whose requests stay small.

python examples/adk_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from depot import INSTRUCTIONS, TOOLS, Call, Script, Seen
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from unburden import Unburden
from unburden.adapters.adk import before_model, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the requests grow."""
    model: Any = ScriptedModel(model="scripted", script=script)
    # A real one: model = "gemini-3-flash"
    agent = LlmAgent(
        name="keeper",
        model=model,
        instruction=INSTRUCTIONS,
        tools=[*TOOLS, *(reload_tools(client) if client else [])],
        before_model_callback=before_model(client) if client else None,
    )
    runner = InMemoryRunner(agent=agent, app_name="depot")
    session = await runner.session_service.create_session(app_name="depot", user_id="user")
    question = types.Content(role="user", parts=[types.Part(text=script.question)])
    answer = ""
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=question):
        if event.is_final_response() and event.content and event.content.parts:
            answer = event.content.parts[0].text or ""
    return answer


class ScriptedModel(BaseLlm):
    """The script as a model of Gemini's API."""

    script: Any

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        contents = [
            content.model_dump(mode="json", by_alias=True, exclude_none=True)
            for content in llm_request.contents
        ]
        system = llm_request.config.system_instruction
        wire = {"messages": contents, "system": system, "format": "gemini"}
        step = self.script.next([Seen("text", str(system or "")), *_seen(contents)], wire)
        if isinstance(step, Call):
            call = types.FunctionCall(id=step.id, name=step.name, args=step.arguments)
            part = types.Part(function_call=call)
        else:
            part = types.Part(text=step)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def _seen(contents: list[dict[str, Any]]) -> list[Seen]:
    seen = []
    for content in contents:
        for part in content["parts"]:
            if call := part.get("functionCall"):
                seen.append(Seen("call", f"{call['name']} {json.dumps(call['args'])}", call["id"]))
            elif answer := part.get("functionResponse"):
                seen.append(Seen("result", str(answer["response"].get("result")), answer["id"]))
            else:
                seen.append(Seen("text", part.get("text", "")))
    return seen


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("lro_extract of guests"))))
