"""LangChain 1.x: a middleware for `create_agent`, and the reload tools.

client = Unburden(target_tokens=60_000)
agent = create_agent(
    model, tools=[*my_tools, *reload_tools(client)], middleware=[UnburdenMiddleware(client)]
)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..settings import Settings
from .extras import needs

with needs("langchain"):
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import ModelRequest, ModelResponse
    from langchain_core.utils.function_calling import convert_to_openai_tool
    from langgraph.runtime import Runtime

    from .langgraph import plain, reload_tools, update

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["UnburdenMiddleware", "reload_tools"]


class UnburdenMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Makes the messages of the state smaller before each model call, for good.

    Messages that change are replaced in the state, so that a checkpointer keeps the smaller history. Ids,
    names, artifacts and metadata of messages stay; messages that did not change stay themselves.
    """

    def __init__(self, client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> None:
        """`settings` go before those of the client."""
        super().__init__()
        self._client = AsyncUnburden.of(client)
        self._settings = settings
        # A state knows neither prompt nor tools; those of the call before are those of the next.
        self._beside: list[Any] = []

    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The update of the state, None where nothing changes."""
        messages = state["messages"]
        sent = plain(messages)
        return update(messages, sent, self._client.sync.offload(sent, **self._asked()))

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The same for `ainvoke` and `astream`."""
        messages = state["messages"]
        sent = plain(messages)
        return update(messages, sent, await self._client.offload(sent, **self._asked()))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Looks at what else the model gets, so that it is counted; changes nothing."""
        self._beside = _beside(request)
        return handler(request)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """The same for `ainvoke` and `astream`."""
        self._beside = _beside(request)
        return await handler(request)

    def _asked(self) -> dict[str, Any]:
        return {"tools": self._beside or None, "format": "langchain", **self._settings}


def _beside(request: ModelRequest[Any]) -> list[Any]:
    # `tools` is only counted. As `system` the prompt would get the snapshot, which the state
    # would not keep.
    beside: list[Any] = [
        tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools
    ]
    prompt = request.system_message
    return [*beside, {"system": prompt.text}] if prompt is not None else beside
