"""Sweep against readers.

Promised: a reader gets a file's whole content, or a 410 that names the call which made it; never a
short read, never a 404 for a file that was. A history that is posted again finds its files or makes
them again.
Injected: a service that sweeps each second with lifetimes of one second, sixty-four readers, and
writers that make the same files again."""

import threading
import time
from collections import Counter
from collections.abc import Iterator

import histories
from bench import Bench, Verdict
from receipts import Receipt, lost
from service import Answer, Gone, Service, together
from traffic import post

NEEDS = ()

_READERS = 64
_SETTINGS = {
    "UNBURDEN_STORE__TTL_SECONDS": "1",
    "UNBURDEN_STORE__SWEEP_SECONDS": "1",
    "UNBURDEN_PROMPT__OFFLOAD__TTL_SECONDS": "1",
    "UNBURDEN_STORE__DURABILITY": "relaxed",
}


class _Race:
    """Readers and writers of a few chats, and what they met."""

    def __init__(self, service: Service, folder) -> None:
        self.service, self.folder = service, folder
        self.met: Counter[str] = Counter()
        self.faults: list[str] = []
        self.known: dict[str, Receipt] = {}
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def run(self, seconds: float, chats: int) -> None:
        """Everybody at once, for so long."""
        writers = together(3, lambda n: self._guard(lambda: self._write(n, chats)))
        readers = together(_READERS, lambda n: self._guard(lambda: self._read(n)))
        time.sleep(seconds)
        self._stop.set()
        for thread in [*writers, *readers]:
            thread.join(60)

    def _guard(self, work) -> None:
        try:
            work()
        except (Gone, KeyError, ValueError) as error:
            self._note("broken", f"{type(error).__name__}: {error}")

    def _note(self, what: str, fault: str | None = None) -> None:
        with self._lock:
            self.met[what] += 1
            if fault:
                self.faults.append(fault)

    def _write(self, writer: int, chats: int) -> None:
        turn = writer
        while not self._stop.is_set():
            turn += 1
            name = f"s{turn % chats}x"
            answer, receipt = post(self.service, name, self.folder)
            if receipt is None:
                self._note("inline", f"{name}: {answer.status} {str(answer.metadata)[:300]}")
                continue
            with self._lock:
                self.known[name] = receipt
            self._note("written")
            # Right after its answer a file has its whole lifetime, less what a busy machine takes.
            time.sleep(0.15)

    def _read(self, reader: int) -> None:
        pick = reader
        while not self._stop.is_set():
            with self._lock:
                paths = [pair for receipt in self.known.values() for pair in receipt.paths]
            if not paths:
                time.sleep(0.05)
                continue
            pick = (pick * 31 + 7) % 1_000_003
            path, call = paths[pick % len(paths)]
            body = {"absolute_path": path, "max_tokens": 0}
            self._one(path, call, self.service.post("/read_file", body))
            time.sleep(0.01)

    def _one(self, path: str, call: str, answer: Answer) -> None:
        if answer.status == 200:
            why = _differs(path, call, answer.json["answer"])
            self._note("torn" if why else "whole", why)
        elif answer.status == 410:
            said = answer.json["answer"]
            self._note("gone", None if "expired" in said else f"a 410 without a reason: {said}")
        else:
            self._note(str(answer.status), f"{path}: {answer.status} {answer.json['answer'][:200]}")


def _differs(path: str, call: str, text: str) -> str | None:
    if path.endswith(".txt"):
        same = text == histories.text(call)
    elif path.endswith(".jsonl"):
        same = text.count("\n") == len(histories.rows(call)) + 1
    else:
        same = text.startswith("[") and text.rstrip().endswith("]")
    return None if same else f"{path}: {len(text)} characters differ"


def run(bench: Bench) -> Iterator[Verdict]:
    """The race, and then what a service without an end reads back."""
    root = bench.fresh("sweeps")
    with Service(bench.program, root, env=_SETTINGS) as service:
        service.warm()
        race = _Race(service, root / "store")
        race.run(bench.pick(5, 60), chats=24)
        swept = service.counter("unburden_offload_file_expired_total")
    met = race.met
    faults = race.faults
    if not (met["gone"] and swept):
        faults.append("nothing expired: nothing is proven")
    # Posted once more where nothing expires, everything is there again.
    with Service(bench.program, root) as service:
        for name in list(race.known)[:12]:
            _, receipt = post(service, name, root / "store")
            faults += lost(service, receipt) if receipt else [f"{name} stays inline"]
    torn = met["torn"]
    yield Verdict(
        f"{_READERS} readers, {met['written']} answers, {swept:,} files swept, "
        f"{met['whole']:,} whole reads, {met['gone']:,} times 410, {torn} torn, "
        f"{met['404']} times 404",
        faults,
    )
