"""Harm by lines: memory that is held, answers that nobody takes, requests that are none."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from attack import Evil, Manner
from evil_posts import Minted, log, offload, turn, user
from home import NUMBER, Home
from neighbour import broken
from planted import Planted

MIB = 1024 * 1024
# Longest of the requests that are broken on purpose.
BROKEN = 8 * MIB
# Sizes of bodies that do not end, in KiB, and on how many lines at a time: small ones have
# memory of their own, which is to be full as well.
SIZES = {20: 20, 100: 12, 130: 12, 4_000: 2, 30_000: 1}
# Lines that one attacker opens at a time where lines are the harm.
LINES = 40


def holds(home: Home, planted: Planted, minted: Minted) -> Iterator[Evil]:
    """Bodies that do not end, small and large, and large answers that stay where they are."""
    store = str(home.folder / "held")
    for kib, many in SIZES.items():
        body = offload(store, [user("go"), *turn(1, log(kib * 1024)), user("on")])
        request = home.post("/context_offload", body)
        yield Evil(f"holds {kib} KiB", lambda _, request=request: request, Manner.HOLDS, many)
    chunked = (
        f"POST /validate HTTP/1.1\r\nHost: localhost\r\n{home.bearer}"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode() + b"1000\r\n" + b" " * 4096 + b"\r\n" + b"1\r\n \r\n" * 20
    yield Evil("holds chunks", lambda _: chunked, Manner.HOLDS)
    unread = {
        "/read_file": {"absolute_path": planted.lines},
        "/read_tool_result": {"result_id": planted.lines},
        "/grep": {"pattern": ".", "path": planted.lines},
        "/rehydrate": {"messages": turn(1, minted.reference) * 100},
        "/validate": {"messages": [user("a")] * 20_000},
        "/context_offload": offload(store, [user(log(5 * MIB))]),
    }
    for route, body in unread.items():
        request = home.post(route, body)
        yield Evil(f"{route[1:]} unread", lambda _, request=request: request, Manner.DEAF)
    tool = {"name": "read_file", "arguments": {"absolute_path": planted.lines}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
    request = home.post("/mcp", call)
    yield Evil("mcp unread", lambda _: request, Manner.DEAF)
    many = home.bare("GET", "/openapi.yaml").replace(b"Connection: close\r\n", b"") * 60
    yield Evil("openapi unread", lambda _: many, Manner.DEAF)


def lines(home: Home) -> Iterator[Evil]:
    """Lines without requests, and requests that are broken in every way."""
    head = f"POST /context_offload HTTP/1.1\r\nHost: localhost\r\n{home.bearer}".encode()
    for kind, part in {
        "idle lines": b"",
        "half heads": head,
        "announced bodies": head + b"Content-Length: 30000000\r\n\r\n",
    }.items():
        yield Evil(kind, lambda _, part=part: part, Manner.IDLES, LINES)
    wrong = list(broken(home.bearer, BROKEN))
    yield Evil("broken requests", lambda dice: dice.choice(wrong))
    texts = (
        b"",
        b"{",
        b'{"messages":',
        b'{"messages":[{"role":"user","content":"' + b"a" * MIB,
        b"[" * MIB,
        b'{"messages":' + b"[" * MIB + b"]" * MIB + b"}",
        b"\xff" * MIB,
        b'{"a":' * 100_000,
        b'"' + b"\\ud800" * 100_000 + b'"',
        b" " * (16 * MIB),
        json.dumps({"messages": {str(n): n for n in range(50_000)}}).encode(),
    )
    routes = (
        "/context_offload",
        "/grep",
        "/read_file",
        "/rehydrate",
        "/count_tokens",
        "/validate",
        "/offload_result",
        "/lro_extract",
        "/read_tool_result",
        "/mcp",
        f"/chats/{NUMBER}",
        "/nowhere",
    )

    def malformed(dice: random.Random) -> bytes:
        return home.post(dice.choice(routes), dice.choice(texts))

    yield Evil("malformed bodies", malformed)
    for route in ("/metrics", "/version", "/tools?format=anthropic", "/openapi.yaml", "/readyz"):
        request = home.bare("GET", route)
        yield Evil(f"GET {route.split('?')[0]}", lambda _, request=request: request)
    stranger = Home("nobody", "a-token-that-opens-nothing", home.folder)
    refused = stranger.post("/context_offload", b" " * (16 * MIB))
    yield Evil("no token, large body", lambda _: refused)
    over = head + b"Content-Length: 90000000\r\nConnection: close\r\n\r\n" + b" " * (16 * MIB)
    yield Evil("above the limit", lambda _: over)
