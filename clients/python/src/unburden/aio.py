"""The client for asyncio."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .client import Unburden
from .definitions import ToolFormat
from .results import (
    Counted,
    Extracted,
    Grep,
    M,
    Offloaded,
    Page,
    Rehydrated,
    Stored,
    ToolResult,
    Totals,
    Validated,
)
from .settings import Format, Settings
from .tool_calls import MAX_TOKENS

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
_THREADS = 16


class AsyncUnburden:
    """`Unburden` for asyncio: the same calls, to be awaited.

    The exchange runs in threads of its own, at most 16 at a time, so that a service that hangs
    neither holds up the event loop nor takes the loop's own threads, which name lookups need. A
    call that is cancelled ends at once; its thread ends with the exchange.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        token: str | None = None,
        timeout: float = 30.0,
        connect_timeout: float = 2.0,
        fail_open: bool = True,
        on_warning: Callable[[str], None] | None = None,
        model: str | None = None,
        prefix: str = "",
        autostart: bool = False,
        **defaults: Unpack[Settings],
    ) -> None:
        """See `Unburden`. With `autostart` it returns when the service is ready, after some tenths of a
        second: make it before the event loop runs, or in a thread."""
        self._adopt(
            Unburden(
                base_url,
                token=token,
                timeout=timeout,
                connect_timeout=connect_timeout,
                fail_open=fail_open,
                on_warning=on_warning,
                model=model,
                prefix=prefix,
                autostart=autostart,
                **defaults,
            )
        )

    @classmethod
    def of(cls, client: Unburden | AsyncUnburden) -> AsyncUnburden:
        """The same client, to be awaited: settings, connections and outages are shared."""
        if isinstance(client, AsyncUnburden):
            return client
        made = cls.__new__(cls)
        made._adopt(client)
        return made

    def _adopt(self, client: Unburden) -> None:
        self.sync = client
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="unburden")

    @property
    def log(self) -> str | None:
        """See `Unburden.log`."""
        return self.sync.log

    @property
    def totals(self) -> Totals:
        """See `Unburden.totals`."""
        return self.sync.totals

    async def offload(
        self,
        messages: list[M],
        *,
        system: Any = None,
        tools: Any = None,
        model: str | None = None,
        format: Format | None = None,
        chat_id: str | None = None,
        **settings: Unpack[Settings],
    ) -> Offloaded[M]:
        """See `Unburden.offload`. `messages` must not change until it is done."""
        call: Callable[[], Offloaded[M]] = partial(
            self.sync.offload,
            messages,
            system=system,
            tools=tools,
            model=model,
            format=format,
            chat_id=chat_id,
            **settings,
        )
        return await self._run(call)

    async def grep(
        self,
        pattern: str,
        path: str | None = None,
        *,
        glob: str | None = None,
        limit: int | None = None,
        context: int | None = None,
        ignore_case: bool | None = None,
        literal: bool | None = None,
        max_tokens: int | None = None,
    ) -> Grep:
        """See `Unburden.grep`."""
        call = partial(self.sync.grep, pattern, path, glob=glob, limit=limit, context=context)
        return await self._run(partial(call, ignore_case=ignore_case, literal=literal, max_tokens=max_tokens))

    async def read_file(
        self,
        path: str,
        *,
        offset: int | None = None,
        limit: int | None = None,
        byte_offset: int | None = None,
        byte_limit: int | None = None,
        max_tokens: int | None = None,
    ) -> Page:
        """See `Unburden.read_file`."""
        call = partial(self.sync.read_file, path, offset=offset, limit=limit, max_tokens=max_tokens)
        return await self._run(partial(call, byte_offset=byte_offset, byte_limit=byte_limit))

    async def read_tool_result(
        self,
        result_id: str,
        *,
        lines: str | None = None,
        store_dir: str | None = None,
        max_tokens: int | None = None,
    ) -> ToolResult:
        """See `Unburden.read_tool_result`."""
        call = partial(self.sync.read_tool_result, result_id, lines=lines)
        return await self._run(partial(call, store_dir=store_dir, max_tokens=max_tokens))

    async def extract(
        self,
        file_path: str,
        where: Mapping[str, Any] | None = None,
        *,
        ids: Sequence[str | int | float] | None = None,
        id_field: str | None = None,
        select: str | Sequence[str] | None = None,
        count: bool | None = None,
        group_by: str | None = None,
        sort_by: str | Sequence[str] | None = None,
        recipe: int | None = None,
        query: str | None = None,
        sql: str | None = None,
        slurp: bool | None = None,
        params: Mapping[str, Any] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        max_tokens: int | None = None,
    ) -> Extracted:
        """See `Unburden.extract`."""
        call = partial(self.sync.extract, file_path, where, ids=ids, id_field=id_field, select=select)
        call = partial(call, count=count, group_by=group_by, sort_by=sort_by, recipe=recipe, query=query)
        call = partial(call, sql=sql, slurp=slurp, params=params, limit=limit, offset=offset)
        return await self._run(partial(call, max_tokens=max_tokens))

    async def offload_result(
        self,
        operation: str,
        *,
        results: Sequence[Any] | None = None,
        content: str | None = None,
        query: str | None = None,
        detail: str | None = None,
        threshold_tokens: int | None = None,
        ttl_seconds: int | None = None,
        output_dir: str | None = None,
        profile: Literal["general", "mif", "mif-6400"] | None = None,
        descriptor: Literal["full", "no_recipes", "no_schema", "compact", "pointer"] | None = None,
        score_field: str | None = None,
    ) -> Stored:
        """See `Unburden.offload_result`."""
        call = partial(self.sync.offload_result, operation, results=results, content=content, query=query)
        call = partial(call, detail=detail, threshold_tokens=threshold_tokens, ttl_seconds=ttl_seconds)
        call = partial(call, output_dir=output_dir, profile=profile)
        return await self._run(partial(call, descriptor=descriptor, score_field=score_field))

    async def count_tokens(
        self,
        messages: Sequence[Any],
        *,
        tools: Any = None,
        system: Any = None,
        model: str | None = None,
        format: Format | None = None,
    ) -> Counted:
        """See `Unburden.count_tokens`."""
        call = partial(self.sync.count_tokens, messages, tools=tools, system=system)
        return await self._run(partial(call, model=model, format=format))

    async def validate(self, messages: Sequence[Any], *, format: Format | None = None) -> Validated:
        """See `Unburden.validate`."""
        return await self._run(partial(self.sync.validate, messages, format=format))

    async def rehydrate(
        self, messages: Sequence[Any], system: Any = None, *, format: Format | None = None
    ) -> Rehydrated:
        """See `Unburden.rehydrate`."""
        return await self._run(partial(self.sync.rehydrate, messages, system, format=format))

    async def healthy(self) -> bool:
        """See `Unburden.healthy`."""
        return await self._run(self.sync.healthy)

    def tool_definitions(self, format: ToolFormat) -> list[dict[str, Any]]:
        """See `Unburden.tool_definitions`; nothing is awaited."""
        return self.sync.tool_definitions(format)

    async def run_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None, *, max_tokens: int = MAX_TOKENS
    ) -> str:
        """See `Unburden.run_tool`."""
        return await self._run(partial(self.sync.run_tool, name, arguments, max_tokens=max_tokens))

    async def close(self) -> None:
        """Closes the idle connections and lets the idle threads go. No call can follow."""
        self._threads.shutdown(wait=False)
        self.sync.close()

    async def __aenter__(self) -> AsyncUnburden:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, call: Callable[[], T]) -> T:
        # Loggers and tracers of the caller find their request in the context.
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._threads, context.run, call)
