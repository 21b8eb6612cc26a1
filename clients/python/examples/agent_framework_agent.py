"""An agent of Microsoft's Agent Framework whose history stays small.

python examples/agent_framework_agent.py      (with the service running)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
)
from depot import INSTRUCTIONS, TOOLS, Call, Script

from unburden import Unburden
from unburden.adapters.agent_framework import UnburdenCompaction, reload_tools


async def run(client: Unburden | None, script: Script) -> str:
    """The agent's answer; without a client the history grows."""
    model: Any = ScriptedModel(script)
    # A real one: model = OpenAIChatClient(model="gpt-5.1")
    agent: Any = Agent(
        model,
        INSTRUCTIONS,
        tools=[*TOOLS, *(reload_tools(client) if client else [])],
        compaction_strategy=UnburdenCompaction(client) if client else None,
    )
    return str((await agent.run(script.question)).text)


class ScriptedModel(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """The script as a chat client."""

    def __init__(self, script: Script) -> None:
        super().__init__(function_invocation_configuration={"max_iterations": 60})
        self._script = script

    async def _inner_get_response(
        self, *, messages: Sequence[Message], options: Any, **_: Any
    ) -> ChatResponse[Any]:
        told = [chat for message in messages for chat in _chats(message)]
        # Instructions stand beside the messages; a client of a provider puts them in front.
        if options.get("instructions"):
            told.insert(0, {"role": "system", "content": options["instructions"]})
        step = self._script.next_of_chat(told)
        if isinstance(step, Call):
            arguments = step.as_chat()["function"]["arguments"]
            said: Any = Content.from_function_call(call_id=step.id, name=step.name, arguments=arguments)
        else:
            said = step
        return ChatResponse(messages=Message("assistant", [said]))


def _chats(message: Message) -> list[dict[str, Any]]:
    results = [part for part in message.contents if part.type == "function_result"]
    if results:
        return [{"role": "tool", "tool_call_id": part.call_id, "content": part.result} for part in results]
    calls = [
        Call(part.call_id or "", part.name or "", json.loads(str(part.arguments))).as_chat()
        for part in message.contents
        if part.type == "function_call"
    ]
    chat: dict[str, Any] = {"role": message.role, "content": message.text or None}
    return [{**chat, "tool_calls": calls} if calls else chat]


if __name__ == "__main__":
    with Unburden(max_total_tokens=6000, max_tool_message_tokens=1000, target_tokens=12_000) as client:
        print(asyncio.run(run(client, Script("lro_extract"))))
