"""Agents with growing histories on three replicas.

Promised: any replica answers the same. With one key (store.key_file) the answers are those of one
service on a local folder, byte for byte. A reference that one replica gave reads back at once through
another. The same history posted to another replica gives the same messages. The messages of every
answer become the original ones again."""

import json
import os
import threading
from pathlib import Path

from agents import Agent, agents, dice, references, unread, unrestored
from contents import torn
from fleet import Fleet
from servers import SEEN, Server, Store
from service import Answer, Gone, Service, together
from tally import Bench

_CLIENTS = 16


class _Run:
    """The agents' turns on the replicas, and the same on the one service."""

    def __init__(self, bench: Bench, fleet: Fleet, single: Service) -> None:
        self.bench, self.fleet, self.single = bench, fleet, single
        self.tally = bench.tally
        self._lock = threading.Lock()
        self._todo: list[tuple[Agent, Agent]] = []

    def play(self, turns: int, count: int) -> None:
        """All agents, a few of them at a time."""
        self._todo = list(zip(agents(count, turns, "g"), agents(count, turns, "g"), strict=True))
        for thread in together(_CLIENTS, lambda _: self._client()):
            thread.join(900)

    def _client(self) -> None:
        while True:
            with self._lock:
                if not self._todo:
                    return
                mine, twin = self._todo.pop(0)
            try:
                self._agent(mine, twin)
            except (Gone, KeyError, AssertionError) as error:
                self._fail([f"{mine.name}: {type(error).__name__}: {error}"])

    def _agent(self, mine: Agent, twin: Agent) -> None:
        random = dice(mine.name)
        for turn in range(mine.turns):
            body = mine.grow(turn)
            service, answer = self.fleet.post(random, "/context_offload", body)
            there = self.single.post("/context_offload", twin.grow(turn))
            self._compare(f"{mine.name}, turn {turn}", answer, there)
            other = self.fleet.other(service, random)
            paths = references(answer)
            self._fail(unread(other, paths))
            if turn == mine.turns - 1:
                again = other.post("/context_offload", body)
                if again.json["messages"] != answer.json["messages"]:
                    self._fail([f"{mine.name}: another replica answers with other messages"])
                self._fail(unrestored(self.fleet.other(service, random), mine, turn, answer))
            with self._lock:
                self.tally.add("posts")
                self.tally.add("references", len(paths))
            mine.take(answer)
            twin.take(there)

    def _compare(self, what: str, here: Answer, there: Answer) -> None:
        if here.status != 200 or here.warnings:
            self._fail([f"{what}: {here.status} {here.warnings} {here.json['answer'][:200]}"])
        one, two = (json.dumps(said.json, ensure_ascii=False) for said in (here, there))
        if one != two:
            at = len(os.path.commonprefix([one, two]))
            near = slice(max(0, at - 60), at + 120)
            self._fail([f"{what}: not as the single service: {one[near]!r} / {two[near]!r}"])

    def _fail(self, faults: list[str]) -> None:
        with self._lock:
            for fault in faults:
                self.tally.fail(fault)


def check(bench: Bench, store: Store) -> None:
    """Sixty-four agents; then every content in the store is looked at without the service."""
    folder = Path(bench.folder) / "single"
    folder.mkdir()
    key = folder / "key"
    key.write_text("a key of thirty-two characters, at least")
    env, root = {"UNBURDEN_STORE__KEY_FILE": str(key)}, Path(f"{SEEN}={folder}")
    with (
        Fleet(bench, store, env=env) as fleet,
        Service(Path(bench.program), root, env=env, log=folder / "log") as single,
    ):
        fleet.warm()
        single.warm()
        _Run(bench, fleet, single).play(bench.pick(3, 10), 64)
    if isinstance(store, Server):
        bad, whole = torn(store.s3)
        bench.tally.note("whole objects", whole)
        bench.tally.note("torn", len(bad))
        for fault in bad:
            bench.tally.fail(fault)
        bench.tally.hold(whole > 0, "no content was found in the store: nothing is proven")
    bench.tally.hold("references" in bench.tally.figures, "nothing was moved: nothing is proven")
