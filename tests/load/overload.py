"""Five times what it can do, in the memory of a small container.

Promised: what cannot be done is refused at once with 503 and Retry-After, what is begun is
finished, health and reads keep their share, and nothing is killed for its memory.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

from bodies import get, post, small, templates
from client import Answer
from crowd import Closed, Job, Open, Probe, Watched, crowd, kinds, percentile
from group import MemoryGroup
from service import Service
from tally import Bench, Tally

MIB = 1024 * 1024
LIMIT = 512 * MIB
# Clients of the closed loop: more than enough to keep two cores busy.
PROCESSES, CLIENTS = 2, 8
# How many times what it can do is asked at least; and how many times the rate of the loop
# before, since the one after may show that it can do more.
TIMES, OFFERED = 5, 5.5
# Of the peak, by the service's own computing and by the clock: the clients compute on the same
# cores, five times as much, and others may as well.
KEPT, KEPT_BY_CLOCK = 0.8, 0.5
# An answer counts as good within so many seconds of its arrival.
GOOD = 10.0
# Fewer good answers than this are no rate.
ENOUGH = 30
# Before this nothing is measured: lines fill, caches are cold.
RAMP = 2.0


@dataclass
class Phase:
    """What one crowd got between two moments, and what it cost the service."""

    start: float
    end: float
    answers: list[Answer] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def rate(self) -> float:
        """Good answers a second."""
        good = [answer for answer in self.answers if _good(answer)]
        inside = [answer for answer in good if self.start <= answer.ended < self.end]
        return len(inside) / (self.end - self.start)

    def by_cpu(self) -> float:
        """Good answers a second of the service's own computing."""
        spent = self.cpu[1] - self.cpu[0]
        return self.rate() * (self.end - self.start) / spent if spent else 0.0


def _good(answer: Answer) -> bool:
    return answer.status == 200 and not answer.fault and answer.seconds <= GOOD


def overload(bench: Bench) -> None:
    """A closed loop, an open one of five times its rate, the closed one again."""
    templates()
    group = MemoryGroup(LIMIT)
    try:
        with Service(bench.program, bench.folder, group) as service:
            try:
                _measure(bench, service)
            except OSError as error:
                bench.tally.hold(False, f"the service could not be asked: {error}")
            bench.tally.note("most held MiB", service.kib("VmHWM") // 1024)
            bench.tally.hold(service.alive(), "the service does not answer")
            _no_panic(bench.tally, service)
        kills = group.kills()
        bench.tally.note("killed for memory", kills)
        bench.tally.hold(kills == 0, f"{kills} killed for their memory")
    finally:
        group.remove()


def _no_panic(tally: Tally, service: Service) -> None:
    said = service.said()
    tally.hold("panicked" not in said, f"a panic: {said[-500:]}")


def _measure(bench: Bench, service: Service) -> None:
    tally = bench.tally
    calm = bench.pick(6, 15)
    # A first crowd warms what the second is measured with: a cold peak is none.
    _closed(service, 3, calm)
    before = _closed(service, 0, calm)
    if before.rate() * calm < ENOUGH:
        # A machine that is slow, or busy, needs longer to tell.
        calm *= 3
        before = _closed(service, 2, calm)
    if not tally.hold(before.rate() > 0, f"nothing was answered: {kinds(before.answers)}"):
        return
    flood, probes = _open(service, before.rate() * OFFERED, bench.pick(20, 60))
    after = _closed(service, 1, calm)
    for phase in (before, after):
        tally.hold(_only(phase.answers, {"200"}), f"in calm: {kinds(phase.answers)}")
    peak = (before.rate() + after.rate()) / 2
    tally.note("peak", f"{peak:.1f}/s ({before.rate():.1f}, {after.rate():.1f})")
    _flood(tally, flood, peak, (before.by_cpu() + after.by_cpu()) / 2)
    for name, answers in probes.items():
        _probe(tally, name, answers)


def _closed(service: Service, turn: int, seconds: float) -> Phase:
    start = time.monotonic() + RAMP
    phase = Phase(start, start + seconds)
    jobs: list[Job] = [
        Closed(service.address, turn * 100 + seed, CLIENTS, phase.end)
        for seed in range(PROCESSES)
    ]
    phase.answers = sum(crowd(jobs, _cpu(service, phase)), [])
    return phase


def _open(service: Service, rate: float, seconds: float) -> tuple[Phase, dict[str, list[Answer]]]:
    asked = {"healthz": get("/healthz"), "read_file": _read(service)}
    now = time.monotonic() + 0.5
    phase = Phase(now + RAMP, now + seconds)
    probes = [Probe(service.address, asked[name], 0.1, now, phase.end) for name in asked]
    jobs: list[Job] = [
        Open(service.address, 10 + seed, rate / PROCESSES, now, phase.end)
        for seed in range(PROCESSES)
    ]
    got = crowd([*probes, *jobs], _cpu(service, phase))
    phase.answers = sum(got[len(probes) :], [])
    return phase, dict(zip(asked, got, strict=False))


def _cpu(service: Service, phase: Phase) -> list[Watched]:
    def look() -> None:
        phase.cpu.append(service.cpu_seconds())

    return [Watched(phase.start, look), Watched(phase.end, look)]


def _read(service: Service) -> bytes:
    """A page of a result that was moved just now."""
    status, answer = service.ask("POST", "/context_offload", small(0).split(b"\r\n\r\n", 1)[1])
    assert status == 200, answer
    path = json.loads(answer)["answer"].rsplit(": ", 1)[1]
    return post("/read_file", json.dumps({"absolute_path": path, "limit": 100}).encode())


def _only(answers: list[Answer], kept: set[str]) -> bool:
    return all((answer.fault or str(answer.status)) in kept for answer in answers)


def _flood(tally: Tally, flood: Phase, peak: float, by_cpu: float) -> None:
    answers = flood.answers
    offered = len(answers) / (flood.end - flood.start + RAMP)
    rate, times = flood.rate(), offered / peak
    tally.note("asked", f"{offered:.1f}/s (x{times:.1f}) {kinds(answers)}")
    tally.hold(times >= TIMES, f"asked x{times:.1f} of the peak only: this was no such overload")
    tally.note("goodput", f"{rate:.1f}/s = {rate / peak:.0%}")
    kept, kept_by_clock = flood.by_cpu() / by_cpu, rate / peak
    tally.note("for a second of its computing", f"{kept:.0%} of peak")
    good = [answer.seconds for answer in answers if _good(answer)]
    refused = [answer.seconds for answer in answers if answer.status == 503]
    tally.note("p99 s of 200", f"{percentile(good, 0.99):.2f}")
    tally.note("of 503", f"{percentile(refused, 0.99):.2f}")
    enough = max(kept, kept_by_clock) >= KEPT and kept_by_clock >= KEPT_BY_CLOCK
    tally.hold(enough, f"goodput {kept_by_clock:.0%}, for its computing {kept:.0%}")
    tally.hold(_only(answers, {"200", "503"}), f"other answers: {kinds(answers)}")
    tally.hold(bool(refused), "nothing was refused: this was no overload")
    tally.hold(all(a.retry for a in answers if a.status == 503), "a 503 without Retry-After")


def _probe(tally: Tally, name: str, answers: list[Answer]) -> None:
    seconds = [answer.seconds for answer in answers]
    worst = percentile(seconds, 0.99)
    tally.note(name, f"{kinds(answers)} p50 {percentile(seconds, 0.5):.3f} p99 {worst:.3f} s")
    tally.hold(_only(answers, {"200"}), f"{name}: {kinds(answers)}")
