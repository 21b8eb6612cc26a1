"""LangChain 1.x: a middleware for `create_agent`, and the reload tools.

client = Unburden(target_tokens=60_000)
agent = create_agent(
    model, tools=[*my_tools, *reload_tools(client)], middleware=[UnburdenMiddleware(client)]
)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import (
    AnyMessage,
    BaseMessage,
    RemoveMessage,
    messages_from_dict,
    messages_to_dict,
)
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from pydantic_core import to_jsonable_python

from ..aio import AsyncUnburden
from ..client import Unburden
from ..definitions import plain_tools
from ..results import Offloaded
from ..settings import Settings

if TYPE_CHECKING:
    from typing_extensions import Unpack


class UnburdenMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Makes the messages of the state smaller before each model call, for good.

    What changes is replaced in the state, so that a checkpointer keeps the smaller history. Ids,
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
        sent = _plain(messages)
        return _update(messages, sent, self._client.sync.offload(sent, **self._asked()))

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The same for `ainvoke` and `astream`."""
        messages = state["messages"]
        sent = _plain(messages)
        return _update(messages, sent, await self._client.offload(sent, **self._asked()))

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


def reload_tools(client: Unburden | AsyncUnburden) -> list[BaseTool]:
    """The tools with which the agent reads back what left, for sync and async runs."""
    made = AsyncUnburden.of(client)
    return [_tool(made, tool) for tool in plain_tools(made.sync.reload_tools)]


def _tool(client: AsyncUnburden, tool: dict[str, Any]) -> BaseTool:
    name = tool["name"]

    def run(**arguments: Any) -> str:
        return client.sync.run_tool(name, arguments)

    async def arun(**arguments: Any) -> str:
        return await client.run_tool(name, arguments)

    return StructuredTool(
        name=name,
        description=tool["description"],
        args_schema=tool["input_schema"],
        func=run,
        coroutine=arun,
    )


def _plain(messages: list[AnyMessage]) -> list[dict[str, Any]]:
    sent = messages_to_dict(messages)
    for message in sent:
        # No model sees it, and it may be anything.
        message["data"].pop("artifact", None)
    plain: list[dict[str, Any]] = to_jsonable_python(sent, fallback=str)
    return plain


def _update(
    messages: list[AnyMessage], sent: list[dict[str, Any]], result: Offloaded[dict[str, Any]]
) -> dict[str, Any] | None:
    if not result.changed:
        return None
    kept = [
        _message(received, origin, messages, sent)
        for received, origin in zip(result.messages, result.origins, strict=True)
    ]
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *kept]}


def _message(
    received: dict[str, Any], origin: int | None, messages: list[AnyMessage], sent: list[dict[str, Any]]
) -> BaseMessage:
    if origin is None:
        return messages_from_dict([received])[0]
    if received is sent[origin]:
        return messages[origin]
    return messages[origin].model_copy(update={"content": received["data"]["content"]})


def _beside(request: ModelRequest[Any]) -> list[Any]:
    # `tools` is only counted. As `system` the prompt would get the snapshot, which the state
    # would not keep.
    beside: list[Any] = [
        tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools
    ]
    prompt = request.system_message
    return [*beside, {"system": prompt.text}] if prompt is not None else beside
