"""Asking with a limit on time, on a machine that may be busy with something else."""

from __future__ import annotations

import json
from typing import Any

from server import Reply, Server
from tally import Bench

TRIES = 4


class Patience:
    """Asks; an answer that is late each time is a failure, and so is a server that died."""

    def __init__(self, bench: Bench, server: Server, seconds: float) -> None:
        self.bench = bench
        self.server = server
        self.seconds = seconds
        self.slowest = 0.0

    def ask(self, what: str, route: str, body: dict[str, Any]) -> Reply | None:
        """The answer, or None where there was none in time."""
        tally = self.bench.tally
        data = json.dumps(body).encode("utf-8", "surrogatepass")
        best: Reply | None = None
        for _ in range(TRIES):
            tally.add("requests")
            try:
                reply = self.server.ask("POST", route, data, timeout=120)
            except OSError as error:
                tally.fail(f"{what}: {error}; alive: {self.server.alive()}")
                return None
            if best is None or reply.seconds < best.seconds:
                best = reply
            # A busy machine may hold an answer up once; what hangs does so every time.
            if reply.seconds <= self.seconds:
                break
            tally.add("late once")
        assert best is not None
        self.slowest = max(self.slowest, best.seconds)
        tally.hold(best.seconds <= self.seconds, f"{what}: {best.seconds:.2f} s")
        tally.hold(best.status < 500, f"{what}: {best.status} {best.body[:200]!r}")
        tally.add("answered" if best.status == 200 else "refused")
        tally.hold(self.server.process.poll() is None, f"{what}: the server ended")
        return best

    def note(self) -> None:
        """The slowest answer, and whether the server lives."""
        self.bench.tally.note("slowest s", round(self.slowest, 2))
        self.bench.tally.note("limit s", round(self.seconds, 2))
        self.bench.tally.hold(self.server.alive(), "the server does not answer")
        said = self.server.said()
        self.bench.tally.hold("panic" not in said, f"a panic: {said[-500:]}")
