"""Tool results that are too large, and a history that holds them. The same in every run."""

import json
from typing import Any

LINES = 1_600
FACT_LINE = 1_187
FACT = "vault-17 refused the lease of port 61234"
MISSING_ID = "T-900"
OWNERS = ("ada", "lin", "sol")
CALLS = ("call_log", "call_records", "call_line")


def log(lines: int = LINES, fact_line: int = FACT_LINE) -> str:
    """A log in which one line holds the fact; not all of it is ASCII."""

    def line(n: int) -> str:
        said = FACT if n == fact_line else f"returned {n * 7919 % 10007:05d}"
        at = f"2026-03-{1 + n % 28:02d}T10:{n % 60:02d}:07Z worker-{n % 7}"
        return f"{at} Schritt {n} für {n * 37 % 991} ms: {said}\n"

    return "".join(map(line, range(1, lines + 1)))


def records(count: int = 400) -> list[dict[str, Any]]:
    def record(n: int) -> dict[str, Any]:
        extra = {"note": f"the pump of cellar {n}"} if n % 5 == 0 else {}
        title = f"ticket {n}: the pump stands still"
        return {
            "id": f"T-{n}",
            "open": n % 3 == 0,
            "score": n / 4,
            "owner": OWNERS[n % 3],
            "title": title,
        } | extra

    return list(map(record, range(count)))


def one_line() -> str:
    """Many words and no line break."""
    return " ".join(f"w{n * 7919 % 10007}" for n in range(12_000))


def history() -> list[dict[str, Any]]:
    """Results that must move at 3, 4 and 5; everything else must stay as it is."""

    def call(name: str) -> dict[str, Any]:
        return {
            "id": name,
            "type": "function",
            "function": {"name": "scan", "arguments": '{"all": true}'},
        }

    def result(name: str, text: str) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": name, "content": text}

    return [
        {"role": "system", "content": "You look after cellars."},
        {
            "role": "user",
            "content": "Scan everything – „alles“ 🚰",
            "x_trace": {"deep": [1, None, 2.5]},
        },
        {"role": "assistant", "content": None, "tool_calls": [call(name) for name in CALLS]},
        result(CALLS[0], log()),
        result(CALLS[1], json.dumps(records())),
        result(CALLS[2], one_line()),
        {"role": "user", "content": "go on"},
    ]


MOVED = (3, 4, 5)
