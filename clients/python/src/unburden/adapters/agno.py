"""Agno: a `compression_manager`, and the retrieval tools.

client = Unburden(target_tokens=60_000)
agent = Agent(
    model=model, tools=[*my_tools, *reload_tools(client)],
    compress_tool_results=True, compression_manager=UnburdenCompressionManager(client),
)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..results import Offloaded
from ..settings import Settings
from .chat import Chat
from .extras import needs
from .retrieval import retrieval_tools

with needs("agno"):
    from agno.compression.manager import CompressionManager
    from agno.models.message import Message
    from agno.tools.function import Function

if TYPE_CHECKING:
    from typing_extensions import Unpack


class UnburdenCompressionManager(CompressionManager):
    """Moves large tool results to files before each model call; no model compresses anything.

    A message keeps its `content`, and its `compressed_content` is the reference that models get. So
    sessions keep everything. Agno compresses tool results only: there are no snapshots.
    """

    def __init__(self, client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> None:
        """`settings` go before those of the client."""
        super().__init__(compress_tool_results=True)
        self._client = AsyncUnburden.of(client)
        self._settings = settings
        self._tools: list[Any] = []

    def should_compress(
        self, messages: list[Message], tools: list[Any] | None = None, *_: Any, **__: Any
    ) -> bool:
        """Always: the service itself finds out what is too large."""
        self._tools = [_definition(tool) for tool in tools or ()]
        return any(message.role == "tool" for message in messages)

    async def ashould_compress(
        self, messages: list[Message], tools: list[Any] | None = None, *_: Any, **__: Any
    ) -> bool:
        """The same for `arun`."""
        return self.should_compress(messages, tools)

    def compress(self, messages: list[Message], run_metrics: Any = None) -> None:
        """Sets what models get of the tool results."""
        sent = [_chat(message) for message in messages]
        self._adopt(messages, sent, self._client.sync.offload(sent, **self._asked()))

    async def acompress(self, messages: list[Message], run_metrics: Any = None) -> None:
        """The same for `arun`."""
        sent = [_chat(message) for message in messages]
        self._adopt(messages, sent, await self._client.offload(sent, **self._asked()))

    def _asked(self) -> dict[str, Any]:
        asked: dict[str, Any] = {"format": "openai-chat", "tools": self._tools or None, **self._settings}
        return {**asked, "context_manage_mode": "compact"}

    def _adopt(self, messages: list[Message], sent: Sequence[Chat], result: Offloaded[Chat]) -> None:
        for message, was, now in zip(messages, sent, result.messages, strict=True):
            if message.role == "tool" and now is not was:
                message.compressed_content = now["content"]


def _chat(message: Message) -> Chat:
    # With history of earlier runs a message may be compressed already; its content is the whole.
    told: Chat = {"role": message.role, "content": message.content}
    for name in ("name", "tool_call_id", "tool_calls"):
        if (value := getattr(message, name)) is not None:
            told[name] = value
    return told


def _definition(tool: Any) -> Any:
    return tool.to_dict() if isinstance(tool, Function) else tool


def reload_tools(client: Unburden | AsyncUnburden) -> list[Function]:
    """The tools with which the agent reads back what left, for sync and async runs."""
    return [
        Function(
            name=tool.name,
            description=tool.description,
            parameters=tool.schema,
            entrypoint=tool.run,
            skip_entrypoint_processing=True,
        )
        for tool in retrieval_tools(client)
    ]
