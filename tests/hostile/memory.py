"""What each shape of JSON costs in memory: one request alone, then many at once."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server import Server, field_of_proc
from shapes import SHAPES, body
from tally import Bench, remove

MIB = 1024 * 1024
DOCUMENTED = {200, 400, 413, 422, 503, 504}
# Bytes held for a byte of body, at most, and what is held whatever the body: the tables of the
# tokenizer, caches, stacks.
TIMES = 24
CONSTANT_MIB = 220
# What the server may hold at all; beyond it the check ends it, to spare the machine.
CEILING_MIB = 8 * 1024
PARALLEL = 20


def memory(bench: Bench) -> None:
    """The figures of each shape, one line a shape in the long form."""
    size = bench.pick(1, 64) * MIB
    bench.tally.note("shapes", len(SHAPES))
    bench.tally.note("MiB", size // MIB)
    heaviest = _each_alone(bench, size) if bench.full else _in_turn(bench, size)
    worst = max(heaviest, key=lambda name: heaviest[name])
    bench.tally.note("most for one", f"{heaviest[worst]:.0f} MiB ({worst})")
    # Those that cost the most alone, together; in the long form all of them.
    ranked = sorted(heaviest, key=lambda name: -heaviest[name])
    chosen = ranked if bench.full else ranked[:2]
    together = {name: _together(bench, name, size) for name in chosen}
    worst = max(together, key=lambda name: together[name])
    bench.tally.note(f"most for {PARALLEL} at once", f"{together[worst]:.0f} MiB ({worst})")


def _server(bench: Bench, size: int) -> Server:
    root = Path(bench.folder) / "root"
    remove(str(root))
    root.mkdir()
    environment = {
        "UNBURDEN_SERVER__BODY_LIMIT_BYTES": str(size),
        "UNBURDEN_STORE__DURABILITY": "relaxed",
    }
    return Server(bench.program, str(root), cwd=str(root), environment=environment)


def _each_alone(bench: Bench, size: int) -> dict[str, float]:
    """A server for each, so that nothing is left of the one before."""
    peaks = {}
    for name in SHAPES:
        with _server(bench, size) as server:
            peaks[name] = _alone(bench, server, name, size)
    return peaks


def _in_turn(bench: Bench, size: int) -> dict[str, float]:
    """One server for all: what is held still counts, what was held does not."""
    with _server(bench, size) as server:
        return {name: _alone(bench, server, name, size) for name in SHAPES}


def _alone(bench: Bench, server: Server, name: str, size: int) -> float:
    made = body(name, size - 2048, "store")
    Path(f"/proc/{server.pid}/clear_refs").write_text("5")
    reply = server.ask("POST", "/context_offload", made, whole=False, timeout=150)
    peak = server.peak_mib()
    bench.tally.add("requests")
    answered = reply.status in DOCUMENTED
    bench.tally.hold(answered, f"{name}: {reply.status} {reply.body[:200]!r}")
    bench.tally.hold(server.alive(), f"{name}: the server ended: {server.said()[-300:]}")
    bench.tally.hold("panic" not in server.said(), f"{name}: a panic")
    most = TIMES * len(made) / MIB + CONSTANT_MIB
    bench.tally.hold(peak < most, f"{name}: {peak:.0f} MiB for {len(made) / MIB:.0f}")
    if bench.full:
        mark = f"{len(made) / MIB:.1f} MiB -> {peak:.0f} MiB, {reply.seconds:.1f} s, {reply.status}"
        print(f"     {name}: {mark}", flush=True)
    return peak


def _together(bench: Bench, name: str, size: int) -> float:
    made = body(name, size - 2048, "store")
    with _server(bench, size) as server, _Guard(server):

        def ask(_: int) -> int:
            try:
                return server.ask("POST", "/context_offload", made, whole=False, timeout=300).status
            except OSError:
                return 0

        with ThreadPoolExecutor(PARALLEL) as pool:
            statuses = Counter(pool.map(ask, range(PARALLEL)))
        peak = server.peak_mib() or CEILING_MIB
        bench.tally.add("requests", PARALLEL)
        answered = set(statuses) <= DOCUMENTED
        bench.tally.hold(answered, f"{name} {PARALLEL} times: {dict(statuses)}, {peak:.0f} MiB")
        bench.tally.hold(peak < CEILING_MIB, f"{name} {PARALLEL} times: {peak:.0f} MiB")
        for status, count in statuses.items():
            bench.tally.add(f"at once {status}", count)
    if bench.full:
        print(f"     {name} x {PARALLEL}: {peak:.0f} MiB, {dict(statuses)}", flush=True)
    return peak


class _Guard:
    """Ends a server that takes more than its ceiling, before the machine suffers."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.stop.is_set():
            if field_of_proc(self.server.pid, "VmRSS") / 1024 > CEILING_MIB:
                os.kill(self.server.pid, 9)
                return
            time.sleep(0.02)
