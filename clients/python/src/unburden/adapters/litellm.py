"""LiteLLM: a function around `completion`, and a callback for the proxy.

client = Unburden(target_tokens=60_000)
completion = offloading(client, litellm.completion)      # or litellm.acompletion, router.acompletion
answer = completion(model="…", messages=messages, tools=[*my_tools, *client.tool_definitions("openai")])

The text of a tool call that names a retrieval tool is `client.run_tool(name, arguments)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from ..aio import AsyncUnburden
from ..client import Unburden
from ..settings import Settings
from .extras import needs

with needs("litellm"):
    from litellm.integrations.custom_logger import CustomLogger

if TYPE_CHECKING:
    from typing_extensions import Unpack

P = ParamSpec("P")
R = TypeVar("R")


def offloading(
    client: Unburden | AsyncUnburden, completion: Callable[P, R], **settings: Unpack[Settings]
) -> Callable[P, R]:
    """`completion` with a smaller history.

    The caller's list stays as it is: the service gets it anew with each call and answers with the
    same bytes and the same snapshots.

    Args:
        client: of the service.
        completion: `litellm.completion`, `litellm.acompletion`, or the same of a router.
        **settings: before those of the client.
    """
    made = AsyncUnburden.of(client)
    parameters = inspect.signature(completion)

    def asked(given: dict[str, Any]) -> dict[str, Any]:
        tools = given.get("tools") or given.get("kwargs", {}).get("tools")
        return {"tools": tools or None, "format": "openai-chat", **settings}

    if inspect.iscoroutinefunction(completion):

        @wraps(completion)
        async def arun(*args: Any, **kwargs: Any) -> Any:
            bound = parameters.bind(*args, **kwargs)
            given = bound.arguments
            given["messages"] = (await made.offload(list(given["messages"]), **asked(given))).messages
            return await completion(*bound.args, **bound.kwargs)

        return cast("Callable[P, R]", arun)

    @wraps(completion)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = parameters.bind(*args, **kwargs)
        given = bound.arguments
        given["messages"] = made.sync.offload(list(given["messages"]), **asked(given)).messages
        return completion(*bound.args, **bound.kwargs)

    return run


class UnburdenHandler(CustomLogger):
    """A callback for LiteLLM's proxy that makes the history of each chat completion smaller.

    `litellm_settings.callbacks: my_handlers.handler` of the proxy's configuration names an
    instance. The agent behind the proxy needs the retrieval tools.
    """

    def __init__(self, client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> None:
        """`settings` go before those of the client."""
        super().__init__()
        self._client = AsyncUnburden.of(client)
        self._settings = settings

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: Any
    ) -> dict[str, Any]:
        """The request with a smaller history."""
        if call_type not in ("completion", "acompletion") or not isinstance(data.get("messages"), list):
            return data
        asked: dict[str, Any] = {"tools": data.get("tools"), "format": "openai-chat", **self._settings}
        result = await self._client.offload(data["messages"], **asked)
        return {**data, "messages": result.messages}
