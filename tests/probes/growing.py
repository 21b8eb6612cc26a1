"""Sessions that grow: is what the user wants still visible at each call of the model?"""

from dataclasses import dataclass, field
from pathlib import Path

import history
from history import History
from probe import LASTING, Probe, ProbeSet, answered, plain
from service import Service
from variant import offload

TARGET = 8000
# At most so many calls in ten may change what the call before returned.
REWRITES = 1.0


@dataclass
class Session:
    name: str
    calls: int = 0
    rewrites: int = 0
    """Calls whose answer differs from the one before within that answer's messages."""
    kept: int = 0
    asked: int = 0
    largest: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    """The probes that were not visible some time, and at how many calls."""


def run(service: Service, folder: Path, of: ProbeSet) -> Session:
    """Posts the previous answer and the new messages before each call of the model."""
    raw = history.load(of.history)
    session = Session(of.name)
    settings = {
        "context_manage_mode": "auto",
        "target_tokens": TARGET,
        "chat_id": of.name,
    }
    seen, said = History([], raw.system), plain(history.leaves(raw.system))
    due: list[Probe] = []
    done = 0
    for until in history.model_calls(raw.messages):
        new = raw.messages[done:until]
        done = until
        said += " " + plain(history.leaves(new))
        before = len(seen.messages)
        visible = offload(service, History(seen.messages + new, seen.system), folder, settings)
        seen = visible.history
        changed = visible.report["first_changed_index"]
        session.calls += 1
        session.rewrites += changed is not None and changed < before
        session.largest = max(session.largest, visible.tokens)
        due += [p for p in of.probes if p.kind in LASTING and p not in due and answered(p, said)]
        _ask(session, due, plain(seen.text()))
    return session


def _ask(session: Session, due: list[Probe], text: str) -> None:
    for probe in due:
        session.asked += 1
        if answered(probe, text):
            session.kept += 1
        else:
            session.lost[probe.asked] = session.lost.get(probe.asked, 0) + 1


def enough(sessions: list[Session]) -> bool:
    """Whether none loses what the user wants, and all together are seldom changed."""
    every = _total(sessions)
    return every.kept == every.asked and 10 * every.rewrites <= REWRITES * every.calls


def table(sessions: list[Session]) -> None:
    title = f"growing, auto, target {TARGET}"
    print(f"\n{title:<27}{'calls':>7}{'kept':>14}{'rewrites':>10}", end="")
    print(f"{'in ten calls':>14}{'most tokens':>13}")
    for one in [*sessions, _total(sessions)]:
        kept = f"{one.kept} of {one.asked}"
        per_ten = 10 * one.rewrites / max(one.calls, 1)
        print(f"{one.name:<27}{one.calls:>7}{kept:>14}{one.rewrites:>10}", end="")
        print(f"{per_ten:>14.1f}{one.largest:>13,}")
    for one in sessions:
        for asked, calls in one.lost.items():
            print(f"  {one.name}: not visible at {calls} of {one.calls} calls: {asked}")


def _total(sessions: list[Session]) -> Session:
    return Session(
        "all",
        sum(one.calls for one in sessions),
        sum(one.rewrites for one in sessions),
        sum(one.kept for one in sessions),
        sum(one.asked for one in sessions),
        max((one.largest for one in sessions), default=0),
    )
