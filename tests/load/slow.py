"""Two thousand clients that are slow on purpose, and what good ones notice of them.

A third drips the head of a request, a third stops within a body, a third asks for much and reads
nothing; each comes back when it is dropped. Promised: they are dropped, good clients' p99 at most
doubles, neither files nor memory grow with them, and nothing is left when they are gone.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import select
import socket
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from bodies import get, small
from client import Answer, ask
from crowd import NICE, Job, Watched, crowd, kinds, percentile
from service import Address, Service
from tally import Bench

SLOW = 2000
GOOD = 4
# How many of them come in a second at the beginning.
STARTED = 1000
# Deadlines of the service, short enough that a client is dropped more than once.
HEAD, BODY, ANSWER = 5, 5, 10
# What nobody reads: more than both ends of a line may hold for it.
UNREAD = get("/openapi.yaml").replace(b"Connection: close\r\n", b"") * 60
# How much more than twice is still the noise of a busy machine, in seconds.
NOISE = 0.01
Slow = Callable[["Drops", socket.socket], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Good:
    """Clients that post a small chat, again and again, until `end`."""

    address: Address
    seed: int
    end: float

    async def __call__(self) -> list[Answer]:
        answers: list[Answer] = []

        async def client(number: int) -> None:
            while time.monotonic() < self.end:
                number += 1
                answer = await ask(self.address, small(number), 30)
                answer.whole = b""
                answers.append(answer)

        await asyncio.gather(*(client(self.seed + n * 100_000) for n in range(GOOD)))
        return answers


@dataclass
class Look:
    """The service between two moments."""

    files: int
    sockets: int
    rss: int

    @staticmethod
    def at(service: Service) -> Look:
        """Now."""
        return Look(*service.files(), service.kib("VmRSS"))


def slow(bench: Bench) -> None:
    """Good clients alone, beside the slow ones, and alone again."""
    settings = {
        "server__header_timeout_seconds": HEAD,
        "server__body_timeout_seconds": BODY,
        "server__request_timeout_seconds": ANSWER,
        # The disk is no part of this.
        "store__durability": "relaxed",
    }
    with Service(bench.program, bench.folder, **settings) as service:
        _good(service, 0, 1.0)
        empty = Look.at(service)
        before = _good(service, 1, bench.pick(5, 20))
        with Crowd(service.address) as slow_ones:
            time.sleep(HEAD)
            looks: list[Look] = []
            beside = _good(service, 2, bench.pick(12, 60), looks)
            drops = slow_ones.leave()
        left = _left(service, empty)
        after = _good(service, 3, bench.pick(5, 20))
        _judge(bench, before, beside, after)
        _grown(bench, empty, looks, left)
        bench.tally.note("dropped", " ".join(f"{name}:{n}" for name, n in sorted(drops.items())))
        for kind in KINDS:
            bench.tally.hold(drops[kind] > 0, f"{kind}: none was dropped")
        bench.tally.hold(service.alive(), "the service does not answer")


def _good(
    service: Service, seed: int, seconds: float, looks: list[Look] | None = None
) -> list[Answer]:
    now = time.monotonic()
    jobs: list[Job] = [Good(service.address, seed * 1_000_000, now + seconds)]
    into = looks if looks is not None else []
    moments = [now + seconds * part for part in (0.4, 0.95)]
    watched = [Watched(moment, lambda: into.append(Look.at(service))) for moment in moments]
    return crowd(jobs, watched)[0]


def _judge(bench: Bench, before: list[Answer], beside: list[Answer], after: list[Answer]) -> None:
    tally = bench.tally
    alone = [percentile([a.seconds for a in answers], 0.99) for answers in (before, after)]
    worst = percentile([a.seconds for a in beside], 0.99)
    tally.note("slow", SLOW)
    tally.note("good beside them", kinds(beside))
    tally.note("p99 ms alone", " ".join(f"{p * 1000:.1f}" for p in alone))
    tally.note("beside", f"{worst * 1000:.1f} (x{worst / max(alone):.2f})")
    for answers in (before, beside, after):
        tally.hold(all(a.status == 200 for a in answers), f"good clients got {kinds(answers)}")
    tally.hold(worst <= 2 * max(alone) + NOISE, f"p99 {worst:.4f} s beside, {alone} alone")


def _grown(bench: Bench, empty: Look, looks: list[Look], left: Look) -> None:
    tally, (early, late) = bench.tally, looks
    tally.note("sockets", f"{empty.sockets}, {early.sockets}, {late.sockets}, {left.sockets}")
    tally.note("files", f"{empty.files}, {early.files}, {late.files}, {left.files}")
    tally.note("MiB", " ".join(f"{look.rss // 1024}" for look in (empty, early, late, left)))
    many = early.sockets >= SLOW * 3 // 4
    tally.hold(many, f"only {early.sockets} were connected: this tells nothing")
    tally.hold(late.files <= SLOW + empty.files + 100, f"{late.files} open files")
    tally.hold(late.rss <= early.rss * 1.25 + 32 * 1024, "the memory grows")
    none_left = left.sockets <= empty.sockets
    tally.hold(none_left, f"{left.sockets} sockets stay, {empty.sockets} before")


def _left(service: Service, empty: Look) -> Look:
    """Once all are gone, or ten seconds later."""
    end = time.monotonic() + 10
    while (look := Look.at(service)).sockets > empty.sockets and time.monotonic() < end:
        time.sleep(0.1)
    return look


class Crowd:
    """The slow ones, in a process of their own; they leave with the block."""

    def __init__(self, address: Address) -> None:
        forked = multiprocessing.get_context("fork")
        self.line, theirs = forked.Pipe()
        self.process = forked.Process(target=_crowd, args=(address, theirs), daemon=True)

    def __enter__(self) -> Crowd:
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.join()

    def leave(self) -> Counter[str]:
        """How often each kind was dropped."""
        self.line.send("leave")
        return Counter(self.line.recv() if self.line.poll(60) else {})


def _crowd(address: Address, line: Connection) -> None:
    os.nice(NICE)
    drops = Drops(address)
    asyncio.run(drops.until(line))
    line.send(dict(drops.counts))


class Drops:
    """Slow clients, and how often each kind of them was dropped."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.counts: Counter[str] = Counter()

    async def until(self, line: Connection) -> None:
        """All of them until somebody says so."""
        names = list(KINDS)
        tasks = [asyncio.create_task(self._again(names[n % 3], n)) for n in range(SLOW)]
        while not line.poll():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _again(self, name: str, number: int) -> None:
        # All at once would wait in the queue of new lines, and be no load.
        await asyncio.sleep(number / STARTED)
        while True:
            client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            client.setblocking(False)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            try:
                await asyncio.get_running_loop().sock_connect(client, self.address)
                await KINDS[name](self, client)
            except OSError:
                pass
            finally:
                client.close()
            self.counts[name] += 1
            await asyncio.sleep(0.1)

    async def drips(self, client: socket.socket) -> None:
        """A head that grows by a byte a second."""
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(client, b"GET /version HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        while not _gone(client):
            await loop.sock_sendall(client, b"x")
            await asyncio.sleep(1)

    async def stops(self, client: socket.socket) -> None:
        """A body that is announced, begun and left there."""
        loop = asyncio.get_running_loop()
        head = b"POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
        await loop.sock_sendall(client, head + b" " * 1000)
        while await loop.sock_recv(client, 4096):
            pass

    async def reads_nothing(self, client: socket.socket) -> None:
        """Many questions with long answers."""
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(client, UNREAD)
        while not _gone(client):
            # An end that is queued behind unread answers shows only to who goes on sending.
            await loop.sock_sendall(client, b"\r")
            await asyncio.sleep(1)


KINDS: dict[str, Slow] = {
    "drips": Drops.drips,
    "stops": Drops.stops,
    "reads nothing": Drops.reads_nothing,
}


def _gone(client: socket.socket) -> bool:
    """Whether the other end has left; asks without reading."""
    poll = select.poll()
    poll.register(client, select.POLLRDHUP)
    return bool(poll.poll(0))
