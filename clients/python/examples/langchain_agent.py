"""A LangChain agent whose history stays small.

python examples/langchain_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from depot import INSTRUCTIONS, TOOLS, Call, Script, Seen
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, messages_to_dict
from langchain_core.outputs import ChatGeneration, ChatResult

from unburden import Unburden
from unburden.adapters.langchain import UnburdenMiddleware, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    model: Any = ScriptedModel(script=script)
    # A real one: model = "anthropic:claude-sonnet-4-5"
    agent = create_agent(
        model,
        tools=[*TOOLS, *(reload_tools(client) if client else [])],
        system_prompt=INSTRUCTIONS,
        middleware=[UnburdenMiddleware(client)] if client else [],
    )
    state = await agent.ainvoke(
        {"messages": [{"role": "user", "content": script.question}]}, {"recursion_limit": 500}
    )
    return str(state["messages"][-1].text)


class ScriptedModel(BaseChatModel):
    """The script as a chat model."""

    script: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        wire = {"messages": messages_to_dict(messages), "format": "langchain"}
        step = self.script.next([piece for message in messages for piece in _seen(message)], wire)
        if isinstance(step, Call):
            call = {"name": step.name, "args": step.arguments, "id": step.id}
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])
        return ChatResult(generations=[ChatGeneration(message=AIMessage(step))])


def _seen(message: BaseMessage) -> list[Seen]:
    if isinstance(message, ToolMessage):
        return [Seen("result", message.text, message.tool_call_id)]
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return [
        Seen("text", message.text),
        *(Seen("call", f"{call['name']} {json.dumps(call['args'])}", call["id"] or "") for call in calls),
    ]


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("grep"))))
