"""Throughput of one, two and three replicas, and what an answer takes. Printed, not judged.

Each replica has a quarter of one processor: it is stopped for three quarters of each period, as a
small machine would be slower. The server and the clients have the other processor, so that the
replicas are what is measured. Each post is a new chat whose results move."""

import os
import signal
import statistics
import threading
import time
from pathlib import Path

import histories
from fleet import Fleet
from servers import SEEN, Store, Stub
from service import Service, together
from tally import Bench

_PERIOD, _SHARE = 0.04, 0.25
_CLIENTS_EACH = 4
# About what a request to a store in the same region takes.
_REMOTE = 0.015


class _Throttle:
    """Lets services run for a share of the time."""

    def __init__(self, services: list[Service]) -> None:
        self._services, self._end = services, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._end.is_set():
            for number, doing in ((signal.SIGCONT, _SHARE), (signal.SIGSTOP, 1 - _SHARE)):
                for service in self._services:
                    service.signal(number)
                time.sleep(_PERIOD * doing)
        for service in self._services:
            service.signal(signal.SIGCONT)


def _chat(name: str) -> dict[str, object]:
    calls = [f"{name}r{number}" for number in range(6)]
    body = histories.offload(name, str(SEEN / "speed"), "compact")
    return {**body, "messages": histories.history(name, calls)}


def _rate(fleet: Fleet, tag: str, posts: int) -> float:
    """Chats a second by as many clients as the replicas can use."""
    left = list(range(posts))
    bodies = {number: _chat(f"{tag}{number}x") for number in left}
    clients = _CLIENTS_EACH * len(fleet.all)

    def client(number: int) -> None:
        service = fleet.all[number % len(fleet.all)]
        while left:
            try:
                post = left.pop()
            except IndexError:
                return
            service.post("/context_offload", bodies[post])

    begun = time.monotonic()
    for thread in together(clients, client):
        thread.join()
    return posts / (time.monotonic() - begun)


def _waits(service: Service, tag: str, posts: int) -> str:
    times = []
    for number in range(posts):
        body = _chat(f"{tag}{number}x")
        begun = time.monotonic()
        service.post("/context_offload", body)
        times.append((time.monotonic() - begun) * 1000)
    parts = statistics.quantiles(times, n=100)
    return f"p50 {parts[49]:.0f} p99 {parts[98]:.0f}"


def _pin(services: list[Service], cpus: set[int]) -> None:
    for service in services:
        for task in Path(f"/proc/{service.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), cpus)


def check(bench: Bench, store: Store) -> None:
    """Rates, then waits at no load: a local folder beside, and a store that is far away."""
    tally = bench.tally
    cpus = sorted(os.sched_getaffinity(0))
    posts = bench.pick(24, 120)
    with Fleet(bench, store, count=1) as fleet:
        # A store that was just started is not itself yet.
        _rate(fleet, "v0n", posts)
    rates = []
    for count in (1, 2, 3):
        with Fleet(bench, store, count=count) as fleet:
            fleet.warm()
            if len(cpus) > 1:
                _pin(fleet.all, {cpus[0]})
            with _Throttle(fleet.all):
                rates.append(_rate(fleet, f"v{count}n", posts * count))
    for count, rate in enumerate(rates, 1):
        tally.note(f"chats/s of {count}", f"{rate:.1f} ({rate / rates[0]:.2f})")
    with Fleet(bench, store, count=1) as fleet:
        fleet.warm()
        tally.note("ms alone", _waits(fleet.all[0], "w", posts))
        if isinstance(store, Stub):
            store.side.manner(delay=_REMOTE)
            waits = _waits(fleet.all[0], "f", posts)
            tally.note(f"ms alone, {_REMOTE * 1000:.0f} ms a request", waits)
            store.side.manner(delay=0.0)
