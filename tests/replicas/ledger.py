"""The files that replicas acknowledged, and whether all give them back."""

import random
import threading

import histories
import judge
import receipts
from fleet import Fleet
from receipts import Receipt
from service import Gone, Service
from tally import Tally

# A name says what it is posted as: a chat in a mode, or a large result.
_KINDS = ("compact", "compress", "large")


def is_given_out(path: str) -> bool:
    """True for the file of an /offload_result: the moment is in its name, and none in that of a
    file of a chat."""
    name = path.rsplit("/", 1)[-1]
    return name.startswith("lro-") and not name.rsplit("-", 1)[-1].startswith("0000000000")


class Ledger:
    """Posts names to replicas, judges the answers, keeps the receipts, and reads them back."""

    def __init__(self, fleet: Fleet, tally: Tally, folder: str) -> None:
        self.fleet, self.tally, self.folder = fleet, tally, folder
        self.kept: list[Receipt] = []
        self.inline = self.posted = 0
        # The warning of the last answer that came back inline.
        self.why = ""
        self._lock = threading.Lock()

    def post(self, name: str, dice: random.Random) -> Receipt | None:
        """Posts what the name says to any replica; None where it came back inline, with a
        warning."""
        kind = _KINDS[histories.number(name, len(_KINDS))]
        if kind == "large":
            body = histories.large(name, self.folder)
            _, answer = self.fleet.post(dice, "/offload_result", body)
            faults, receipt = judge.result(name, answer)
        else:
            body = histories.offload(name, self.folder, kind)
            _, answer = self.fleet.post(dice, "/context_offload", body)
            faults, receipt = judge.chat(name, answer)
        with self._lock:
            self.posted += 1
            for fault in faults:
                self.tally.fail(fault)
            if receipt:
                self.kept.append(receipt)
            elif not faults:
                self.inline += 1
                self.why = f"{name}: {' '.join(answer.warnings)}"
        return receipt

    def references(self) -> int:
        """How many paths were acknowledged."""
        return sum(len(receipt.paths) for receipt in self.kept)

    def lost(self, kept: list[Receipt], service: Service) -> list[str]:
        """The files of these receipts that the replica does not give back, file by file and whole."""
        try:
            return [fault for receipt in kept for fault in receipts.lost(service, receipt)]
        except Gone as gone:
            return [str(gone)]

    def settle(self) -> None:
        """Reads everything back, each part through another replica, and notes the counts."""
        lost: list[str] = []
        for number, service in enumerate(self.fleet.all):
            lost += self.lost(self.kept[number :: len(self.fleet.all)], service)
        for fault in lost:
            self.tally.fail(fault)
        self.tally.note("posts", self.posted)
        self.tally.note("inline", self.inline)
        self.tally.note("acknowledged", self.references())
        self.tally.note("lost", len(lost))
        self.tally.hold(bool(self.kept), "nothing was acknowledged: nothing is proven")


class Load:
    """Clients that post new names without pause until they are told to stop."""

    def __init__(self, ledger: Ledger, tag: str, clients: int) -> None:
        self._ledger, self._tag = ledger, tag
        self._end = threading.Event()
        self._threads = [
            threading.Thread(target=self._client, args=(n,), daemon=True) for n in range(clients)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Load":
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join(120)

    def _client(self, client: int) -> None:
        dice = random.Random(f"{self._tag}{client}")
        for n in range(100_000):
            if self._end.is_set():
                return
            try:
                self._ledger.post(f"{self._tag}c{client}n{n}", dice)
            except (Gone, AssertionError) as error:
                self._ledger.tally.fail(f"{type(error).__name__}: {error}")
                return
