"""Many clients, in processes of their own: a client's delay must not look like the service's."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from bodies import Chats, templates
from client import Answer, ask
from service import Address

# How much less the clients' processes are preferred to the service's.
NICE = 10
# A client that waits longer gives up.
PATIENCE = 30.0
PROBE_PATIENCE = 5.0

Job = Callable[[], Coroutine[Any, Any, list[Answer]]]


@dataclass(frozen=True)
class Closed:
    """Clients that each ask again when they were answered, until `end`."""

    address: Address
    seed: int
    clients: int
    end: float

    async def __call__(self) -> list[Answer]:
        chats, answers = Chats(self.seed), []

        async def client() -> None:
            while time.monotonic() < self.end:
                answer = await ask(self.address, chats.request(), PATIENCE)
                answers.append(_short(answer))
                if answer.status != 200:
                    await asyncio.sleep(0.5)

        await asyncio.gather(*(client() for _ in range(self.clients)))
        return answers


@dataclass(frozen=True)
class Open:
    """Clients that come at `rate` a second from `start` to `end`, whatever becomes of them."""

    address: Address
    seed: int
    rate: float
    start: float
    end: float

    async def __call__(self) -> list[Answer]:
        chats, dice, tasks = Chats(self.seed), random.Random(self.seed), []
        due = self.start

        async def client() -> Answer:
            return _short(await ask(self.address, chats.request(), PATIENCE))

        while due < self.end:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(client()))
            due += dice.expovariate(self.rate)
        return list(await asyncio.gather(*tasks))


@dataclass(frozen=True)
class Probe:
    """One who asks the same each `pause` seconds from `start` to `end`."""

    address: Address
    request: bytes
    pause: float
    start: float
    end: float

    async def __call__(self) -> list[Answer]:
        tasks = []
        due = self.start
        while due < self.end:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(ask(self.address, self.request, PROBE_PATIENCE)))
            due += self.pause
        return list(await asyncio.gather(*tasks))


@dataclass
class Watched:
    """What is asked of the service itself while a crowd is there."""

    after: float
    look: Callable[[], None]


def crowd(jobs: list[Job], watched: list[Watched] | None = None) -> list[list[Answer]]:
    """What each job got; `watched` is looked at meanwhile, at its moment."""
    # Before the fork, which shares them: a client that makes its own comes late.
    templates()
    with multiprocessing.get_context("fork").Pool(len(jobs)) as pool:
        waiting = [pool.apply_async(_run, (job,)) for job in jobs]
        for one in sorted(watched or [], key=lambda one: one.after):
            time.sleep(max(0.0, one.after - time.monotonic()))
            one.look()
        return [one.get(timeout=300) for one in waiting]


def _run(job: Job) -> list[Answer]:
    if not isinstance(job, Probe):
        os.nice(NICE)
    return asyncio.run(job())


def _short(answer: Answer) -> Answer:
    """Without its text: 200s that moved nothing are told apart here."""
    if answer.status == 200 and not answer.moved():
        answer.fault = f"not moved: {answer.whole[:200]!r}"
    answer.whole = b""
    return answer


def percentile(seconds: list[float], part: float) -> float:
    """The smallest that `part` of them do not exceed; 0 of none."""
    ranked = sorted(seconds)
    return ranked[min(len(ranked) - 1, int(len(ranked) * part))] if ranked else 0.0


def kinds(answers: list[Answer]) -> str:
    """How many there were of each status and fault."""
    counts = Counter(answer.fault or str(answer.status) for answer in answers)
    return " ".join(f"{kind}:{number}" for kind, number in sorted(counts.items()))
