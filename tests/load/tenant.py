"""One tenant against all: an attacker with a token of its own beside a good client.

Promised: whatever one tenant asks, another gets right answers, nothing of the first in them, and
waits no more than three times as long as without it; nothing is killed for its memory; afterwards
memory is free again, and a restart finds all that was given out.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from apart import Apart
from attack import Attacker, Counts, Schedule
from burst import Burst
from crowd import NICE
from evil import bursts, evils, one
from evil_posts import log, offload, turn, user
from good import Again, Good, Seen
from group import MemoryGroup
from home import Home, homes
from overload import LIMIT, MIB
from service import Service
from tally import Bench
from verdict import Waits, attacked, judge

CORES = 2
PROCESSES, CONNECTIONS = 3, 16
# Longest restart, and longest wait for the memory to come back, in seconds.
RESTART, FREE = 10.0, 30.0
# What is let in where nothing is held; and what the service may hold then: by its own account
# it takes half of so small a group for tables, threads and caches.
LARGE, KEPT = 12 * MIB, LIMIT // 8 * 5
# How long a process of the check may take for what it has begun, in seconds.
THROUGH = 400.0


@dataclass(frozen=True)
class Scene:
    """A service in a group, and who uses it."""

    bench: Bench
    service: Service
    group: MemoryGroup
    good: Home
    evil: Home


def tenant(bench: Bench) -> None:
    """Alone, under attack, alone again; then a restart."""
    with _two_cores(), ExitStack() as stack:
        scene = _scene(bench, stack, bench.folder)
        # Another service, which nobody attacks, tells what the machine's own load does.
        aside = Path(bench.folder) / "twin"
        aside.mkdir()
        twin = _scene(bench, stack, str(aside))
        try:
            seen = _phases(scene, twin)
            _freed(scene)
            _restarted(scene, seen, stack)
        finally:
            said = scene.service.said()
            kills = scene.group.kills()
            bench.tally.note("killed for memory", kills)
            bench.tally.hold(kills == 0, f"{kills} killed for their memory")
            bench.tally.hold("panicked" not in said, f"a panic: {said[-500:]}")


@contextlib.contextmanager
def _two_cores() -> Iterator[None]:
    """All of it on two cores of the machine, however many there are."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:CORES])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _scene(bench: Bench, stack: ExitStack, folder: str) -> Scene:
    good, evil = homes(folder)
    group = MemoryGroup(LIMIT)
    stack.callback(group.remove)
    settings = good.settings() | evil.settings()
    service = stack.enter_context(Service(bench.program, folder, group, **settings))
    return Scene(bench, service, group, good, evil)


def _phases(scene: Scene, twin: Scene) -> Seen:
    """Everything that the good one was given."""
    bench, service, good = scene.bench, scene.service, scene.good
    for warmed in (scene, twin):
        _alone(warmed, 0, 2)
    before = _alone(scene, 1, bench.pick(10, 60))
    harm = evils(bench, service, good, scene.evil)
    each = bench.pick(24, 600) / len(harm)
    schedule = Schedule(time.monotonic() + 1, each, tuple(harm))
    with ExitStack() as jobs:
        attackers = [
            Apart(Attacker(service.address, harm, schedule, seed, CONNECTIONS), NICE)
            for seed in range(PROCESSES)
        ]
        clients = [
            Apart(Good(one.service.address, one.good, 2, schedule.end)) for one in (scene, twin)
        ]
        for job in (*attackers, *clients):
            jobs.enter_context(job)
        beside, unhurt = [job.result(schedule.end - time.monotonic() + THROUGH) for job in clients]
        counts: Counts = sum((job.result(THROUGH) for job in attackers), Counter())
    with Apart(Burst(service.address, bursts(harm)), NICE) as burst:
        counts += burst.result(THROUGH)
    bench.tally.note("most held MiB", service.kib("VmHWM") // 1024)
    after = _alone(scene, 3, bench.pick(10, 60))
    judge(bench.tally, Waits(before, beside, after, unhurt), schedule)
    attacked(bench.tally, counts, harm)
    beside.files |= before.files | after.files
    return beside


def _alone(scene: Scene, seed: int, seconds: float) -> Seen:
    end = time.monotonic() + seconds
    with Apart(Good(scene.service.address, scene.good, seed, end)) as job:
        seen: Seen = job.result(seconds + THROUGH)
    return seen


def _freed(scene: Scene) -> None:
    """As much is let in as if nothing had been, and nothing is kept for what is over."""
    tally, service, evil = scene.bench.tally, scene.service, scene.evil
    turns = [user("go"), *turn(1, log(LARGE)), user("on")]
    request = evil.post("/context_offload", offload(str(evil.folder / "large"), turns))
    end, status = time.monotonic() + FREE, 0
    while status != 200 and time.monotonic() < end:
        status = one(service, request).status
        time.sleep(0.5)
    tally.hold(status == 200, f"{LARGE // MIB} MiB were not let in afterwards: {status}")
    while (held := service.kib("RssAnon") * 1024) > KEPT and time.monotonic() < end:
        time.sleep(0.5)
    tally.note("held afterwards MiB", held // MIB)
    tally.hold(held <= KEPT, f"{held // MIB} MiB are held when nothing is under way")


def _restarted(scene: Scene, seen: Seen, stack: ExitStack) -> None:
    """The same service again, over what the attacker left in its folder."""
    tally, old = scene.bench.tally, scene.service
    began = time.monotonic()
    old.process.send_signal(signal.SIGTERM)
    try:
        status: int | None = old.process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        status = None
    ended = time.monotonic()
    tally.hold(status == 0, f"exit status {status}")
    old.stop()
    settings = scene.good.settings() | scene.evil.settings()
    began_again = time.monotonic()
    service = stack.enter_context(
        Service(scene.bench.program, scene.bench.folder, scene.group, **settings)
    )
    started = time.monotonic() - began_again
    tally.note("end and start s", f"{ended - began:.1f} {started:.1f}")
    tally.hold(started <= RESTART, f"the start took {started:.1f} s")
    with Apart(Again(service.address, scene.good, seen)) as job:
        faults: list[str] = job.result(THROUGH)
    tally.note("references read again", len(seen.files))
    tally.hold(bool(seen.files), "the good client was given nothing: this tells nothing")
    for fault in faults:
        tally.fail(f"after the restart: {fault}")
    tally.hold(service.alive(), "the service does not answer after the restart")
