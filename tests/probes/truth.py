"""Whether the evidence is true to the history, and too rare to stand somewhere by chance."""

import re

import history
from probe import Probe, ProbeSet, answered, plain

# In so many messages of the raw history the rarest part of the evidence may stand; what is a
# name, as of a file that is worked on, stands in more.
HANDFUL = 12
HANDFUL_OF_NAMES = 64
NAMES = ("file", "fact", "decision")


def faults(of: ProbeSet) -> list[str]:
    """What is wrong with the probes of one history, a line each."""
    texts = [plain(text) for text in history.load(of.history).texts()]
    whole = " ".join(texts)
    found = []
    for probe in of.probes:
        limit = HANDFUL_OF_NAMES if probe.kind in NAMES else HANDFUL
        if not answered(probe, whole):
            found.append(f"{of.name}: not in the history: {probe.asked}")
        elif (times := _rarest(probe, texts)) > limit:
            found.append(f"{of.name}: in {times} messages: {probe.asked}")
    return found


def chances(sets: list[ProbeSet]) -> list[str]:
    """The probes that another history answers too: by chance, or as it is of the same project."""
    texts = {of.name: plain(history.load(of.history).text()) for of in sets}
    found = []
    for of in sets:
        for probe in of.probes:
            others = [name for name in texts if name != of.name and answered(probe, texts[name])]
            if others:
                found.append(f"{of.name}: {probe.asked} ({', '.join(others)})")
    return found


def _rarest(probe: Probe, texts: list[str]) -> int:
    def times(group: tuple[re.Pattern[str], ...]) -> int:
        return sum(any(one.search(text) for one in group) for text in texts)

    return min(map(times, probe.evidence))
