"""An AgentScope agent that offloads its tool results and its context to the service.

python examples/agentscope_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from typing import Any

from agentscope.agent import Agent, ContextConfig, ReActConfig
from agentscope.credential import CredentialBase
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import TextBlock, ToolCallBlock, UserMsg
from agentscope.model import ChatModelBase, ChatResponse
from agentscope.permission import PermissionBehavior, PermissionDecision
from agentscope.tool import FunctionTool, ToolChunk, Toolkit
from depot import INSTRUCTIONS, TOOLS, Call, Script, Seen

from unburden import Unburden
from unburden.adapters.agentscope import UnburdenOffloader, reload_tools

_ALLOW = PermissionDecision(behavior=PermissionBehavior.ALLOW, message="reads only")


async def run(client: Unburden | None, script: Script, context_size: int = 16_000) -> str:
    """The agent's answer; without a client the context grows."""
    model: Any = ScriptedModel(script, context_size if client else 1_000_000)
    # A real one: model = AnthropicChatModel(AnthropicCredential(api_key="…"), "claude-sonnet-4-5")
    tools = [FunctionTool(_chunked(tool), permission=_ALLOW, is_read_only=True) for tool in TOOLS]
    agent = Agent(
        name="Keeper",
        system_prompt=INSTRUCTIONS,
        model=model,
        toolkit=Toolkit(tools=[*tools, *(reload_tools(client) if client else [])]),
        offloader=UnburdenOffloader(client) if client else None,
        context_config=ContextConfig(tool_result_limit=100 if client else 50_000),
        react_config=ReActConfig(max_iters=60),
    )
    answer = await agent.reply(UserMsg(name="user", content=script.question))
    return answer.get_text_content() or ""


def _chunked(tool: Callable[..., str]) -> Callable[..., ToolChunk]:
    """The tool as AgentScope wants it."""

    @functools.wraps(tool)
    def run(**arguments: Any) -> ToolChunk:
        return ToolChunk(content=[TextBlock(text=tool(**arguments))])

    return run


class ScriptedModel(ChatModelBase):
    """The script as a chat model."""

    def __init__(self, script: Script, context_size: int) -> None:
        super().__init__(
            CredentialBase(), "scripted", self.Parameters(), stream=False, context_size=context_size
        )
        self.script = script
        self.formatter = OpenAIChatFormatter()

    async def _call_api(
        self, model_name: str, messages: Any, tools: Any = None, tool_choice: Any = None, **_: Any
    ) -> ChatResponse:
        if tools and tools[0]["function"]["name"] == "generate_structured_output":
            return _response(_summary(tools[0]["function"]["parameters"]))
        chat = await self.formatter.format(messages)
        seen = [piece for line in chat for piece in _seen(line)]
        return _response(self.script.next(seen, {"messages": chat, "format": "openai-chat"}))


def _summary(schema: dict[str, Any]) -> Call:
    """The summary that AgentScope asks its model for: the script has nothing to say."""
    return Call(
        "summary", "generate_structured_output", dict.fromkeys(schema["properties"], "The rounds go on.")
    )


def _response(step: Call | str) -> ChatResponse:
    block: Any = TextBlock(text=step) if isinstance(step, str) else None
    if isinstance(step, Call):
        block = ToolCallBlock(id=step.id, name=step.name, input=json.dumps(step.arguments))
    return ChatResponse(content=[block], is_last=True)


def _seen(line: dict[str, Any]) -> list[Seen]:
    content = line.get("content") or ""
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    if line["role"] == "tool":
        return [Seen("result", text, line["tool_call_id"])]
    calls = [(call["id"], call["function"]) for call in line.get("tool_calls") or []]
    return [
        Seen("text", text),
        *(Seen("call", f"{made['name']} {made['arguments']}", name) for name, made in calls),
    ]


if __name__ == "__main__":
    with Unburden() as client:
        print(asyncio.run(run(client, Script("grep"))))
