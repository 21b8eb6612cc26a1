"""The reference model over the program itself, killed between any two of its steps.

Promised: every acknowledged history gives the original messages back, value for value; every read
is what was stored, or a refusal by its name; a name never means another content; a false note
brings nothing back, and no chat's words come into another; a deletion leaves nothing of its chat,
also of posts that were never answered; the store verifies clean.
Injected: random posts, forks, false notes, deletions, ends of time, planted and changed files, by
three services on one store, of which any may be killed at any moment, or right before any system
call that changes the store (`steps.c`)."""

import os
import time
from collections import Counter
from collections.abc import Iterator

from bench import Bench, Verdict
from model_controls import controls
from model_harms import HARMS, Harms
from model_map import Chat
from model_ops import Clients
from model_world import Job, World
from steps import need as no_steps

NEEDS = ()

_MOST_TURNS = 9
_LOOKED_AT = 4


class _Run:
    """One world from its beginning to its end."""

    def __init__(self, bench: Bench, label: str) -> None:
        self.world = World(bench, label)
        self.moment = self.world.moment
        self.clients = Clients(self.world)
        self.harms = Harms(self.world, self.clients)

    def live(self, operations: int) -> None:
        """Work and harm in turns, until so much was done or something is wrong."""
        weights, harms = zip(*HARMS, strict=True)
        while self.world.counts["operations"] < operations and not self.world.broken:
            if self.moment.random() < 0.2:
                self.moment.choices(harms, weights)[0](self.harms)
            else:
                self.world.round(self._jobs())
            self._reads()
        if not self.world.broken:
            self._end()
        self.world.close()

    def _jobs(self) -> list[Job]:
        """One to three chats act at once."""
        clients, roll = self.clients, self.moment.random()
        chats = self.moment.sample(clients.chats, self.moment.choice((1, 1, 2, 3)))
        if roll < 0.06:
            return clients.twins(chats[0])
        if roll < 0.1 and chats[0].messages:
            first = clients.post(chats[0], clash=True)
            return [first, clients.delete(chats[0], clash=True)]
        return [self._job(chat) for chat in chats]

    def _job(self, chat: Chat) -> Job:
        clients, roll = self.clients, self.moment.random()
        if chat.doomed and roll < 0.75 or chat.turns > _MOST_TURNS and roll < 0.7:
            return clients.delete(chat)
        if chat.turns > _MOST_TURNS:
            chat.forget()
        others = [other for other in clients.chats if other.messages and other is not chat]
        if roll < 0.1:
            return clients.delete(chat)
        if roll < 0.17 and others and not chat.doomed:
            return clients.fork(self.moment.choice(others), chat)
        if roll < 0.27:
            return clients.result(brief=self.moment.random() < 0.3)
        if roll < 0.35 and chat.messages:
            return clients.whole(chat)
        return clients.post(chat, grows=roll < 0.9 or not chat.messages)

    def _reads(self) -> None:
        """Some of everything that is known, read back."""
        reads, known = self.clients.reads, self.world.map
        files = [file for file in known.files.values() if not file.name.startswith(".")]
        for file in self.moment.sample(files, min(_LOOKED_AT, len(files))):
            reads.file(file)
        receipts = self.clients.receipts
        for receipt in self.moment.sample(receipts, min(2, len(receipts))):
            reads.receipt(receipt)
        reads.by_id(f"call_{self.moment.randrange(8)}")
        reads.never()
        self.world.tell()

    def _end(self) -> None:
        """Everything is read once more; chats are deleted; nothing half written outlives its
        hour; the store verifies clean."""
        clients, world = self.clients, self.world
        for receipt in clients.receipts:
            clients.reads.receipt(receipt)
        for chat in clients.chats:
            if chat.doomed or self.moment.random() < 0.6:
                world.round([clients.delete(chat)], kills=False)
        for file in world.map.files.values():
            if not file.name.startswith("."):
                clients.reads.file(file)
        world.close()
        left = world.disk.temporary()
        for path in left:
            os.utime(path, (time.time() - 7_200,) * 2)
        world.counts["temporary files"] += len(left)
        world.alone("sweep", "sweep", str(world.map.folder), dies=0)
        world.disk.look(set())
        if still := world.disk.temporary():
            world.say(f"{len(still)} temporary files outlive their hour: {still[0]}")
        self.harms.verify()
        world.tell()


def _line(counts: Counter[str], refused: Counter[str], worlds: int, seed: int) -> str:
    kills = counts["killed at a step"] + counts["killed at a moment"]
    kinds = ", ".join(f"{count:,} times {kind}" for kind, count in sorted(refused.items()))
    return (
        f"seed {seed}, {worlds} stores, {counts['operations']:,} operations, "
        f"{counts['acknowledged']:,} acknowledged, {counts['unanswered']:,} not, {kills:,} kills "
        f"({counts['killed at a step']:,} at a step), {counts['reads']:,} reads, "
        f"{counts['histories whole']:,} histories whole, {counts['histories in part']:,} in part, "
        f"{counts['forged']:,} forged, {counts['planted']:,} planted, {counts['changed']:,} "
        f"changed, {counts['deleted']:,} chats deleted; refused: {kinds or 'none'}"
    )


def _worlds(bench: Bench) -> Verdict:
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    faults: list[str] = []
    worlds = bench.pick(2, 16)
    for n in range(worlds):
        one = _Run(bench, f"world {n}")
        one.live(bench.pick(40, 250))
        counts += one.world.counts
        refused += one.world.refused
        faults += one.world.map.faults
    stepping = no_steps() is None
    needs = ["acknowledged", "deleted", "forged", "histories whole", "unanswered"]
    for what in [*needs, *(["killed at a step"] if stepping else [])]:
        if not faults and not counts[what]:
            faults.append(f"none {what}: nothing is proven")
    return Verdict(_line(counts, refused, worlds, bench.seed), faults)


def run(bench: Bench) -> Iterator[Verdict]:
    """Worlds one after another, each with a store of its own; then the control."""
    if why := no_steps():
        yield Verdict(f"deaths at a step: {why}", skipped=True)
    yield _worlds(bench)
    control = _Run(bench, "control")
    yield controls(control.world, control.clients)
