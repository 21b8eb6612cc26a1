"""The retrieval tools, as adapters give them to frameworks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..definitions import plain_tools


@dataclass(frozen=True)
class RetrievalTool:
    """One of the tools with which the agent reads back what left."""

    client: AsyncUnburden
    name: str
    """The agent's name for it."""
    description: str
    schema: dict[str, Any]
    """JSON schema of its arguments."""

    def run(self, **arguments: Any) -> str:
        """The text that the model reads."""
        return self.client.sync.run_tool(self.name, arguments)

    async def arun(self, **arguments: Any) -> str:
        """The same for asyncio."""
        return await self.client.run_tool(self.name, arguments)


def retrieval_tools(client: Unburden | AsyncUnburden) -> list[RetrievalTool]:
    """The tools that the client has."""
    made = AsyncUnburden.of(client)
    return [
        RetrievalTool(made, tool["name"], tool["description"], tool["input_schema"])
        for tool in plain_tools(made.sync.reload_tools)
    ]
