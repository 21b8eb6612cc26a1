"""OpenAI Agents SDK: a `call_model_input_filter`, and the reload tools.

client = Unburden(target_tokens=60_000)
agent = Agent(name="…", tools=[*my_tools, *reload_tools(client)])
run = await Runner.run(agent, question, run_config=RunConfig(
    call_model_input_filter=input_filter(client)))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..settings import Settings
from .extras import needs
from .retrieval import RetrievalTool, retrieval_tools

with needs("openai-agents"):
    from agents import FunctionTool, Tool
    from agents.run_config import CallModelData, ModelInputData
    from agents.tool_context import ToolContext

if TYPE_CHECKING:
    from typing_extensions import Unpack

InputFilter = Callable[[CallModelData[Any]], Awaitable[ModelInputData]]


def input_filter(client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> InputFilter:
    """A filter that makes the input of each model call smaller.

    The run itself and its session keep the whole history: the service gets it anew with each call
    and answers with the same bytes and the same snapshots. Snapshots go to the instructions, where
    the agent has some. Items that did not change stay the very same objects.

    Args:
        client: of the service.
        **settings: before those of the client.
    """
    made = AsyncUnburden.of(client)

    async def run(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        items: list[Any] = list(given.input)
        sent = [_plain(item) for item in items]
        result = await made.offload(
            sent,
            system=given.instructions,
            tools=_definitions(data.agent.tools) or None,
            format="openai-responses",
            **settings,
        )
        if not result.changed:
            return given
        own = {id(plain): item for plain, item in zip(sent, items, strict=True)}
        kept = [own.get(id(item), item) for item in result.messages]
        return ModelInputData(input=kept, instructions=result.system)

    return run


def reload_tools(client: Unburden | AsyncUnburden) -> list[Tool]:
    """The tools with which the agent reads back what left."""
    return [_tool(tool) for tool in retrieval_tools(client)]


def _tool(tool: RetrievalTool) -> FunctionTool:
    async def run(context: ToolContext[Any], arguments: str) -> str:
        return await tool.client.run_tool(tool.name, arguments)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.schema,
        on_invoke_tool=run,
        # Strict schemas require every field, and the ones here are optional.
        strict_json_schema=False,
    )


def _plain(item: Any) -> Any:
    return item.model_dump(mode="json", exclude_unset=True) if hasattr(item, "model_dump") else item


def _definitions(tools: list[Tool]) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}
        for tool in tools
        if isinstance(tool, FunctionTool)
    ]
