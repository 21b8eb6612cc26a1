"""A client of the official Python SDK, either major, driven over lines of JSON.

    python sdk.py '{"transport": "stdio", "command": "…", "args": […]}'
    python sdk.py '{"transport": "http", "url": "…", "headers": {…}}'

`generation` beside `transport` is the protocol version that the client must end up with. The first
line on standard output says what it connected to, or why not. Then every line of standard input is
a request (`id`, `do`: list, call, level, prompts, resources), answered by a line with its `id` in
any order; what the server sends of its own accord is a line with `event`. End of input closes the
session.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from importlib.metadata import version
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

MAJOR = int(version("mcp").split(".")[0])
# A history with large results is one line.
LINE_LIMIT = 256 * 1024 * 1024


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def dumped(model: Any) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def sampled(_context: Any, params: Any) -> types.CreateMessageResult:
    say({"event": "sampling", "params": dumped(params)})
    return types.CreateMessageResult.model_validate(
        {
            "role": "assistant",
            "content": {"type": "text", "text": "sampled by the client"},
            "model": "none",
        }
    )


async def elicited(_context: Any, params: Any) -> types.ElicitResult:
    say({"event": "elicitation", "params": dumped(params)})
    return types.ElicitResult.model_validate(
        {"action": "accept", "content": {"name": "Ada of the client"}}
    )


async def logged(params: Any) -> None:
    say({"event": "log", "params": dumped(params)})


HANDLERS = {
    "sampling_callback": sampled,
    "elicitation_callback": elicited,
    "logging_callback": logged,
}


def transport(target: dict[str, Any]) -> Any:
    if target["transport"] == "stdio":
        return stdio_client(
            StdioServerParameters(
                command=target["command"], args=target["args"], env=target.get("env")
            )
        )
    http = create_mcp_http_client(headers=target.get("headers"))
    return streamable_http_client(target["url"], http_client=http)


async def connected(stack: AsyncExitStack, target: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The session, and what it connected to."""
    if MAJOR == 1:
        streams = await stack.enter_async_context(transport(target))
        session = await stack.enter_async_context(ClientSession(streams[0], streams[1], **HANDLERS))
        answer = await session.initialize()
        info = {"version": str(answer.protocolVersion), "server": answer.serverInfo.name}
        return session, info | {"instructions": answer.instructions}
    from mcp import Client

    legacy = target["generation"] < "2026"
    # `auto` asks the server what it speaks, so the newest must be found and not assumed.
    client = Client(transport(target), mode="legacy" if legacy else "auto", **HANDLERS)
    await stack.enter_async_context(client)
    info = {
        "version": client.protocol_version,
        "server": client.server_info and client.server_info.name,
    }
    return client, info | {"instructions": client.session.instructions}


async def list_tools(session: Any) -> dict[str, Any]:
    tools, cursor = [], None
    while True:
        if MAJOR == 1:
            page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        else:
            page = await session.list_tools(cursor=cursor)
        page = dumped(page)
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if cursor is None:
            return {"tools": tools}


async def call(session: Any, request: dict[str, Any]) -> dict[str, Any]:
    async def progress(done: float, total: float | None, message: str | None) -> None:
        say({"event": "progress", "params": {"progress": done, "total": total, "message": message}})

    wanted = {"progress_callback": progress} if request.get("progress") else {}
    return dumped(await session.call_tool(request["name"], request.get("arguments", {}), **wanted))


async def done(session: Any, request: dict[str, Any]) -> dict[str, Any]:
    if request["do"] == "list":
        return await list_tools(session)
    if request["do"] == "prompts":
        return dumped(await session.list_prompts())
    if request["do"] == "resources":
        return dumped(await session.list_resources())
    if request["do"] == "level":
        return dumped(await session.set_logging_level(request["level"]))
    return await call(session, request)


async def answer(session: Any, request: dict[str, Any]) -> None:
    try:
        # Given up by the client after that many seconds, which the server hears of.
        with anyio.move_on_after(request.get("give_up", 120)) as scope:
            say({"id": request["id"], "result": await done(session, request)})
        if scope.cancelled_caught:
            say({"id": request["id"], "error": {"code": None, "message": "given up"}})
    except Exception as error:
        # An error answer of the protocol carries a code; a complaint of the SDK's has none.
        data = getattr(error, "error", None)
        code = getattr(data, "code", None)
        say({"id": request["id"], "error": {"code": code, "message": f"{error}"}})


def root_cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


async def lines() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


async def main(target: dict[str, Any]) -> None:
    reader = await lines()
    async with AsyncExitStack() as stack:
        session, info = await connected(stack, target)
        say({"connected": info})
        async with anyio.create_task_group() as tasks:
            while line := await reader.readline():
                tasks.start_soon(answer, session, json.loads(line))


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1])))
    except BaseException as error:
        say({"refused": root_cause(error)})
        sys.exit(1)
