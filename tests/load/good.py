"""The good tenant: an agent whose history grows, and that reads back what left it."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from client import Answer, ask
from crowd import percentile
from good_chat import Chat, print_of
from home import EVIL_MARK, Home
from service import Address

# Between two turns of the agent.
PAUSE = 0.5
# Longer than any request may take: who gives up sees less than there is.
PATIENCE = 150.0
# What cannot be answered so often is not asked again; nor does anybody ask who is refused a
# line so often: nobody listens any more.
TRIES, REFUSED = 200, 10
# Which part of the service a question asks of.
PARTS = {"context_offload": "posts", "lro_extract query": "jq", "healthz": "probes"}


@dataclass(frozen=True)
class Sample:
    """How long one question waited for its answer, with all that was refused before it."""

    part: str
    kind: str
    began: float
    seconds: float
    refused: int


@dataclass
class Seen:
    """The answers to the good tenant."""

    samples: list[Sample] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    # Each file that was given out, and what it must hold.
    files: dict[str, bytes] = field(default_factory=dict)
    # The last history with its originals.
    last: tuple[list[Any], list[Any]] = field(default_factory=lambda: ([], []))

    def seconds(self, part: str, start: float = 0.0, end: float = float("inf")) -> list[float]:
        """The waits that began between two moments. A long one stands for the turns, too,
        that it kept from coming: they would have waited the rest of it."""
        waits: list[float] = []
        for sample in self.samples:
            if sample.part != part or not start <= sample.began < end:
                continue
            left = sample.seconds
            while left > 0:
                waits.append(left)
                left -= PAUSE
        return waits

    def p99(self, part: str, start: float = 0.0, end: float = float("inf")) -> float:
        """The wait that one in a hundred exceeds."""
        return percentile(self.seconds(part, start, end), 0.99)

    def is_gone(self) -> bool:
        """Whether nobody listens."""
        last = self.faults[-REFUSED:]
        return len(last) == REFUSED and all("ConnectionRefused" in fault for fault in last)

    def refused(self) -> int:
        """How often it was told to come again."""
        return sum(sample.refused for sample in self.samples)


@dataclass(frozen=True)
class Good:
    """Turns of an agent each half second, until `end`; each `seed` has chats of its own."""

    address: Address
    home: Home
    seed: int
    end: float

    async def __call__(self) -> Seen:
        seen, number = Seen(), 0
        while time.monotonic() < self.end and not seen.is_gone():
            chat = Chat(self.home, self.seed * 1000 + number)
            await self._chat(chat, seen)
            seen.files |= chat.files()
            seen.last = (chat.messages, chat.originals)
            number += 1
        return seen

    async def _chat(self, chat: Chat, seen: Seen) -> None:
        """One history, from its first turn to its last."""
        dice = random.Random(chat.number)
        asked = await self._answered("offload_result", chat.rows(), chat.rows_came, seen)
        while asked and not chat.is_full() and time.monotonic() < self.end:
            due = time.monotonic() + PAUSE
            if not await self._answered("context_offload", chat.post(), chat.posted, seen):
                break
            for kind, request, right in chat.questions(dice):
                await self._answered(kind, request, right, seen)
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        await asyncio.sleep(PAUSE)

    async def _answered(
        self, kind: str, request: bytes, right: Callable[[Any], str], seen: Seen
    ) -> bool:
        """Asks until there is an answer; false where there never is."""
        began, refused = time.monotonic(), 0
        for _ in range(TRIES):
            answer = await ask(self.address, request, PATIENCE)
            wrong = _wrong(answer, right)
            if answer.status == 503 and answer.retry:
                refused += 1
                await asyncio.sleep(1)
                continue
            if wrong:
                seen.faults.append(f"{kind}: {wrong}")
            if answer.status != 0 or seen.is_gone():
                break
            await asyncio.sleep(PAUSE)
        waited = time.monotonic() - began
        seen.samples.append(Sample(PARTS.get(kind, "reads"), kind, began, waited, refused))
        return not wrong


def _wrong(answer: Answer, right: Callable[[Any], str]) -> str:
    """The fault of an answer; None where it is as it must be."""
    if answer.fault:
        return f"{answer.fault} after {answer.seconds:.1f} s"
    if EVIL_MARK.encode() in answer.whole:
        return f"bytes of the attacker: {answer.whole[:200]!r}"
    if answer.status != 200:
        return f"{answer.status} {answer.whole[:200]!r}"
    try:
        return right(json.loads(answer.whole))
    except (ValueError, LookupError, TypeError) as error:
        return f"{error!r} at {answer.whole[:200]!r}"


@dataclass(frozen=True)
class Again:
    """Reads all that was given out once more: after a restart it must still be there."""

    address: Address
    home: Home
    seen: Seen

    async def __call__(self) -> list[str]:
        faults = []
        for path, held in self.seen.files.items():
            request = self.home.post("/read_file", {"absolute_path": path})
            answer = await ask(self.address, request, PATIENCE)
            wrong = _wrong(answer, lambda said, held=held: _holds(said, held))
            if wrong:
                faults.append(f"{path}: {wrong}")
        messages, originals = self.seen.last
        request = self.home.post("/rehydrate", {"messages": messages})
        answer = await ask(self.address, request, PATIENCE)
        wrong = _wrong(answer, lambda said: "" if said["messages"] == originals else "changed")
        return [*faults, f"the last history: {wrong}"] if wrong else faults


def _holds(said: Any, held: bytes) -> str:
    return "" if print_of(said["answer"]) == held else "another text"
