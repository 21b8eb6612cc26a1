"""One history of the good tenant, and what each answer about it must say."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from bodies import WORDS, get
from home import GOOD_MARK, Home

TURNS = 16
# The turn whose result is a large log; in KB, as those of the others at most.
LARGE_TURN, LARGE, USUAL = 9, 200, 16
ROWS = 60
REFERENCE = re.compile(r"\(detailed result is stored in ([^\n]*)\)\Z")

Right = Callable[[Any], str]
Question = tuple[str, bytes, Right]


class Chat:
    """A history that is posted with each turn, as it came back from the last."""

    def __init__(self, home: Home, number: int) -> None:
        self.home = home
        self.number = number
        self.store = str(home.folder / "chats" / str(number))
        self.dice = random.Random(number)
        self.messages: list[Any] = [{"role": "system", "content": "You are a programmer."}]
        self.originals: list[Any] = list(self.messages)
        self.texts: list[str] = []
        self.paths: list[str] = []
        self.records = ""
        self.new: list[Any] = []

    def is_full(self) -> bool:
        """Whether it is time for another one."""
        return len(self.texts) >= TURNS

    def files(self) -> dict[str, bytes]:
        """Paths that were given out, with their content."""
        return {path: print_of(text) for path, text in zip(self.paths, self.texts, strict=False)}

    def rows(self) -> bytes:
        """Records that later turns ask questions of."""
        text = f"{GOOD_MARK} {self.number}"
        rows = [{"id": n, "odd": n % 2, "text": f"{text}.{n}"} for n in range(ROWS)]
        body = {"operation": "rows", "results": rows, "threshold_tokens": 1}
        return self.home.post("/offload_result", body | {"output_dir": self.store})

    def rows_came(self, said: Any) -> str:
        """Notes where they are."""
        self.records = said["metadata"]["file"]["path"]
        return ""

    def post(self) -> bytes:
        """The next turn: a call, its result, the user's next words."""
        turn = len(self.texts)
        text = self._result(turn)
        function = {"name": "run", "arguments": json.dumps({"turn": turn})}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        self.new = [
            {"role": "assistant", "content": f"Turn {turn}.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": text},
            {"role": "user", "content": f"Go on after {turn}."},
        ]
        body = {
            "messages": [*self.messages, *self.new],
            "store_dir": self.store,
            "chat_id": str(self.number),
            "context_manage_mode": "compact",
            "max_total_tokens": 0,
            "max_tool_message_tokens": 200,
            "keep_recent_count": 1,
            "include_files": False,
        }
        return self.home.post("/context_offload", body)

    def posted(self, said: Any) -> str:
        """The new result moved, and nothing before it changed."""
        messages, old = said["messages"], len(self.messages)
        if messages[:old] != self.messages or len(messages) != old + len(self.new):
            return "what came before was rewritten"
        found = REFERENCE.search(messages[old + 1]["content"])
        if not found:
            return f"the result stayed: {said['metadata']['report']['warnings']}"
        self.paths.append(found[1])
        self.texts.append(self.new[1]["content"])
        self.messages = messages
        self.originals += self.new
        return ""

    def questions(self, dice: random.Random) -> Iterator[Question]:
        """An agent's questions on its newest stored result and on an older one."""
        last = len(self.texts) - 1
        older = dice.randrange(last + 1)
        for n in {last, older}:
            request = self.home.post("/read_file", {"absolute_path": self.paths[n]})
            yield "read_file", request, self._equal(self.texts[n])
        lines = self.texts[older].split("\n")[2:5]
        asked = {"result_id": f"call_{older}", "lines": "3-5", "store_dir": self.store}
        request = self.home.post("/read_tool_result", asked)
        yield "read_tool_result", request, self._within("\n".join(lines))
        word = f"turn {last} of {self.number} begins"
        request = self.home.post("/grep", {"pattern": word, "path": self.store})
        yield "grep", request, lambda said: _is(1, len(said["metadata"]["matches"]))
        request = self.home.post("/rehydrate", {"messages": self.messages})
        yield "rehydrate", request, lambda said: _same(self.originals, said["messages"])
        where = {"file_path": self.records, "where": {"odd": 1}, "count": True}
        request = self.home.post("/lro_extract", where)
        yield "lro_extract where", request, lambda said: _is(ROWS // 2, said["metadata"]["count"])
        query = {"file_path": self.records, "query": "map(.id) | add", "slurp": True}
        request = self.home.post("/lro_extract", query)
        yield "lro_extract query", request, self._within(str(sum(range(ROWS))))
        yield "healthz", get("/healthz"), lambda said: _is("ok", said["status"])

    def _equal(self, text: str) -> Right:
        return lambda said: _same(text, said["answer"])

    def _within(self, text: str) -> Right:
        return lambda said: "" if text in said["answer"] else f"not {text[:80]!r}"

    def _result(self, turn: int) -> str:
        size = LARGE if turn == LARGE_TURN else self.dice.randrange(4, USUAL)
        lines = [f"{GOOD_MARK} turn {turn} of {self.number} begins"]
        length = 0
        while length < size * 1024:
            words = " ".join(self.dice.choices(WORDS, k=8))
            lines.append(f"{len(lines):>5}  {self.dice.randrange(1 << 32):08x}  {words}")
            length += len(lines[-1]) + 1
        return "\n".join(lines)


def print_of(text: str) -> bytes:
    """Tells a text from others."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _same(wanted: Any, found: Any) -> str:
    return "" if wanted == found else f"other than it was: {str(found)[:200]!r}"


def _is(wanted: object, found: object) -> str:
    return "" if wanted == found else f"{found!r}, not {wanted!r}"
