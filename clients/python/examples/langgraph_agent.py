"""A LangGraph agent, without middlewares, whose history stays small.

python examples/langgraph_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
from typing import Any

from depot import INSTRUCTIONS, TOOLS, Script
from langchain_agent import ScriptedModel
from langgraph.prebuilt import create_react_agent

from unburden import Unburden
from unburden.adapters.langgraph import pre_model_hook, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    model: Any = ScriptedModel(script=script)
    # A real one: model = "anthropic:claude-sonnet-4-5"
    agent: Any = create_react_agent(
        model,
        tools=[*TOOLS, *(reload_tools(client) if client else [])],
        prompt=INSTRUCTIONS,
        pre_model_hook=pre_model_hook(client) if client else None,
    )
    asked = {"messages": [{"role": "user", "content": script.question}]}
    state = await agent.ainvoke(asked, {"recursion_limit": 500})
    return str(state["messages"][-1].text)


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("grep"))))
