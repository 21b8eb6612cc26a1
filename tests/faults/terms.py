"""SIGTERM under load.

Promised: what is under way is answered, whole and readable; the exit status is 0, within the drain
limit; nobody whose work was begun is left without an answer.
Injected: SIGTERM at a random moment of traffic, in a loop."""

import signal
import time
from collections.abc import Iterator

import store
from bench import Bench, Verdict
from receipts import Receipts, lost
from service import Service
from traffic import Traffic

NEEDS = ()

_DRAIN = 20


def run(bench: Bench) -> Iterator[Verdict]:
    """Stopped again and again, and read back by the next."""
    root = bench.fresh("terms")
    folder, kept, moment = root / "store", Receipts(), bench.random("terms")
    faults: list[str] = []
    slowest, answered, refused, whole = 0.0, 0, 0, 0
    cycles = bench.pick(5, 200)
    before = 0
    for cycle in range(cycles):
        with Service(bench.program, root) as service:
            service.warm()
            for receipt in kept.all[before:]:
                faults += lost(service, receipt)
            before = len(kept.all)
            traffic = Traffic(service, folder, f"t{cycle}x", kept, clients=4)
            time.sleep(moment.uniform(0.02, 0.25))
            started = time.monotonic()
            service.signal(signal.SIGTERM)
            status = service.wait(_DRAIN + 5)
            slowest = max(slowest, time.monotonic() - started)
            traffic.stop()
        if status != 0:
            faults.append(f"cycle {cycle}: exit status {status} after {_DRAIN + 5} s at most")
        faults += traffic.bad
        answered, refused = answered + traffic.answered, refused + len(traffic.unanswered)
        faults += [
            f"its work was done, its answer lost: {why}"
            for name, why in zip(traffic.unanswered, traffic.reasons, strict=True)
            if store.look(folder, only=name).whole
        ]
        found = store.look(folder, only=f"t{cycle}x")
        whole += found.whole
        faults += found.torn + [f"{path.name} stays" for path in found.temporary]
    if not (answered and refused):
        faults.append("no load when the signal came: nothing is proven")
    yield Verdict(
        f"{cycles} stops, {answered:,} answers, {kept.references():,} acknowledged, {whole:,} "
        f"files whole, {refused} clients refused after the signal, slowest exit {slowest:.1f} s of "
        f"{_DRAIN} s",
        faults,
    )
