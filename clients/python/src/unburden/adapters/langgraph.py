"""LangGraph: a `pre_model_hook`, for agents without middlewares, and the retrieval tools.

client = Unburden(target_tokens=60_000)
agent = create_react_agent(
    model, tools=[*my_tools, *reload_tools(client)], pre_model_hook=pre_model_hook(client)
)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..results import Offloaded
from ..settings import Settings
from .extras import needs
from .retrieval import retrieval_tools

with needs("langgraph"):
    from langchain_core.messages import AnyMessage, BaseMessage, messages_from_dict, messages_to_dict
    from langchain_core.messages.modifier import RemoveMessage
    from langchain_core.runnables import Runnable, RunnableLambda
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.graph.message import REMOVE_ALL_MESSAGES
    from pydantic_core import to_jsonable_python

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The node must give messages. As `llm_input_messages` they would stay in the state.
_NOTHING: dict[str, Any] = {"messages": []}


def pre_model_hook(
    client: Unburden | AsyncUnburden, **settings: Unpack[Settings]
) -> Runnable[Any, dict[str, Any]]:
    """A node that makes the messages of the state smaller, for good.

    Messages that change are replaced in the state, so that a checkpointer keeps the smaller history. Ids,
    names, artifacts and metadata of messages stay; messages that did not change stay themselves.

    Args:
        client: of the service.
        **settings: before those of the client.
    """
    made = AsyncUnburden.of(client)

    def run(state: Any) -> dict[str, Any]:
        messages = _messages(state)
        sent = plain(messages)
        result = made.sync.offload(sent, format="langchain", **settings)
        return update(messages, sent, result) or _NOTHING

    async def arun(state: Any) -> dict[str, Any]:
        messages = _messages(state)
        sent = plain(messages)
        result = await made.offload(sent, format="langchain", **settings)
        return update(messages, sent, result) or _NOTHING

    return RunnableLambda(run, arun, name="unburden")


def reload_tools(client: Unburden | AsyncUnburden) -> list[BaseTool]:
    """The tools with which the agent reads back what left, for sync and async runs."""
    return [
        StructuredTool(
            name=tool.name,
            description=tool.description,
            args_schema=tool.schema,
            func=tool.run,
            coroutine=tool.arun,
        )
        for tool in retrieval_tools(client)
    ]


def _messages(state: Any) -> list[AnyMessage]:
    messages: list[AnyMessage] = state["messages"] if isinstance(state, dict) else state.messages
    return messages


def plain(messages: list[AnyMessage]) -> list[dict[str, Any]]:
    """The messages as the service reads them."""
    sent = messages_to_dict(messages)
    for message in sent:
        # No model sees it, and it may be anything.
        message["data"].pop("artifact", None)
    plain: list[dict[str, Any]] = to_jsonable_python(sent, fallback=str)
    return plain


def update(
    messages: list[AnyMessage], sent: list[dict[str, Any]], result: Offloaded[dict[str, Any]]
) -> dict[str, Any] | None:
    """The update of the state for an answer; None where nothing changes."""
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
