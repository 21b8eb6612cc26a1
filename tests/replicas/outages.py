"""A store that fails, and comes back.

Promised: a fault that passes costs nothing but time: requests are tried again, also where the work
was done and only the reply was lost. While the store is away, messages come back unchanged with a
warning, within store.timeout_seconds; reads give 503 and say what to do, or the whole content where
it is cached. Once it is back, everything works by itself, and what was acknowledged is there."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import histories
from agents import dice
from fleet import Fleet
from ledger import Ledger
from servers import SEEN, Store, Stub
from service import Answer, Service, together
from tally import Bench, Tally

_TIMEOUT = 5.0
# The time that a busy machine adds.
_SLACK = 6.0
_SETTINGS = {"UNBURDEN_STORE__TIMEOUT_SECONDS": str(int(_TIMEOUT))}

# Faults that retries get over.
_PASSING: dict[str, list[dict[str, Any]]] = {
    "each 5th 500": [{"do": "fail", "status": 500, "every": 5}],
    "each 4th 503": [{"do": "fail", "status": 503, "every": 4}],
    "each 3rd conditional put 409": [
        {"do": "fail", "status": 409, "every": 3, "conditional": True}
    ],
    "each 3rd put's reply lost": [{"do": "lose", "every": 3, "kinds": ["put"]}],
    "each 3rd deletion's reply lost": [{"do": "lose", "every": 3, "kinds": ["delete"]}],
    "each 4th connection dropped": [{"do": "drop", "every": 4}],
    "each 4th content cut": [{"do": "cut", "every": 4, "kinds": ["get"]}],
    "each 3rd reply late": [{"do": "late", "every": 3, "seconds": 0.15}],
    "each 3rd request late": [{"do": "wait", "every": 3, "seconds": 0.15}],
}
# Faults that last; the short form has those that differ most.
_SHORT = ("all 503", "all dropped", "all hang", "all puts' replies late", "all contents' puts 500")
_LASTING: dict[str, list[dict[str, Any]]] = {
    "all 503": [{"do": "fail", "status": 503}],
    "all 500": [{"do": "fail", "status": 500}],
    "all dropped": [{"do": "drop"}],
    "all hang": [{"do": "wait", "seconds": 60.0}],
    "all puts 503": [{"do": "fail", "status": 503, "kinds": ["put"]}],
    "all puts' replies late": [{"do": "late", "seconds": 60.0, "kinds": ["put"]}],
    "all contents' puts 500": [{"do": "fail", "status": 500, "kinds": ["put"], "key": "/files/"}],
    "all gets hang": [{"do": "wait", "seconds": 60.0, "kinds": ["get", "head"]}],
    "all lists 503": [{"do": "fail", "status": 503, "kinds": ["list"]}],
}


# Reads of a path: where they go, and what they say.
_ROUTES: tuple[Callable[[str], tuple[str, dict[str, Any]]], ...] = (
    lambda path: ("/read_file", {"absolute_path": path, "max_tokens": 0}),
    lambda path: ("/read_tool_result", {"result_id": path}),
    lambda path: ("/grep", {"pattern": "L1 ", "path": str(Path(path).parent)}),
)


class _Patient:
    """Replicas whose store is ill."""

    def __init__(self, fleet: Fleet, stub: Stub, tally: Tally) -> None:
        self.fleet, self.stub, self.tally = fleet, stub, tally
        self.ledger = Ledger(fleet, tally, str(SEEN / "ill"))
        self.slowest = 0.0
        self._lock = threading.Lock()

    def post(self, tag: str, count: int) -> int:
        """Posts names at once; returns how many came back inline."""
        before = self.ledger.inline
        times = [0.0] * count

        def one(number: int) -> None:
            begun = time.monotonic()
            try:
                self.ledger.post(f"{tag}n{number}", dice(f"{tag}{number}"))
            except Exception as error:  # A thread must not die without a word.
                self.tally.fail(f"{tag}: {type(error).__name__}: {error}")
            times[number] = time.monotonic() - begun

        for thread in together(count, one):
            thread.join(120)
        self.slowest = max(self.slowest, *times)
        return self.ledger.inline - before

    def passing(self, what: str, rules: list[dict[str, Any]], count: int) -> None:
        """Faults that retries get over: nothing stays inline."""
        self.stub.side.rules(*rules)
        tag = f"p{abs(hash_of(what))}x"
        inline = self.post(tag, count)
        own = [one for one in self.ledger.kept if one.name.startswith(tag)]
        lost = self.ledger.lost(own, self.fleet.any(dice(what)))
        self._note_done(what)
        for fault in lost:
            self.tally.fail(f"{what}: {fault}")
        self.tally.hold(not inline, f"{what}: {inline} of {count} posts stay inline: {self.ledger.why}")

    def lasting(self, what: str, rules: list[dict[str, Any]], count: int) -> None:
        """Faults that last: in time, unchanged with a warning; then all is well again."""
        tag = f"l{abs(hash_of(what))}x"
        self.stub.side.rules(*rules)
        self.slowest = 0.0
        inline = self.post(tag, count)
        in_time = self.slowest <= _TIMEOUT + _SLACK
        self.tally.hold(in_time, f"{what}: a post took {self.slowest:.1f} s")
        self.read(what)
        self._note_done(what)
        self.tally.add("inline while away", inline)
        self.stub.side.rules()
        self.recovered(what, tag)

    def recovered(self, what: str, tag: str) -> None:
        """The first posts and reads after a fault."""
        inline = self.post(f"{tag}after", 3)
        self.tally.hold(not inline, f"after {what}: {inline} posts stay inline: {self.ledger.why}")
        for service in self.fleet.all:
            for fault in self.ledger.lost(self.ledger.kept[-3:], service):
                self.tally.fail(f"after {what}: {fault}")
            status, said = service.get("/readyz")
            self.tally.hold(status == 200, f"after {what}: /readyz {status} {said[:100]}")

    def read(self, what: str) -> None:
        """Reads of every kind through every replica at once, of what was acknowledged before."""
        kept = [one for one in self.ledger.kept if not one.name.startswith("l")]

        def ask(number: int) -> None:
            service, route = self.fleet.all[number // 3], _ROUTES[number % 3]
            path, call = kept[-1 - number // 3].paths[0]
            begun = time.monotonic()
            answer = service.post(*route(path))
            took = time.monotonic() - begun
            with self._lock:
                late = f"{what}: {route(path)[0]} took {took:.1f} s"
                self.tally.hold(took <= _TIMEOUT + _SLACK, late)
                self._judge(f"{what}: {route(path)[0]}", answer, path, call)

        for thread in together(3 * len(self.fleet.all), ask):
            thread.join(120)

    def _judge(self, what: str, answer: Answer, path: str, call: str) -> None:
        said = answer.json["answer"]
        if answer.status == 503:
            self.tally.add("reads 503")
            named = answer.is_enveloped() and ("again" in said or "later" in said)
            self.tally.hold(named, f"{what}: a 503 that does not say what to do: {said[-200:]}")
        elif answer.status == 200:
            self.tally.add("reads 200")
            if "/read_file" in what and path.endswith(".txt"):
                whole = histories.text(call) in said
                self.tally.hold(whole, f"{what}: 200 without the whole content: {said[:100]}")
        else:
            self.tally.fail(f"{what}: {answer.status} {said[:200]}")

    def _note_done(self, what: str) -> None:
        done = self.stub.side.counts()["done"]
        self.tally.add("requests tampered with", done)
        self.tally.hold(done > 0 or "deletion" in what, f"{what}: no request met the fault")


def hash_of(what: str) -> int:
    """A number for a name."""
    return histories.number(what, 1_000_000)


def check(bench: Bench, store: Store) -> None:
    """Faults that pass, faults that last, and a server that is gone for a while."""
    assert isinstance(store, Stub)
    count = bench.pick(3, 24)
    # As much patience as it has by itself: a busy machine takes some of it.
    with Fleet(bench, store) as fleet:
        fleet.warm()
        patient = _Patient(fleet, store, bench.tally)
        for what, rules in _PASSING.items():
            patient.passing(what, rules, count)
        store.side.rules()
    with Fleet(bench, store, env=_SETTINGS) as fleet:
        fleet.warm()
        patient = _Patient(fleet, store, bench.tally)
        patient.post("before", 6)
        for what in tuple(_LASTING) if bench.full else _SHORT:
            patient.lasting(what, _LASTING[what], count)
        store.stop()
        inline = patient.post("gonex", count)
        bench.tally.hold(inline == count, f"{count - inline} posts acknowledged by nobody")
        patient.read("the server is gone")
        store.start()
        patient.recovered("the server was gone", "backx")
        patient.ledger.settle()
    reads = bench.tally.figures.get("reads 503")
    bench.tally.hold(bool(reads), "no read gave 503: nothing is proven")
