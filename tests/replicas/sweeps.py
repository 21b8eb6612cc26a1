"""Sweeps by three replicas against posts and reads through all of them.

Promised: a reader gets the whole content, or a 410 that says why; never a short read, never a 404
for a file that was. A chat that is posted again finds its files or makes them again. One replica at
a time sweeps; the lock of one that died expires after two minutes."""

import threading
import time
from collections import Counter

import histories
from agents import dice
from fleet import Fleet
from ledger import Ledger
from receipts import Receipt
from servers import PREFIX, SEEN, Server, Store
from service import Gone, together
from tally import Bench

_READERS, _WRITERS = 24, 3
LOCK = f"{PREFIX}/.unburden-sweep"
SWEPT = '"message":"swept"'
_LOCKED = 120.0
_SETTINGS = {
    "UNBURDEN_STORE__TTL_SECONDS": "2",
    "UNBURDEN_STORE__SWEEP_SECONDS": "1",
    "UNBURDEN_PROMPT__OFFLOAD__TTL_SECONDS": "2",
}


class _Race:
    """Writers, readers, and files that live for seconds."""

    def __init__(self, ledger: Ledger, rounds: int, chats: int) -> None:
        self.ledger, self.rounds, self.chats = ledger, rounds, chats
        self.met: Counter[str] = Counter()
        self.faults: list[str] = []
        self.known: dict[str, Receipt] = {}
        self._over = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        """Until each writer has posted so often, and something was swept."""
        writers = together(_WRITERS, lambda n: self._guard(lambda: self._write(n)))
        readers = together(_READERS, lambda n: self._guard(lambda: self._read(n)))
        for thread in writers:
            thread.join(600)
        end = time.monotonic() + 30
        while not self.met["gone"] and time.monotonic() < end:
            time.sleep(0.1)
        self._over.set()
        for thread in readers:
            thread.join(60)

    def _guard(self, work) -> None:
        try:
            work()
        except (Gone, KeyError, ValueError, AssertionError) as error:
            self._note("broken", f"{type(error).__name__}: {error}")

    def _note(self, what: str, fault: str | None = None) -> None:
        with self._lock:
            self.met[what] += 1
            if fault:
                self.faults.append(fault)

    def _write(self, writer: int) -> None:
        random = dice(f"writer{writer}")
        for turn in range(self.rounds):
            name = f"s{(writer + turn * _WRITERS) % self.chats}x"
            receipt = self.ledger.post(name, random)
            if receipt is None:
                self._note("inline", f"{name} stays inline: {self.ledger.why}")
                continue
            with self._lock:
                self.known[name] = receipt
            self._note("written")
            time.sleep(0.2)

    def _read(self, reader: int) -> None:
        random = dice(f"reader{reader}")
        while not self._over.is_set():
            with self._lock:
                paths = [pair for receipt in self.known.values() for pair in receipt.paths]
            if not paths:
                time.sleep(0.05)
                continue
            path, call = random.choice(paths)
            answer = self.ledger.fleet.any(random).post(
                "/read_file", {"absolute_path": path, "max_tokens": 0}
            )
            said = answer.json["answer"]
            if answer.status == 200:
                why = _differs(path, call, said)
                self._note("torn" if why else "whole", why)
            elif answer.status == 410:
                told = "expired" in said
                self._note("gone", None if told else f"a 410 without a reason: {said[:200]}")
            else:
                self._note(str(answer.status), f"{path}: {answer.status} {said[:200]}")
            time.sleep(0.03)


def _differs(path: str, call: str, text: str) -> str | None:
    if path.endswith(".txt"):
        same = text == histories.text(call)
    elif path.endswith(".jsonl"):
        same = text.count("\n") == len(histories.rows(call)) + 1
    else:
        same = text.startswith("[") and text.rstrip().endswith("]")
    return None if same else f"{path}: {len(text)} characters differ"


def _locked(bench: Bench, store: Server) -> None:
    """A replica died while it swept: its lock is there."""
    store.s3.put(LOCK, b"of a replica that died")
    begun = time.monotonic()
    with Fleet(bench, store, env=_SETTINGS) as fleet:
        before = fleet.logged(SWEPT)
        while fleet.logged(SWEPT) == before and time.monotonic() < begun + 2 * _LOCKED:
            time.sleep(0.5)
    waited = time.monotonic() - begun
    bench.tally.note("seconds until another sweeps", f"{waited:.0f}")
    in_time = _LOCKED - 2 <= waited <= _LOCKED + 30
    bench.tally.hold(in_time, f"another replica sweeps after {waited:.0f} s")


def check(bench: Bench, store: Store) -> None:
    """The race; then replicas without an end make everything again."""
    tally = bench.tally
    folder = str(SEEN / "swept")
    with Fleet(bench, store, env=_SETTINGS) as fleet:
        fleet.warm()
        race = _Race(Ledger(fleet, tally, folder), bench.pick(12, 400), chats=12)
        race.run()
        swept = [one.counter("unburden_offload_file_expired_total") for one in fleet.all]
    for what in ("written", "whole", "gone", "torn", "404"):
        tally.note(what, race.met[what])
    tally.note("swept by each", " ".join(map(str, swept)))
    for fault in race.faults:
        tally.fail(fault)
    tally.hold(bool(race.met["gone"] and sum(swept)), "nothing expired: nothing is proven")
    with Fleet(bench, store) as fleet:
        ledger = Ledger(fleet, tally, folder)
        for name in list(race.known)[:12]:
            inline = ledger.post(name, dice(name)) is None
            tally.hold(not inline, f"{name} stays inline when it is posted again")
        ledger.settle()
    if bench.full and isinstance(store, Server):
        _locked(bench, store)
