"""Whether the evidence is true to the history, and too rare to stand somewhere by chance."""

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


def _rarest(probe: Probe, texts: list[str]) -> int:
    def times(group: tuple) -> int:
        return sum(any(one.search(text) for one in group) for text in texts)

    return min(map(times, probe.evidence))
