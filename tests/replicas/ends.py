"""Deletion against posts.

Promised: what a deletion ended gives 410, with the call that made it, through every replica at once
and for good, whatever is cached; a post that runs meanwhile ends before it or after it, never half;
a write that was on its way when the deletion ran brings nothing back; posted again, a chat is whole
again."""

import threading
import time
from itertools import product
from pathlib import Path
from typing import Any

import histories
from agents import dice, references, unread
from contents import name_of
from fleet import Fleet
from servers import PREFIX, SEEN, Server, Store, Stub
from service import Answer, Gone, Service, together
from tally import Bench, Tally

_POSTERS = 4
# The delay of a stalled writer, and the parts of the store that it writes.
_STALLED = 1.0
_PARTS = ("/files/", "/names/", "/chats/", "/calls/")


class _Chat:
    """A chat that is posted and deleted."""

    def __init__(self, fleet: Fleet, tally: Tally, name: str) -> None:
        self.fleet, self.tally, self.name = fleet, tally, name
        self.folder = str(SEEN / "ends")
        self.paths: dict[str, str] = {}
        self.dice = dice(name)
        self._lock = threading.Lock()

    def body(self) -> dict[str, Any]:
        """The chat, always the same."""
        return histories.offload(self.name, self.folder, "compact")

    def post(self, service: Service) -> Answer:
        """Posts it and notes the paths; unchanged is fine where there is a warning."""
        answer = service.post("/context_offload", self.body())
        paths = dict(references(answer)) if answer.status == 200 else {}
        if not paths and not (answer.status == 200 and answer.warnings):
            self.fail(f"{answer.status} {answer.json['answer'][:200]}")
        with self._lock:
            self.paths |= paths
        return answer

    def delete(self, service: Service) -> bool:
        """Deletes it; True if the answer says that this is complete."""
        status, said = service.ask("DELETE", f"/chats/{self.name}")
        return status == 200 and b'"complete":true' in said

    def fail(self, fault: str) -> None:
        """Notes what is wrong."""
        with self._lock:
            self.tally.fail(f"{self.name}: {fault}")

    def states(self, path: str, call: str) -> set[str]:
        """The answers of the replicas for a path."""
        return {self.state(service, path, call) for service in self.fleet.all}

    def state(self, service: Service, path: str, call: str) -> str:
        """`whole`, the status of a refusal, or what is wrong."""
        answer = service.post("/read_file", {"absolute_path": path, "byte_limit": 64})
        if answer.status == 410:
            told = "call" in answer.json["answer"]
            return "410" if told else f"410 without its call: {answer.json['answer'][:200]}"
        if answer.status == 200:
            wrong = unread(service, [(path, call)])
            return wrong[0] if wrong else "whole"
        return str(answer.status)

    def is_gone(self, when: str, allowed: tuple[str, ...] = ("410",)) -> None:
        """Every path, through every replica."""
        for path, call in self.paths.items():
            states = self.states(path, call)
            if "whole" in states:
                self.tally.add("resurrected")
            if not states <= set(allowed):
                self.fail(f"{when}: {path}: {sorted(states)}")

    def is_whole(self, when: str) -> None:
        """Every path, through every replica."""
        for path, call in self.paths.items():
            if (states := self.states(path, call)) != {"whole"}:
                self.fail(f"{when}: {path}: {sorted(states)}")


def _race(chat: _Chat) -> None:
    """Posts of one chat while it is deleted; then a deletion alone."""

    over = threading.Event()

    def poster(number: int) -> None:
        random = dice(f"{chat.name}{number}")
        try:
            while not over.is_set():
                chat.post(chat.fleet.any(random))
        except Gone as gone:
            chat.fail(str(gone))

    chat.post(chat.fleet.any(chat.dice))
    chat.is_whole("posted")
    threads = together(_POSTERS, poster)
    time.sleep(chat.dice.uniform(0, 0.15))
    chat.delete(chat.fleet.any(chat.dice))
    over.set()
    for thread in threads:
        thread.join(120)
    for path, call in chat.paths.items():
        states = chat.states(path, call)
        if len(states) > 1 or not states <= {"whole", "410"}:
            chat.fail(f"posted and deleted at once: {path}: {sorted(states)}")
        chat.tally.add("outlived" if states == {"whole"} else "ended")
    if not chat.delete(chat.fleet.any(chat.dice)):
        chat.fail("a deletion alone is not complete")
    chat.is_gone("deleted")
    chat.is_gone("deleted, asked again")


def _stall(chat: _Chat, stub: Stub, part: str, is_new: bool) -> None:
    """Writes that are done only after a deletion: of a chat that the store never had, or of one
    that was deleted before."""
    random = chat.dice
    if not is_new:
        chat.post(chat.fleet.any(random))
        chat.delete(chat.fleet.any(random))
        chat.is_gone("deleted")
    stall = {"do": "stall", "kinds": ["put"], "key": part, "seconds": _STALLED, "times": 6}
    stub.side.rules(stall)
    chat.post(chat.fleet.any(random))
    chat.tally.add("writes stalled", stub.side.counts()["done"])
    stub.side.rules()
    chat.delete(chat.fleet.any(random))
    time.sleep(_STALLED + 0.5)
    # A file that was never acknowledged may be absent.
    allowed = ("404", "410") if is_new else ("410",)
    chat.is_gone(f"writes to {part} came after the deletion", allowed)
    chat.post(chat.fleet.any(random))
    chat.is_whole(f"posted again after writes to {part} came late")
    if not chat.delete(chat.fleet.any(random)):
        chat.fail("the last deletion is not complete")
    chat.is_gone("deleted at last")


def _left(store: Server, chats: list[_Chat]) -> list[str]:
    """Contents in the bucket of names that were deleted."""
    names = {Path(path).name for chat in chats for path in chat.paths}
    keys = store.s3.keys(f"{PREFIX}/")
    return [key for key in keys if name_of(key) in names]


def check(bench: Bench, store: Store) -> None:
    """Races, stalled writers, and a last look at the bucket."""
    tally = bench.tally
    tally.note("resurrected", 0)
    with Fleet(bench, store) as fleet:
        fleet.warm()
        chats = [_Chat(fleet, tally, f"e{number}x") for number in range(bench.pick(4, 60))]
        for chat in chats:
            _race(chat)
        tally.note("chats", len(chats))
        if isinstance(store, Server):
            left = _left(store, chats)
            tally.hold(not left, f"{len(left)} contents of deleted names stay: {left[:2]}")
        if isinstance(store, Stub):
            for number in range(bench.pick(1, 10)):
                for part, is_new in product(_PARTS, (False, True)):
                    name = f"s{number}{part.strip('/')}{is_new}x"
                    _stall(_Chat(fleet, tally, name), store, part, is_new)
            stalled = tally.figures.get("writes stalled", "0") != "0"
            tally.hold(stalled, "no write stalled: nothing is proven")
