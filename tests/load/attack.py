"""The attacker: processes with many connections each, that do one kind of harm after another."""

from __future__ import annotations

import asyncio
import random
import select
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from home import GOOD_MARK
from service import Address

PIECE = 256 * 1024
# Longer than the service lets a request take.
PATIENCE = 140.0
# Between two bytes of who holds back; the service waits ten seconds for each.
DRIP = 4.0
# Before the next try where nobody listens any more.
REST = 0.5

Make = Callable[[random.Random], bytes]
# Kind, and what came of it: a status, or a word.
Counts = Counter[tuple[str, str]]


class Manner(Enum):
    """How a request is sent."""

    ASKS = "asks, and takes the answer"
    LEAVES = "asks, and leaves before the answer"
    HOLDS = "sends all but the last bytes, and those one by one, on each of its lines"
    DEAF = "asks, and reads nothing"
    IDLES = "says a part of a head at most, on each of its lines"
    ACTS = "does something in its own folder"


@dataclass(frozen=True)
class Evil:
    """One kind of harm."""

    kind: str
    make: Make
    manner: Manner = Manner.ASKS
    lines: int = 1


@dataclass(frozen=True)
class Schedule:
    """Families of harm, one after another, each for the same time."""

    start: float
    each: float
    families: tuple[str, ...]

    @property
    def end(self) -> float:
        """When the last has had its time."""
        return self.start + self.each * len(self.families)

    def span(self, family: str) -> tuple[float, float]:
        """When a family has its time."""
        start = self.start + self.each * self.families.index(family)
        return start, start + self.each

    def now(self) -> str:
        """The one whose time it is; None after the end."""
        index = int((time.monotonic() - self.start) / self.each)
        return self.families[index] if 0 <= index < len(self.families) else ""


@dataclass(frozen=True)
class Attacker:
    """So many connections at a time, until the schedule ends and all of them are through."""

    address: Address
    evils: dict[str, list[Evil]]
    schedule: Schedule
    seed: int
    connections: int

    async def __call__(self) -> Counts:
        counts: Counts = Counter()
        await asyncio.sleep(max(0.0, self.schedule.start - time.monotonic()))
        await asyncio.gather(*(self._one(counts, n) for n in range(self.connections)))
        return counts

    async def _one(self, counts: Counts, number: int) -> None:
        dice = random.Random(self.seed * 1000 + number)
        turn = number
        while family := self.schedule.now():
            evils = self.evils[family]
            # Each kind has its turn, however long the others take.
            evil = evils[(turn + self.seed) % len(evils)]
            turn += 1
            until = self.schedule.span(family)[1]
            counts[evil.kind, await Deed(self.address, evil, dice, until).done()] += 1


@dataclass(frozen=True)
class Deed:
    """One kind of harm, done once."""

    address: Address
    evil: Evil
    dice: random.Random
    until: float

    async def done(self) -> str:
        """The outcome."""
        if self.evil.manner is Manner.ACTS:
            await asyncio.to_thread(self.evil.make, self.dice)
            return "done"
        many = range(self.evil.lines)
        clients = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in many]
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._with(clients)
        except TimeoutError:
            return "late"
        except OSError as error:
            await asyncio.sleep(REST)
            return type(error).__name__
        finally:
            for client in clients:
                client.close()

    async def _with(self, clients: list[socket.socket]) -> str:
        loop = asyncio.get_running_loop()
        for client in clients:
            client.setblocking(False)
            if self.evil.manner is Manner.DEAF:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await loop.sock_connect(client, self.address)
        request = self.evil.make(self.dice)
        match self.evil.manner:
            case Manner.HOLDS:
                return await self._holds(clients, request)
            case Manner.DEAF:
                return await self._deaf(clients[0], request)
            case Manner.IDLES:
                return await self._idles(clients, request)
        try:
            await loop.sock_sendall(clients[0], request)
        except (ConnectionResetError, BrokenPipeError):
            # Who is refused may find the answer there all the same.
            pass
        if self.evil.manner is Manner.LEAVES:
            await asyncio.sleep(0.2)
            return "left"
        return await _taken(clients[0])

    async def _holds(self, clients: list[socket.socket], request: bytes) -> str:
        """Nearly all of a body, and the rest as slowly as is borne."""
        loop = asyncio.get_running_loop()
        first, rest = request[:-60], request[-60:]
        for client in clients:
            await loop.sock_sendall(client, first)
        for n in range(len(rest)):
            left = [client for client in clients if not _said(client)]
            if not left or time.monotonic() >= self.until:
                break
            for client in left:
                await loop.sock_sendall(client, rest[n : n + 1])
            await asyncio.sleep(min(DRIP, max(0.1, self.until - time.monotonic())))
        return await _taken(clients[0]) if _said(clients[0]) else "held"

    async def _deaf(self, client: socket.socket, request: bytes) -> str:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(client, request)
        while time.monotonic() < self.until:
            if _gone(client):
                return "closed"
            await asyncio.sleep(0.5)
        return "unread" if _said(client) else "unanswered"

    async def _idles(self, clients: list[socket.socket], part: bytes) -> str:
        loop = asyncio.get_running_loop()
        for client in clients:
            await loop.sock_sendall(client, part)
        while time.monotonic() < self.until and not all(_said(client) for client in clients):
            await asyncio.sleep(0.5)
        return "held"


async def _taken(client: socket.socket) -> str:
    """The status of the first answer; what follows is read and forgotten. The good tenant's
    bytes in it are the worst that can come of an attack."""
    loop, mark = asyncio.get_running_loop(), GOOD_MARK.encode()
    head = await loop.sock_recv(client, PIECE)
    if not head:
        return "closed"
    tail, leaked = head, mark in head
    while more := await loop.sock_recv(client, PIECE):
        seen = tail[-len(mark) :] + more
        leaked = leaked or mark in seen
        tail = more
    words = head.split(b" ", 2)
    status = words[1].decode("latin-1") if len(words) > 1 else "no status"
    return "LEAK" if leaked else status


def _said(client: socket.socket) -> bool:
    """Whether something came, or the other end left; asks without reading."""
    poll = select.poll()
    poll.register(client, select.POLLIN | select.POLLRDHUP)
    return bool(poll.poll(0))


def _gone(client: socket.socket) -> bool:
    poll = select.poll()
    poll.register(client, select.POLLRDHUP)
    return bool(poll.poll(0))
