"""LiteLLM: a function around `completion`, and a callback for the proxy.

client = Unburden(target_tokens=60_000)
completion = offloading(client, litellm.completion)      # or litellm.acompletion, router.acompletion
answer = completion(model="…", messages=messages, tools=[*my_tools, *client.tool_definitions("openai")])

The text of a tool call that names a retrieval tool is `client.run_tool(name, arguments)`.
"""

from __future__ import annotations

import copy
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

    The caller's list and the messages in it stay as they are: the service gets them anew with each
    call and answers with the same bytes and the same snapshots. The other arguments are passed on as
    they were given.

    Args:
        client: of the service.
        completion: `litellm.completion`, `litellm.acompletion`, or the same of a router.
        **settings: before those of the client.
    """
    made = AsyncUnburden.of(client)
    names = list(inspect.signature(completion).parameters)

    def found(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        at = names.index(name) if name in names else len(args)
        return kwargs.get(name, args[at] if at < len(args) else None)

    def asked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        return {"tools": found("tools", args, kwargs) or None, "format": "openai-chat", **settings}

    def replaced(
        args: tuple[Any, ...], kwargs: dict[str, Any], messages: list[Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        # LiteLLM turns the tool calls of messages into dicts, in place.
        copies = [_copied(message) for message in messages]
        if "messages" in kwargs:
            return args, {**kwargs, "messages": copies}
        at = names.index("messages")
        return (*args[:at], copies, *args[at + 1 :]), kwargs

    if inspect.iscoroutinefunction(completion):

        @wraps(completion)
        async def arun(*args: Any, **kwargs: Any) -> Any:
            messages = found("messages", args, kwargs)
            if messages is not None:
                result = await made.offload(list(messages), **asked(args, kwargs))
                args, kwargs = replaced(args, kwargs, result.messages)
            return await completion(*args, **kwargs)

        return cast("Callable[P, R]", arun)

    @wraps(completion)
    def run(*args: Any, **kwargs: Any) -> R:
        messages = found("messages", args, kwargs)
        if messages is not None:
            result = made.sync.offload(list(messages), **asked(args, kwargs))
            args, kwargs = replaced(args, kwargs, result.messages)
        return completion(*args, **kwargs)

    return cast("Callable[P, R]", run)


def _copied(message: Any) -> Any:
    try:
        return copy.deepcopy(message)
    except Exception:
        # A message that cannot be copied must not cost the turn.
        return message


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
