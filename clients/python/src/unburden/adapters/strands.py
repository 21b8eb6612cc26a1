"""Strands Agents: a conversation manager, and the reload tools.

client = Unburden(target_tokens=60_000)
agent = Agent(
    tools=[*my_tools, *reload_tools(client)],
    conversation_manager=UnburdenConversationManager(client),
)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..results import Offloaded
from ..settings import Settings
from .extras import needs
from .retrieval import RetrievalTool, retrieval_tools

with needs("strands"):
    from strands import Agent
    from strands.agent.conversation_manager import ConversationManager
    from strands.hooks import BeforeModelCallEvent, HookRegistry
    from strands.tools.tools import PythonAgentTool
    from strands.types.content import Message
    from strands.types.tools import AgentTool, ToolResult, ToolUse

if TYPE_CHECKING:
    from typing_extensions import Unpack


class UnburdenConversationManager(ConversationManager):
    """Makes `agent.messages` smaller before each model call, for good.

    Takes the place of Strands' sliding window, which forgets messages. Snapshots go to the system
    prompt, where the agent has one. Messages that did not change stay the very same objects.
    """

    def __init__(self, client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> None:
        """`settings` go before those of the client."""
        super().__init__()
        self._client = AsyncUnburden.of(client)
        self._settings = settings

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
        """Strands calls it once."""
        super().register_hooks(registry, **kwargs)
        registry.add_callback(BeforeModelCallEvent, self._before_model_call)

    def apply_management(self, agent: Agent, **kwargs: Any) -> None:
        """Does nothing: what was too large left before the model was called."""

    def reduce_context(self, agent: Agent, e: Exception | None = None, **kwargs: Any) -> None:
        """After the model refused a history for its length: halves it.

        Raises:
            e: where it cannot be made smaller.
        """
        asked: dict[str, Any] = {**self._asked(agent), "max_total_tokens": 0}
        counted = self._client.sync.offload(list(agent.messages), **{**asked, "dry_run": True}).report
        target = max(1, counted["tokens_before"] // 2) if counted else 1
        messages = list(agent.messages)
        result = self._client.sync.offload(messages, **{**asked, "target_tokens": target})
        self._adopt(agent, result)
        if e is not None and not result.changed:
            raise e

    async def _before_model_call(self, event: BeforeModelCallEvent) -> None:
        agent = event.agent
        self._adopt(agent, await self._client.offload(list(agent.messages), **self._asked(agent)))

    def _asked(self, agent: Any) -> dict[str, Any]:
        return {
            "system": agent.system_prompt_content,
            "tools": agent.tool_registry.get_all_tool_specs() or None,
            "format": "bedrock",
            **self._settings,
        }

    def _adopt(self, agent: Any, result: Offloaded[Message]) -> None:
        if not result.changed:
            return
        self.removed_message_count += max(0, len(agent.messages) - len(result.messages))
        # In place: the loop and the session manager hold this very list.
        agent.messages[:] = result.messages
        if result.system != agent.system_prompt_content:
            agent.system_prompt = result.system


def reload_tools(client: Unburden | AsyncUnburden) -> list[Any]:
    """The tools with which the agent reads back what left, as `Agent(tools=…)` takes them."""
    return [_tool(tool) for tool in retrieval_tools(client)]


def _tool(tool: RetrievalTool) -> AgentTool:
    async def run(use: ToolUse, **_: Any) -> ToolResult:
        text = await tool.client.run_tool(tool.name, use["input"])
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": text}]}

    spec: Any = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {"json": tool.schema},
    }
    return PythonAgentTool(tool.name, spec, run)
