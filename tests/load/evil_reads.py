"""Harm by what is asked of files, over HTTP and MCP, and what is asked of another's."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from attack import Evil
from evil_posts import Minted, log, offload, turn, user
from good_chat import Chat
from home import EVIL_MARK, NUMBER, Home
from neighbour import neighbour
from planted import HOLES, Planted

# Of few records: it takes no memory, and all of its time.
FOR_EVER = {"query": "last(repeat(1))", "slurp": True}
Body = Callable[[random.Random], dict[str, Any]]


def _evil(home: Home, kind: str, route: str, body: Body) -> Evil:
    return Evil(kind, lambda dice: home.post(route, body(dice)))


def reads(home: Home, planted: Planted, minted: Minted) -> Iterator[Evil]:
    """Patterns without end, pages without number, files that are all hole."""
    patterns = [p for p in neighbour("regexes").PATTERNS if len(p) <= 1024]
    lines, line, holes = planted.lines, planted.line, planted.holes

    def grep(path: str, **more: Any) -> Body:
        return lambda dice: {"pattern": dice.choice(patterns), "path": path, **more}

    yield _evil(home, "grep lines", "/grep", grep(lines))
    yield _evil(home, "grep one line", "/grep", grep(line, context=50))
    yield _evil(home, "grep all", "/grep", grep(str(home.folder), glob="**/*{a,b}*"))
    yield _evil(home, "grep holes", "/grep", grep(holes))
    yield _evil(home, "grep every line", "/grep", lambda _: {"pattern": ".", "path": lines})

    def read(path: str, **more: Any) -> Body:
        return lambda dice: {"absolute_path": path, **more}

    yield _evil(home, "read_file whole", "/read_file", read(lines))
    yield _evil(home, "read_file controls", "/read_file", read(minted.controls))
    yield _evil(home, "read_file to the last token", "/read_file", read(lines, max_tokens=10**6))
    last = planted.count - 2
    yield _evil(home, "read_file last line", "/read_file", read(lines, offset=last, limit=1))

    def page(dice: random.Random) -> dict[str, Any]:
        return {"absolute_path": lines, "offset": dice.randrange(last), "limit": 1}

    yield _evil(home, "read_file small pages", "/read_file", page)
    far = {"byte_offset": planted.bytes - 10, "byte_limit": 1}
    yield _evil(home, "read_file of a line by bytes", "/read_file", read(line, **far))
    for name in HOLES:
        path = f"{holes}/{name}"
        yield _evil(home, "read_file hole", "/read_file", read(path))
        yield _evil(home, "read_file hole's end", "/read_file", read(path, offset=10**9, limit=1))
        asked = {"result_id": path, "lines": "grep:(a|b)+"}
        yield _evil(home, "read_tool_result hole", "/read_tool_result", lambda _, a=asked: a)
    for lines_of in ("all", "head_tail:100000", "grep:(x+x+)+y", "last:1"):
        asked = {"result_id": lines, "lines": lines_of}
        yield _evil(home, "read_tool_result lines", "/read_tool_result", lambda _, a=asked: a)
    for name in ("call_1", "call_nowhere", "0"):
        asked = {"result_id": name}
        yield _evil(home, "read_tool_result by id", "/read_tool_result", lambda _, a=asked: a)


def records(home: Home, planted: Planted) -> Iterator[Evil]:
    """Filters, conditions and recipes that have much to do."""
    filters = neighbour("filters").FILTERS
    regexes = neighbour("regexes").PATTERNS
    deep: dict[str, Any] = {"field": "text", "op": "matches", "value": "(a|b)*c"}
    for _ in range(30):
        deep = {"not": deep}
    many = [{"field": "text", "op": "contains", "value": f"{n}z"} for n in range(190)]
    questions: dict[str, Body] = {
        "jq each": lambda dice: {"query": dice.choice(filters)[:16_000]},
        "jq all": lambda dice: {"query": dice.choice(filters)[:16_000], "slurp": True},
        "jq for ever": lambda _: FOR_EVER | {"file_path": planted.few},
        "jq memory": lambda _: {"query": "[range(1e9)]", "slurp": True},
        "where matches": lambda dice: {
            "where": {"field": "text", "op": "matches", "value": dice.choice(regexes)[:1000]}
        },
        "where deep": lambda _: {"where": deep, "count": True},
        "where many": lambda _: {"where": {"any": many}, "sort_by": ["-text", "id"]},
        "group_by": lambda _: {"group_by": "text"},
        "sort_by": lambda _: {"where": {}, "sort_by": ["-text", "-id"], "max_tokens": 10**6},
        "ids": lambda dice: {"ids": [dice.randrange(10**7) for _ in range(10_000)]},
        "recipe": lambda dice: {"recipe": dice.randrange(1, 11)},
    }
    for kind, question in questions.items():

        def body(dice: random.Random, question: Body = question) -> dict[str, Any]:
            return {"file_path": planted.rows} | question(dice)

        yield _evil(home, kind, "/lro_extract", body)
    hole = {"file_path": f"{planted.holes}/{HOLES[-1]}", "group_by": "a"}
    yield _evil(home, "extract hole", "/lro_extract", lambda _: hole)


def mcp(home: Home, planted: Planted) -> Iterator[Evil]:
    """The same by the other door, and messages that are none."""
    patterns = [p for p in neighbour("regexes").PATTERNS if len(p) <= 1024]
    store = str(home.folder / "mcp")
    rows = [{"id": n, "text": EVIL_MARK} for n in range(60_000)]
    large = offload(store, [user("go"), *turn(1, log(6_000_000)), user("on")], "auto")
    calls: dict[str, Callable[[random.Random], tuple[str, dict[str, Any]]]] = {
        "mcp grep": lambda d: ("grep", {"pattern": d.choice(patterns), "path": planted.lines}),
        "mcp read_file": lambda _: ("read_file", {"absolute_path": planted.lines}),
        "mcp extract": lambda _: (
            "lro_extract",
            FOR_EVER | {"file_path": planted.few},
        ),
        "mcp read_tool_result": lambda _: ("read_tool_result", {"result_id": planted.lines}),
        "mcp offload": lambda d: ("context_offload", large | {"chat_id": str(d.random())}),
        "mcp many objects": lambda _: ("grep", {"pattern": "a", "rows": rows}),
    }
    for kind, call in calls.items():

        def body(dice: random.Random, call: Any = call) -> dict[str, Any]:
            name, arguments = call(dice)
            params = {"name": name, "arguments": arguments}
            return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

        yield _evil(home, kind, "/mcp", body)
    nested = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b"[" * 10**6
    batch = b"[" + b'{"jsonrpc":"2.0","id":1,"method":"tools/list"},' * 100_000 + b"{}]"
    list_tools = {"jsonrpc": "2.0", "id": NUMBER, "method": "tools/list"}
    for kind, sent in {"mcp nested": nested, "mcp batch": batch, "mcp list": list_tools}.items():
        request = home.post("/mcp", sent)
        yield Evil(kind, lambda _, request=request: request)


def others(home: Home, victim: Home, chat: Chat) -> Iterator[Evil]:
    """Asks for what is the good tenant's: its files, its notes, its chats, by every door."""
    path, store = chat.paths[0], chat.store
    # Its notes without its texts: what comes back then came from its files.
    note = "\n".join(chat.messages[2]["content"].split("\n")[-2:])
    notes = [user("go"), *turn(0, note), user("on")]
    asked: dict[str, dict[str, Any]] = {
        "/read_file": {"absolute_path": path},
        "/grep": {"pattern": ".", "path": store},
        "/read_tool_result": {"result_id": "call_0", "store_dir": store},
        "/lro_extract": {"file_path": chat.records, "query": "."},
        "/rehydrate": {"messages": notes},
        "/context_offload": offload(store, [user("go"), *turn(1, log(9000)), user("on")]),
        "/offload_result": {"operation": "x", "results": [1] * 9000, "output_dir": store},
    }
    for route, body in asked.items():
        yield _evil(home, f"another's {route[1:]}", route, lambda _, body=body: body)
    lent = offload(str(home.folder / "lent"), notes)
    yield _evil(home, "another's history", "/context_offload", lambda _: lent)
    tool = {"name": "read_file", "arguments": {"absolute_path": path}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
    yield _evil(home, "another's by mcp", "/mcp", lambda _: call)
    for query in ("", f"?store_dir={store}"):
        request = home.bare("DELETE", f"/chats/{chat.number}{query}")
        yield Evil("another's chat", lambda _, request=request: request)
    dots = {"pattern": ".", "path": f"{home.folder}/../{victim.name}"}
    yield _evil(home, "another's by dots", "/grep", lambda _: dots)
