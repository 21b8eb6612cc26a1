"""What of the good tenant's waits and the attacker's counts is as promised, and the figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from attack import Counts, Evil, Schedule
from evil import WORKED
from good import Seen
from tally import Tally

# How many times its usual wait the good one has to bear, and what is usual at least, in
# seconds: between 2 and 5 ms there is only noise.
TIMES, FLOOR = 3.0, 0.05
# What a fault that nobody listened is cut to, and any other.
NOBODY, FAULT = "ConnectionRefused", 130
PARTS = ("posts", "reads", "jq", "probes")


@dataclass(frozen=True)
class Waits:
    """The good client before, beside and after the attack; and on a service that nobody
    attacks, at the same moment."""

    before: Seen
    beside: Seen
    after: Seen
    twin: Seen


def judge(tally: Tally, waits: Waits, schedule: Schedule) -> None:
    """Answers are right, and come in time; lasting harm counts as harm, too."""
    for when, seen in vars(waits).items():
        for fault in seen.faults:
            tally.fail(f"{when}: {NOBODY if NOBODY in fault else fault}"[:FAULT])
    tally.note("answers", f"{len(waits.beside.samples)} (of {len(waits.twin.samples)})")
    tally.note("503", waits.beside.refused())
    worst = max((sample.seconds for sample in waits.beside.samples), default=0.0)
    tally.note("longest s", f"{worst:.1f}")
    for part in PARTS:
        before, beside, after, twin = (
            seen.p99(part) for seen in (waits.before, waits.beside, waits.after, waits.twin)
        )
        # The twin has the same machine at the same moment, with all that others do on it.
        alone = max(before, after, twin)
        allowed = TIMES * max(alone, FLOOR)
        figures = " ".join(f"{wait * 1000:.0f}" for wait in (before, beside, after, twin))
        tally.note(f"p99 ms of {part}", f"{figures} (of {allowed * 1000:.0f})")
        late = f"p99 of {part}: {beside * 1000:.0f} ms beside the attacker, {alone * 1000:.0f} else"
        asked = bool(waits.beside.seconds(part))
        tally.hold(asked, f"{part}: nothing was asked beside the attacker: this tells nothing")
        tally.hold(beside <= allowed, late)
        lasting = f"p99 of {part}: {after * 1000:.0f} ms afterwards, {before * 1000:.0f} before"
        tally.hold(after <= TIMES * max(before, FLOOR), lasting)
    for family in schedule.families:
        span = schedule.span(family)
        figures = " ".join(f"{waits.beside.p99(part, *span) * 1000:.0f}" for part in PARTS)
        tally.note(f"by {family}", figures)


def attacked(tally: Tally, counts: Counts, harm: dict[str, list[Evil]]) -> None:
    """The outcome of each kind; and whether each family was worked on at all."""
    of_kind: dict[str, Counter[str]] = {}
    for (kind, status), count in sorted(counts.items()):
        of_kind.setdefault(kind, Counter())[status] += count
    tally.note("attack", sum(counts.values()))
    for kind, statuses in of_kind.items():
        tally.note(kind, " ".join(f"{status}:{n}" for status, n in sorted(statuses.items())))
    for family, worked in WORKED.items():
        kinds = {evil.kind for evil in harm[family]}
        got: Counter[str] = sum((of_kind.get(kind, Counter()) for kind in kinds), Counter())
        in_vain = f"{family}: nothing got in: this tells nothing: {dict(got)}"
        tally.hold(any(got[status] for status in worked), in_vain)
        tally.hold(not got["LEAK"], f"{family}: bytes of the good tenant came back")
        tally.hold(not got["500"], f"{family}: {got['500']} times 500")
