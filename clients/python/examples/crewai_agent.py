"""A CrewAI agent whose history stays small.

python examples/crewai_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks import register_before_llm_call_hook, unregister_before_llm_call_hook
from crewai.tools import tool
from depot import INSTRUCTIONS, TOOLS, Call, Script

from unburden import Unburden
from unburden.adapters.crewai import before_llm_call, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    hook: Any = before_llm_call(client) if client else lambda context: None
    register_before_llm_call_hook(hook)
    try:
        agent = Agent(
            role="keeper of a depot",
            goal="Answer questions about it.",
            backstory=INSTRUCTIONS,
            llm=ScriptedModel(script=script, model="scripted"),
            # A real one: llm="anthropic/claude-sonnet-4-5"
            tools=[*(tool(made) for made in TOOLS), *(reload_tools(client) if client else [])],
            max_iter=60,
        )
        task = Task(description=script.question, expected_output="A sentence.", agent=agent)
        result: Any = await Crew(agents=[agent], tasks=[task], tracing=False).kickoff_async()
    finally:
        # It is a hook of the process, not of this crew.
        unregister_before_llm_call_hook(hook)
    return str(result.raw)


class ScriptedModel(BaseLLM):
    """The script as a model that calls functions."""

    script: Any

    def supports_function_calling(self) -> bool:
        return True

    def get_context_window_size(self) -> int:
        # Of a small one CrewAI itself keeps large results out.
        return 1_000_000

    def call(self, messages: Any, tools: Any = None, *_: Any, **__: Any) -> Any:
        step = self.script.next_of_chat([dict(message) for message in messages])
        return [step.as_chat()] if isinstance(step, Call) else step


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("grep"))))
