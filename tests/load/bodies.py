"""Chats as agents have them: some hundred KB, most of it results of tools. Each is new."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import count

# Stands for a number that no other chat has; as long as what takes its place.
MARK = "@@CHAT_NO@@"
TEMPLATES = 8
WORDS = (
    "order weight customer invoice stock basket carrier address total discount currency country "
    "retry timeout cursor buffer handler parser session account ledger shipment parcel rate"
).split()


class Chats:
    """Requests to /context_offload; `seed` keeps those of two clients apart."""

    def __init__(self, seed: int) -> None:
        self.parts = templates()
        self.numbers = count(seed * 1_000_000)

    def request(self) -> bytes:
        """The next chat, as the bytes of a request."""
        number = next(self.numbers)
        mark = b"%0*d" % (len(MARK), number)
        return mark.join(self.parts[number % TEMPLATES])


@cache
def templates() -> list[list[bytes]]:
    """Requests in the pieces between their marks. Made once: it takes a while; and whole,
    since a crowd computes on the cores of what it measures."""
    dice = random.Random(7)
    bodies = [_body(dice, dice.randrange(300, 600) * 1024) for _ in range(TEMPLATES)]
    return [post("/context_offload", body.encode()).split(MARK.encode()) for body in bodies]


def post(path: str, body: bytes, headers: str = "") -> bytes:
    """A request on a connection that ends with it."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    ).encode() + body


def get(path: str) -> bytes:
    """A request without a body."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


def small(number: int) -> bytes:
    """A chat of a few KB with one result that moves."""
    result = "\n".join(f"{n}: {number} error: a line of a log" for n in range(400))
    body = {
        "store_dir": "small",
        "context_manage_mode": "compact",
        "max_total_tokens": 0,
        "max_tool_message_tokens": 100,
        "messages": [{"role": "user", "content": "go"}, *_turn(0, result), _user("on")],
    }
    return post("/context_offload", json.dumps(body).encode())


def _body(dice: random.Random, size: int) -> str:
    messages = [{"role": "system", "content": "You are a careful programmer."}]
    messages.append(_user("Find out why orders of guests are weighed wrongly, and mend it."))
    length, turn = 0, 0
    while length < size:
        result = f"run {MARK}-{turn}\n" + _result(dice, dice.randrange(4, 32) * 1024)
        messages += _turn(turn, result)
        length += len(result)
        turn += 1
    messages.append(_user("Go on."))
    body = {
        "store_dir": f"chats/{MARK}",
        "chat_id": MARK,
        "context_manage_mode": "compact",
        "max_total_tokens": 8000,
        "max_tool_message_tokens": 1000,
        "messages": messages,
    }
    return json.dumps(body)


def _turn(turn: int, result: str) -> list[dict[str, object]]:
    function = {"name": "run", "arguments": json.dumps({"step": turn})}
    call = {"id": f"call_{turn}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": f"Step {turn}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{turn}", "content": result},
    ]


def _user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def _result(dice: random.Random, size: int) -> str:
    lines: list[str] = []
    length = 0
    while length < size:
        words = " ".join(dice.choices(WORDS, k=8))
        line = f"{len(lines):>5}  {dice.randrange(1 << 32):08x}  {words}"
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)
