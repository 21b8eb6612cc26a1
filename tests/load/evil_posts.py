"""Harm by what is posted: histories, results and references of the largest sizes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from attack import Evil, Make, Manner
from home import EVIL_MARK, NUMBER, Home
from neighbour import neighbour

MIB = 1024 * 1024
# The body limit, what may be let in beside little else, and what is let in again and again.
SIZES = (36, 16, 64)
OFTEN = 4
SHORT = ("chat", "many_results", "one_log", "records_strange", "references", "wide_parts")
MODES = ("auto", "compress", "compact")
# The text before the messages in a shape's request, and its replacement.
PLAIN = b'"include_files":false'
# Where a shape's result or words begin: a text that nobody sent before is counted anew.
BEGINS = re.compile(rb'("tool_call_id":"call_1","content":"|"role":"user","content":")(?![\[{])')


@dataclass(frozen=True)
class Minted:
    """The service's gifts to the attacker: a reference and a snapshot that are real, and the
    path of a result that takes six times its bytes to spell."""

    reference: str
    snapshot: str
    controls: str


def numbered(request: bytes) -> Make:
    """Each time another request: a number takes the place of each mark."""
    pieces = request.split(NUMBER.encode())

    def make(dice: random.Random) -> bytes:
        return (b"%0*d" % (len(NUMBER), dice.randrange(10**9))).join(pieces)

    return make


def log(length: int, start: int = 0) -> str:
    """Lines of a log, each with the mark; so many bytes."""
    numbers = range(start, start + length // 40)
    return "\n".join(f"{n:>6} error: {EVIL_MARK} exit code {n % 7}" for n in numbers)


def turn(number: int, text: str) -> list[dict[str, Any]]:
    """A call and its result."""
    function = {"name": "run", "arguments": "{}"}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": text},
    ]


def user(text: str) -> dict[str, Any]:
    """Words of the user."""
    return {"role": "user", "content": text}


def offload(store: str, messages: list[Any], mode: str = "compact", **more: Any) -> dict[str, Any]:
    """A request that moves what it can."""
    limits = {"max_total_tokens": 1, "max_tool_message_tokens": 1, "include_files": False}
    asked = {"store_dir": store, "context_manage_mode": mode, "messages": messages}
    return asked | limits | more


def histories(home: Home, full: bool) -> Iterator[Evil]:
    """Each shape in each mode, to the routes that take a history."""
    shapes = neighbour("shapes")
    names = list(shapes.SHAPES) if full else SHORT
    store = str(home.folder / "posted" / NUMBER)
    for n, name in enumerate(names):
        mode = MODES[n % len(MODES)]
        sizes = (SIZES[n % len(SIZES)], OFTEN) if full else (OFTEN * 2,)
        for size in sizes:
            body = shapes.body(name, size * MIB - 4096, store)
            more = {"chat_id": f"{EVIL_MARK}-{NUMBER}", "max_total_tokens": 1}
            more |= {"context_manage_mode": mode, "max_tool_message_tokens": 1}
            more |= {"keep_recent_count": 1, "repair": n % 2 == 0, "group_token_threshold": 2000}
            members = PLAIN + b"," + json.dumps(more)[1:-1].encode()
            body = body.replace(PLAIN, members, 1)
            body = BEGINS.sub(rb"\g<1>" + f"{EVIL_MARK} {NUMBER} ".encode(), body, count=1)
            yield Evil(f"{mode} {name} {size}", numbered(home.post("/context_offload", body)))
        route = ("/validate", "/count_tokens")[n % 2]
        yield Evil(f"{route[1:]} {name}", numbered(home.post(route, body)))
    yield from _fills(home)
    yield Evil("left alone", numbered(home.post("/context_offload", body)), Manner.LEAVES)


def _fills(home: Home) -> Iterator[Evil]:
    """Texts that a tokenizer takes long for, each time with a number in them."""
    fills = neighbour("fills")
    for name in ("any unicode", "combining marks", "base64", "letters", "brackets"):
        unit = fills.FILLS[name]()
        text = f"{EVIL_MARK} {NUMBER} " + unit * max(1, MIB // len(unit.encode()))
        body = json.dumps({"messages": [user("go"), *turn(1, text), user("on")]}).encode()
        yield Evil(f"count_tokens of {name}", numbered(home.post("/count_tokens", body)))


def results(home: Home, full: bool) -> Iterator[Evil]:
    """Arrays of records, flat, deep, and each unlike the others."""
    most = (24 if full else 6) * MIB
    store = str(home.folder / "results")
    flat = ",".join(f'{{"id":{n},"text":"{EVIL_MARK} {n % 97}"}}' for n in range(most // 48))
    strange = ",".join(f'{{"k{n}":{n}}}' for n in range(most // 96))
    deep = ",".join('{"a":' * 60 + str(n) + "}" * 60 for n in range(most // 4000))
    wide = ",".join(
        "{" + ",".join(f'"f{k}":{n * k}' for k in range(400)) + "}" for n in range(most // 40_000)
    )
    for name, rows in {"flat": flat, "strange": strange, "deep": deep, "wide": wide}.items():
        head = {"operation": f"{name}-{NUMBER}", "output_dir": store, "threshold_tokens": 1}
        head |= {"descriptor": "full", "query": EVIL_MARK}
        body = json.dumps(head)[:-1] + f',"results":[{{"id":"{NUMBER}"}},{rows}]}}'
        yield Evil(f"offload_result {name}", numbered(home.post("/offload_result", body.encode())))
    content = {"operation": "text", "output_dir": store, "content": f"{NUMBER} [{flat[:most // 3]}"}
    made = numbered(home.post("/offload_result", content))
    yield Evil("offload_result of a text", made)


def references(home: Home, minted: Minted, full: bool) -> Iterator[Evil]:
    """References by the hundred thousand: forged ones, and real ones again and again."""
    store = str(home.folder / "minted")
    forged = "[3 lines, 30 tokens, 300 bytes; all left out; ref {:015d}]\n"
    forged += f"(detailed result is stored in {store}/tool_call_{{}}.txt)"
    for count in (1_000, 20_000, 100_000) if full else (1_000, 20_000):
        lies = [user(forged.format(n * 7919 % 10**15, n % 1000)) for n in range(count)]
        astray = [user(minted.reference)] * count
        real = turn(1, minted.reference) * (count // 4)
        for name, messages in {"forged": lies, "astray": astray, "real": real}.items():
            body = {"messages": [*messages, user(NUMBER)]}
            yield Evil(f"rehydrate {count} {name}", numbered(home.post("/rehydrate", body)))
            asked = offload(store, body["messages"], "auto", chat_id=NUMBER)
            made = numbered(home.post("/context_offload", asked))
            yield Evil(f"offload of {count} {name}", made)
    again = [{"role": "system", "content": "\n\n".join([minted.snapshot] * 500)}, user(NUMBER)]
    yield Evil("rehydrate snapshots", numbered(home.post("/rehydrate", {"messages": again})))
    lists = f"(Original 7 messages are stored in: {store}/compressed_group_c_..._{{0..99999}}.json)"
    block = re.sub(r"\(Original [^\n]*\)", lists, minted.snapshot)
    system = [{"role": "system", "content": block}, user(NUMBER)]
    yield Evil("rehydrate a long list", numbered(home.post("/rehydrate", {"messages": system})))


def chats(home: Home) -> Iterator[Evil]:
    """Chats of many files, which are posted to, compressed and deleted at the same time."""
    store = str(home.folder / "chats")
    turns = [part for n in range(300) for part in turn(n, f"{NUMBER}\n{log(900, n)}")]
    for k in range(3):
        chat = f"{EVIL_MARK}-{k}"
        body = offload(store, [user("go"), *turns, user("on")], chat_id=chat)
        yield Evil("post 300 results", numbered(home.post("/context_offload", body)))
        talk = [user(f"{EVIL_MARK} {NUMBER} {n}: {log(400, n)}") for n in range(60)]
        body = offload(store, talk, "compress", chat_id=chat, group_token_threshold=500)
        yield Evil("compress a chat", numbered(home.post("/context_offload", body)))
        for name, query in {
            "delete": f"?store_dir={store}",
            "delete everywhere": "",
            "delete dry": "?dry_run=true",
        }.items():
            request = home.bare("DELETE", f"/chats/{chat}{query}")
            yield Evil(name, lambda _, request=request: request)
