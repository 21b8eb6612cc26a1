"""What the examples share: tools with large results, and a model that is a script.

The script stands in for a model, so that the examples run without a network. It sees what a model
sees and nothing else: it makes its rounds with thirty tool calls of about 3,000 tokens each, and
is then asked for a detail of an early one, which no message holds any more.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

ROUNDS = 30
QUESTION = "Do your rounds through all logs, orders and guests of the depot, then answer: {}"
INSTRUCTIONS = (
    "You look after a depot. Results that were moved to files can be read again with read_file, grep, "
    "lro_extract and read_tool_result."
)


def read_log(service: int) -> str:
    """The log of a service of the depot."""
    dice = random.Random(service)
    lines = [f"log of service {service}"]
    for minute in range(76):
        shelf = f"{dice.choice('ABCDEF')}-{dice.randrange(100)}"
        lines.append(
            f"{8 + minute // 60:02}:{minute % 60:02} worker {dice.randrange(40)} brought parcel"
            f" {dice.randrange(10**6):06} from dock {dice.randrange(20)} to shelf {shelf},"
            f" weight {dice.randrange(1, 300) / 10} kg, seal {dice.randrange(10**8):08}"
        )
    lines.insert(40, f"08:39 night badge BX-{dice.randrange(10**6):06} handed to gate {service}")
    return "\n".join(lines) + "\n"


def list_orders(page: int) -> str:
    """A page of the orders of the depot, as JSON."""
    dice = random.Random(1000 + page)
    return json.dumps(
        [
            {
                "id": f"O-{page}-{n}",
                "locker": f"LK-{dice.randrange(10**6):06}",
                "state": dice.choice(["open", "packed", "sent"]),
                "weight": dice.randrange(1, 400) / 10,
                "carrier": dice.choice(["Rail", "Road", "Ferry"]),
                "note": f"leave at dock {dice.randrange(20)} before {dice.randrange(7, 19)}:00",
            }
            for n in range(64)
        ]
    )


def list_guests(page: int) -> str:
    """A page of the guests of the depot, as JSON."""
    dice = random.Random(2000 + page)
    return json.dumps(
        [
            {
                "id": f"G-{page}-{n}",
                "name": dice.choice(["Zoë Müller", "李小龍", "Νίκος Παππάς", "さくら", "Łukasz Żak", "محمد"]),
                "room": f"室-{dice.randrange(10**6):06}",
                "visit": dice.choice(["定期検査", "Lieferung für März", "παράδοση", "séjour prolongé"]),
                "day": f"2026-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}",
            }
            for n in range(68)
        ],
        ensure_ascii=False,
    )


TOOLS: list[Callable[..., str]] = [read_log, list_orders, list_guests]


def visit(step: int) -> tuple[str, dict[str, Any]]:
    """The tool call of a step of the rounds."""
    if step % 5 == 1:
        return "list_orders", {"page": step}
    if step % 5 == 3:
        return "list_guests", {"page": step}
    return "read_log", {"service": step}


@dataclass(frozen=True)
class Detail:
    """What the script is asked for in the end."""

    question: str
    step: int
    """The step of the rounds whose result told it."""
    told: str
    """How a text tells it; the first group is the answer."""
    reload: Callable[[str], tuple[str, dict[str, Any]]]
    """The call that reads it back, of the path in a reference."""

    def answer(self) -> str:
        """The right answer."""
        name, arguments = visit(self.step)
        text = {tool.__name__: tool for tool in TOOLS}[name](**arguments)
        found = re.search(self.told, text)
        assert found
        return found[1]


_BADGE = "Which night badge was handed to gate 7?"
_BADGE_TOLD = r"night badge (BX-\d+) handed to gate 7\b"
DETAILS = {
    "grep": Detail(
        _BADGE, 7, _BADGE_TOLD, lambda path: ("grep", {"pattern": "handed to gate 7", "path": path})
    ),
    # In pages, so that the script has to follow the header that says how to go on.
    "read_file": Detail(
        _BADGE, 7, _BADGE_TOLD, lambda path: ("read_file", {"absolute_path": path, "max_tokens": 900})
    ),
    "read_tool_result": Detail(
        _BADGE, 7, _BADGE_TOLD, lambda path: ("read_tool_result", {"result_id": path, "lines": "grep:badge"})
    ),
    "lro_extract": Detail(
        "Which locker has order O-11-41?",
        11,
        r'"id": ?"O-11-41", ?"locker": ?"(LK-\d+)"',
        lambda path: (
            "lro_extract",
            {"file_path": path, "where": {"id": "O-11-41"}, "select": ["id", "locker"]},
        ),
    ),
    "lro_extract of guests": Detail(
        "Which room has guest G-13-21?",
        13,
        r'"id": ?"G-13-21",[^}]*"room": ?"([^"]+)"',
        lambda path: ("lro_extract", {"file_path": path, "where": {"id": "G-13-21"}}),
    ),
}


@dataclass(frozen=True)
class Seen:
    """A piece of what a model sees."""

    kind: Literal["text", "call", "result"]
    text: str
    call: str = ""
    """Of a call and its result: what pairs them."""


@dataclass(frozen=True)
class Call:
    """A tool call that the script makes."""

    id: str
    name: str
    arguments: dict[str, Any]

    def as_chat(self) -> dict[str, Any]:
        """The call as chat completions have it."""
        arguments = json.dumps(self.arguments, separators=(",", ":"))
        function = {"name": self.name, "arguments": arguments}
        return {"id": self.id, "type": "function", "function": function}


def seen_of_chat(messages: list[dict[str, Any]]) -> list[Seen]:
    """The pieces of a history of chat completions."""
    seen = []
    for message in messages:
        told = message.get("content") or ""
        text = told if isinstance(told, str) else "\n".join(part.get("text", "") for part in told)
        result = message["role"] == "tool"
        seen.append(Seen("result" if result else "text", text, message["tool_call_id"] if result else ""))
        for call in message.get("tool_calls") or []:
            arguments = json.dumps(json.loads(call["function"]["arguments"]))
            seen.append(Seen("call", f"{call['function']['name']} {arguments}", call["id"]))
    return seen


class Script:
    """A model: what it sees in, a tool call or an answer out."""

    def __init__(
        self, detail: str = "grep", observe: Callable[[int, dict[str, Any]], None] | None = None
    ) -> None:
        """`observe` gets each call's number and what was sent to the model, in the format of a provider."""
        self.detail = DETAILS[detail]
        self.question = QUESTION.format(self.detail.question)
        self.steps = 0
        self.reloads: list[Call] = []
        self._asked = False
        self._observe = observe

    def next_of_chat(self, messages: list[dict[str, Any]]) -> Call | str:
        """The next step for a history of chat completions."""
        return self.next(seen_of_chat(messages), {"messages": messages, "format": "openai-chat"})

    def next(self, seen: list[Seen], wire: dict[str, Any]) -> Call | str:
        """The next step. `wire` has `messages`, `format` and, where it stands beside them, `system`."""
        step, self.steps = self.steps, self.steps + 1
        if self._observe:
            self._observe(step, wire)
        if step < ROUNDS:
            return Call(f"call_{step}", *visit(step))
        for piece in reversed(seen):
            if told := re.search(self.detail.told, piece.text):
                return f"It is {told[1]}."
        call = self._look_again(seen) if len(self.reloads) < 4 else None
        if call is None:
            return "I cannot find it."
        self.reloads.append(Call(f"reload_{step}", *call))
        return self.reloads[-1]

    def _look_again(self, seen: list[Seen]) -> tuple[str, dict[str, Any]] | None:
        if self._asked:
            more = re.search(r"^Showing .* More: the same call with start_line=(\d+)\.\n", seen[-1].text)
            last = self.reloads[-1]
            return (last.name, {**last.arguments, "start_line": int(more[1])}) if more else None
        path = self._reference(seen)
        if path:
            self._asked = True
            return self.detail.reload(path)
        return None if self.reloads else self._search(seen)

    def _reference(self, seen: list[Seen]) -> str | None:
        name, arguments = visit(self.detail.step)
        for piece in seen:
            if piece.kind == "call" and piece.text == f"{name} {json.dumps(arguments)}":
                result = next((p.text for p in seen if p.kind == "result" and p.call == piece.call), "")
                if found := re.search(r"stored in (\S+)\)$|file in '([^']+)'", result):
                    return found[1] or found[2]
        # A snapshot, and the list that it names, have the call beside the file.
        line = rf"^(?:L\d+: )?(?:- )?(\S+) \| {self._spelled()}"
        for piece in seen:
            if found := re.search(line, piece.text, re.MULTILINE):
                return found[1]
        return None

    def _search(self, seen: list[Seen]) -> tuple[str, dict[str, Any]] | None:
        for piece in seen:
            if found := re.search(r"more are listed in: (\S+)", piece.text):
                folder = found[1].rpartition("/")[0]
                return "grep", {"pattern": self._spelled(), "path": folder, "glob": "*.txt"}
        # A summary of the framework's own may name no file but the one of the context.
        name, arguments = self.detail.reload("")
        self._asked = True
        return (name, {"pattern": arguments["pattern"]}) if name == "grep" else None

    def _spelled(self) -> str:
        """A pattern of the call as the frameworks spell it, with or without spaces."""
        name, arguments = visit(self.detail.step)
        pairs = ", ?".join(f'"{key}": ?{json.dumps(value)}' for key, value in arguments.items())
        return rf"{name} \{{{pairs}\}}"
