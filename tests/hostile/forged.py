"""Tool output that poses as references, snapshots or orders: it stays a tool's output."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from doors import Http, offload
from payloads import MARK, SECTIONS, descriptors, orders, references, tags
from server import Server
from tally import Bench, remove
from tree import CANARY

Message = dict[str, Any]
SYSTEM = "You are an engineer. Never push to main."
VICTIM = "CANARY-of-another-chat"
TRUSTED = ("overall_goal", "active_constraints", "user_directives")
SNAPSHOT = re.compile(
    r"\n\n<state_snapshot>\n(?:\(extracts by [^\n]*\)\n)?"
    + "".join(rf"<{name}>\n(?P<{name}>.*?)\n</{name}>\n" for name in SECTIONS)
    + r"\(ref \d{15}\)\n</state_snapshot>(?P<originals>(?:\n\(Original \d+ messages are stored in: [^\n]*\))+)\Z",
    re.DOTALL,
)
# A line that a reader takes for the service's own, whatever stands before it as a margin.
STANDS = re.compile(
    r"^[ \t>*-]*\((Original \d+ messages are stored in:|detailed result is stored in)"
    r" ([^\n]*)\)[ \t]*$",
    re.MULTILINE,
)
REFERENCE = re.compile(r"\(detailed result is stored in ([^\n]*)\)\Z")


def _log(n: int) -> list[str]:
    return [f"step {n}.{k} of the build weighs {n * 7919 + k} grams" for k in range(60)]


PLACES: dict[str, Callable[[list[str], str], str]] = {
    "on a line": lambda log, p: "\n".join([*log[:30], p, *log[30:]]),
    "as an error": lambda log, p: "\n".join([*log, f"error: {p}", "exit code: 1"]),
    "first": lambda log, p: "\n".join([p, *log]),
    "last": lambda log, p: "\n".join([*log, p]),
    "alone": lambda _, p: p,
    "in records": lambda log, p: json.dumps([{"id": n, "text": p + t} for n, t in enumerate(log)]),
}


def forged(bench: Bench) -> None:
    """Each payload in a place, or in each, through compact, compress and rehydrate."""
    root = Path(bench.folder) / "root"
    (Path(bench.folder) / "outside").mkdir()
    secret = Path(bench.folder) / "outside/secret.txt"
    secret.write_text(CANARY)
    victim = str(root / "store/tool_call_victim.txt")
    payloads = [*references(str(secret), victim), *tags(), *orders(), *descriptors()]
    bench.tally.note("payloads", len(payloads))
    (root / "store").mkdir(parents=True)
    places = itertools.cycle(PLACES)
    environment = {"UNBURDEN_STORE__DURABILITY": "relaxed"}
    with Server(bench.program, str(root), cwd=str(root), environment=environment) as server:
        line = Http(server)
        for payload in payloads:
            for place in PLACES if bench.full else [next(places)]:
                _furnish(root)
                Trial(bench, line, root, payload, place).run()
        bench.tally.hold(server.alive(), "the server ended")
        bench.tally.hold("panic" not in server.said(), "a panic: " + server.said()[-400:])
    bench.tally.hold(bench.tally.figures.get("snapshots", "0") != "0", "no snapshot was made")


def _furnish(root: Path) -> None:
    """A store with files of others, which no forged line may bring back."""
    remove(str(root / "store"))
    (root / "store").mkdir()
    group = json.dumps([{"role": "user", "content": VICTIM}] * 3)
    for name in ("notes.txt", "tool_call_victim.txt"):
        (root / "store" / name).write_text(f"{VICTIM}\n" * 20)
    (root / "store/compressed_group_victim_0.json").write_text(group)


class Trial:
    """One payload at one place."""

    def __init__(self, bench: Bench, line: Http, root: Path, payload: str, place: str) -> None:
        self.tally = bench.tally
        self.line = line
        self.root = root
        self.payload = payload
        self.place = place
        self.theirs = {path.name for path in (root / "store").iterdir()}

    def run(self) -> None:
        """Compacts, compresses both, brings back; then goes on and does it again."""
        before = [{"role": "system", "content": SYSTEM}, *self._turns(range(7))]
        compacted = self._offload(before, "compact")
        self._untouched(compacted)
        self._brought_back(compacted, before, "compacted")
        for what, given in (("compressed", before), ("both", compacted)):
            after = self._offload(given, "compress")
            self._snapshot(after)
            self._brought_back(after, before, what)
        longer = self._offload([*after, *self._turns(range(7, 16))], "compress")
        self._snapshot(longer)
        self._brought_back(longer, [*before, *self._turns(range(7, 16))], "merged")

    def _turns(self, numbers: range) -> list[Message]:
        turns: list[Message] = []
        for n in numbers:
            result = PLACES[self.place](_log(n), self.payload)
            function = {"name": "build", "arguments": json.dumps({"target": n})}
            call = {"id": f"call_{n}", "type": "function", "function": function}
            turns += [
                {"role": "user", "content": f"Build part {n} of the parser."},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"call_{n}", "content": result},
                {"role": "assistant", "content": f"Part {n} is built."},
            ]
        return turns

    def _post(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        status, text = self.line.post(path, request)
        self.tally.add("requests")
        self._hold(status == 200, f"{path}: {status} {text[:300]}")
        for canary in (CANARY, VICTIM, "root:x:0:0"):
            self._hold(canary not in text, f"{path} brought {canary!r} back")
        return json.loads(text)

    def _hold(self, true: bool, what: str) -> None:
        self.tally.hold(true, f"{self.payload[:90]!r} {self.place}: {what}")

    def _offload(self, messages: list[Message], mode: str) -> list[Message]:
        most = {"max_tool_message_tokens": 100, "max_total_tokens": 300, "chat_id": "c"}
        request = offload("store", messages) | most | {"context_manage_mode": mode}
        answer = self._post("/context_offload", request)
        checks = answer["metadata"]["report"]["checks"]
        self._hold(all(checks.values()), f"checks of {mode}: {checks}")
        return answer["messages"]

    def _mine(self, path: str) -> bool:
        """Whether the service wrote that file in this trial."""
        there = {p.name for p in (self.root / "store").iterdir()} - self.theirs
        return path.startswith("store/") and path.removeprefix("store/") in there

    def _untouched(self, messages: list[Message]) -> None:
        self._hold(messages[0] == {"role": "system", "content": SYSTEM}, "the system message")
        for message in messages:
            content = message["content"] or ""
            found = REFERENCE.search(content) if message["role"] == "tool" else None
            if found and not content.endswith(self.payload):
                self.tally.add("references")
                self._hold(self._mine(found[1]), f"a reference to {found[1]!r}")

    def _snapshot(self, messages: list[Message]) -> None:
        content = messages[0]["content"]
        self._hold(content.startswith(SYSTEM), f"the system message begins {content[:80]!r}")
        rest = content.removeprefix(SYSTEM)
        if not rest:
            self.tally.add("not compressed")
            return
        block = SNAPSHOT.fullmatch(rest)
        self._hold(block is not None, f"no single snapshot was appended: {rest!r}")
        if block is None:
            return
        self.tally.add("snapshots")
        for name in (*SECTIONS, "state_snapshot"):
            once = rest.count(f"<{name}>") == 1 == rest.count(f"</{name}>")
            self._hold(once, f"<{name}> stands there more than once")
        data = any(MARK in block[name] for name in SECTIONS if name not in TRUSTED)
        self.tally.add("snapshots that quote a payload as data", data)
        for name in TRUSTED:
            self._hold(MARK not in block[name], f"{name}: {block[name]!r}")
        for row in block["offloaded_files"].splitlines():
            path = row.removeprefix("- ").split(" | ")[0].split(" more are listed in: ")[-1]
            self._hold(path == "-" or self._mine(path), f"offloaded_files names {path!r}")
        for form, path in STANDS.findall(rest):
            self._hold(self._mine(path), f"the snapshot holds a forged {form!r} to {path!r}")

    def _brought_back(self, after: list[Message], before: list[Message], what: str) -> None:
        answer = self._post("/rehydrate", {"messages": after})
        same = answer["messages"] == before
        self.tally.add("brought back")
        self._hold(same, f"{what} does not come back: {answer['metadata']}")
