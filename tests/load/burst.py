"""One kind of harm many times at once: what one request may do, many must not do together."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass

from attack import Counts, Deed, Evil, Manner
from service import Address

# As many as have a turn at a time; and answers that nobody takes, which keep no turn.
AT_ONCE, UNREAD = 16, 40
# How long nobody takes them, and how long one comes after the other, in seconds.
HELD, APART = 8.0, 0.1


@dataclass(frozen=True)
class Burst:
    """Each kind in turn, all of one kind together."""

    address: Address
    evils: list[Evil]

    async def __call__(self) -> Counts:
        counts: Counts = Counter()
        for evil in self.evils:
            deaf = evil.manner is Manner.DEAF
            many, until = (UNREAD if deaf else AT_ONCE), time.monotonic() + HELD
            deeds = [self._one(evil, n, until) for n in range(many)]
            for status in await asyncio.gather(*deeds):
                counts[f"{evil.kind} at once", status] += 1
        return counts

    async def _one(self, evil: Evil, number: int, until: float) -> str:
        # A turn for each: refused ones hold nothing.
        if evil.manner is Manner.DEAF:
            await asyncio.sleep(number * APART)
        return await Deed(self.address, evil, random.Random(number), until).done()
