"""How many requests a turn makes.

Held as numbers: what a store's bill is made of. A turn with new files, the same turn posted again
to the same replica and to another, a turn that adds one file to a long history, reads, a search and
a deletion, each counted by the server."""

import os
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import histories
from fleet import Fleet
from s3 import Side
from servers import SEEN, Store, Stub
from service import Service
from tally import Bench

_KINDS = ("put", "get", "head", "list", "delete")
_PAGE = Path(__file__).parents[2] / "docs" / "replicas.md"
_HEAD = (
    "| operation | PUT | GET | HEAD | LIST | DELETE | kB to | kB from | USD per 1,000 |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)
_MILLION = "| a million agents | |\n|---|---:|"
# USD for a thousand requests, and for a gigabyte and month: S3 Standard, us-east-1.
_PRICES = {"put": 0.005, "list": 0.005, "get": 0.0004, "head": 0.0004}
_GIGABYTE_MONTH = 0.023
_TURNS_A_DAY, _DAYS, _FILE_BYTES = 20, 30, 20_000
_MANY = 16
# The requests of a file's expiry, and of forgetting its origin a month later, of which a test of
# sweeps in crates/context-store holds the numbers.
_END = {"put": 3, "get": 3, "list": 1}


def _calls(chat: str, count: int) -> list[str]:
    """Calls whose results are texts of one size, roughly."""
    names = (f"{chat}r{number}" for number in range(10_000))
    texts = (name for name in names if not histories.is_rows(name))
    small = (name for name in texts if len(histories.text(name)) < 20_000)
    return [next(small) for _ in range(count)]


def _body(chat: str, calls: list[str]) -> dict[str, Any]:
    messages = histories.history(chat, calls)
    return {**histories.offload(chat, str(SEEN / "counted"), "compact"), "messages": messages}


@dataclass
class _Counter:
    """The requests of each operation, as the server counts them."""

    side: Side
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    moved: dict[str, tuple[int, int]] = field(default_factory=dict)

    def post(self, what: str, service: Service, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Posts, and notes what was counted under `what`."""
        self.side.reset()
        answer = service.post(path, body)
        assert answer.status == 200, (what, answer.status, answer.json["answer"][:200])
        assert not answer.warnings, (what, answer.warnings)
        self.note(what)
        return answer.json

    def note(self, what: str) -> None:
        """Notes what was counted since the last reset."""
        counts = self.side.counts()
        self.counts[what] = {kind: counts.get(kind, 0) for kind in _KINDS}
        self.moved[what] = (counts.get("in", 0), counts.get("out", 0))


def _turns(counter: _Counter, one: Service, two: Service) -> None:
    for count in (1, 4, _MANY):
        chat = f"n{count}x"
        body = _body(chat, _calls(chat, count))
        counter.post(f"a chat with {count} new files", one, "/context_offload", body)
        if count == _MANY:
            counter.post("the same again, same replica", one, "/context_offload", body)
            counter.post("the same again, another replica", two, "/context_offload", body)
            counter.post("and once more there", two, "/context_offload", body)
            more = _body(chat, _calls(chat, count + 1))
            counter.post("one new file, same replica", one, "/context_offload", more)
            more = _body(chat, _calls(chat, count + 2))
            counter.post("one new file, another replica", two, "/context_offload", more)
    quiet = {"messages": [{"role": "user", "content": "Hi."}], "store_dir": str(SEEN / "counted")}
    counter.post("a chat with nothing to move", one, "/context_offload", quiet)


def _reads(counter: _Counter, one: Service, two: Service) -> None:
    chat = "r4x"
    said = counter.post("r", one, "/context_offload", _body(chat, _calls(chat, 4)))
    del counter.counts["r"]
    actions = said["metadata"]["report"]["actions"]
    paths = [action["path"] for action in actions if action.get("path")]
    page = {"absolute_path": paths[0], "byte_limit": 2_000}
    counter.post("a page, where it was written", one, "/read_file", page)
    counter.post("a page, elsewhere", two, "/read_file", page)
    counter.post("a page, elsewhere again", two, "/read_file", page)
    back = {"messages": said["messages"]}
    counter.post("4 files rehydrated", two, "/rehydrate", back)
    search = {"pattern": "no such text", "path": paths[1]}
    counter.post("a search in one file", two, "/grep", search)
    counter.side.reset()
    status, _ = one.ask("DELETE", f"/chats/{chat}")
    assert status == 200, status
    counter.note("a chat of 4 files deleted")


def _large(counter: _Counter, one: Service, two: Service) -> None:
    """Of a large file, a page of records needs its start; a search that counts all needs all."""
    rows = ",".join(f'{{"id":{number},"text":"{"x" * 70}"}}' for number in range(100_000))
    folder = str(SEEN / "counted")
    body = {"operation": "list", "content": f"[{rows}]", "output_dir": folder}
    said = counter.post("r", one, "/offload_result", body)
    del counter.counts["r"]
    path = said["metadata"]["offload"]["file_path"]
    page = {"file_path": path, "where": {}, "limit": 20}
    counter.post("20 of the records of 9 MB, elsewhere", two, "/lro_extract", page)
    search = {"pattern": "no such text", "path": path}
    counter.post("a search of these 9 MB, elsewhere", two, "/grep", search)


def _dollars(counts: dict[str, int]) -> float:
    """The price of as many requests; deletions are free."""
    return sum(_PRICES[kind] * counts.get(kind, 0) for kind in _PRICES) / 1_000


def _row(what: str, counts: dict[str, int], moved: tuple[int, int]) -> str:
    numbers = " | ".join(str(counts[kind]) for kind in _KINDS)
    sizes = " | ".join(f"{size / 1_000:.1f}" for size in moved)
    return f"| {what} | {numbers} | {sizes} | {_dollars(counts) * 1_000:.3f} |"


def _million(counts: dict[str, dict[str, int]]) -> list[str]:
    """The requests and the store of a million agents, each with as many turns a day; a turn makes
    one file, and reads two pages."""
    turn, page = counts["one new file, same replica"], counts["a page, elsewhere"]
    each = {kind: turn[kind] + 2 * page[kind] for kind in _KINDS}
    of_turn, of_end = _dollars(each), _dollars(_END)
    turns = 1_000_000 * _TURNS_A_DAY
    files = turns * _DAYS
    terabytes = files * _FILE_BYTES / 1e12
    return [
        f"| writes a second, on average | {turns * each['put'] / 86_400:,.0f} |",
        f"| reads a second, on average | {turns * (each['get'] + each['head']) / 86_400:,.0f} |",
        f"| objects | {files * turn['put'] / 1e9:.1f} billion |",
        f"| terabytes | {terabytes:,.0f} |",
        f"| USD a month for requests of turns | {turns * 30 * of_turn:,.0f} |",
        f"| USD a month for requests of expiry | {turns * 30 * of_end:,.0f} |",
        f"| USD a month for the listings of sweeps | {turns * 30 / 1_000 * _PRICES['list'] / 1_000:,.2f} |",
        f"| USD a month for storage | {terabytes * 1_000 * _GIGABYTE_MONTH:,.0f} |",
    ]


def _update(head: str, rows: list[str]) -> None:
    text = _PAGE.read_text()
    begin = text.index(head) + len(head)
    end = text.index("\n\n", begin)
    _PAGE.write_text(text[:begin] + "".join(f"\n{row}" for row in rows) + text[end:])


def _held(head: str) -> list[str]:
    lines = _PAGE.read_text().split(head)[1].splitlines()[1:]
    return lines[: next(number for number, line in enumerate(lines) if not line)]


def check(bench: Bench, store: Store) -> None:
    """Counts, and compares with the tables of the documentation; UPDATE=1 writes them."""
    assert isinstance(store, Stub)
    # A sweep would be counted, too.
    with Fleet(bench, store, count=2, env={"UNBURDEN_STORE__SWEEP_SECONDS": "0"}) as fleet:
        fleet.warm()
        counter = _Counter(store.side)
        first = _body("warmx", _calls("warmx", 1))
        counter.post("a store's first chat, one file", fleet.all[0], "/context_offload", first)
        _turns(counter, *fleet.all)
        _reads(counter, *fleet.all)
        _large(counter, *fleet.all)
    for what, counts in counter.counts.items():
        into, out = counter.moved[what]
        line = " ".join(f"{kind} {count}" for kind, count in counts.items() if count) or "none"
        bench.tally.note(f"\n       {what}", f"{line} ({into} bytes in, {out} out)")
    tables = {
        _HEAD: [_row(what, counts, counter.moved[what]) for what, counts in counter.counts.items()],
        _MILLION: _million(counter.counts),
    }
    for head, rows in tables.items():
        if os.environ.get("UPDATE"):
            _update(head, rows)
        for row, held in zip_longest(rows, _held(head)):
            bench.tally.hold(row == held, f"docs/replicas.md has {held}, counted is {row}")
