"""What is demanded of one answer and of the way back; knows nothing of HTTP."""

import json
from dataclasses import dataclass
from typing import Any

from histories import History
from oracles import Oracle


@dataclass(frozen=True)
class Verdict:
    """The complaints of each oracle about one version of a history."""

    complaints: dict[str, list[str]]
    libraries: frozenset[str]

    @property
    def valid(self) -> bool:
        return not any(self.complaints[name] for name in self.libraries)


def verdict(oracles: list[Oracle], messages: list[Any], system: Any, before: list[Any]) -> Verdict:
    found = {oracle.name: oracle.complain(messages, system, before) for oracle in oracles}
    return Verdict(found, frozenset(o.name for o in oracles if o.library))


def worse(oracles: list[Oracle], before: Verdict, after: Verdict) -> list[str]:
    """What the oracles say of the answer and did not say of the history."""
    return [
        f"{oracle.name}: {words}"
        for oracle in oracles
        for words in oracle.worse(before.complaints[oracle.name], after.complaints[oracle.name])
    ]


def same(one: Any, other: Any) -> bool:
    """Equal JSON values. Python's own `==` holds 1, 1.0 and true for the same."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def report_faults(history: History, answer: dict[str, Any]) -> list[str]:
    """What an answer's envelope and report lack."""
    faults = []
    if answer.get("success") is not True:
        faults.append(f"success is {answer.get('success')}")
    report = answer.get("metadata", {}).get("report", {})
    checks = report.get("checks", {})
    if not checks or not all(value is True for value in checks.values()):
        faults.append(f"metadata.report.checks is {checks}")
    if history.known and report.get("format") != history.format:
        faults.append(f"metadata.report.format is {report.get('format')}, not {history.format}")
    return faults


def way_back_faults(history: History, restored: dict[str, Any], sent_system: Any) -> list[str]:
    """Where what /rehydrate gave is not the history that was sent in the first place."""
    faults = []
    got = restored.get("messages", [])
    if not same(got, history.messages):
        pairs = enumerate(zip(history.messages, got, strict=False))
        at = next(
            (i for i, (a, b) in pairs if not same(a, b)), min(len(got), len(history.messages))
        )
        was = json.dumps(history.messages[at : at + 1])[:90]
        now = json.dumps(got[at : at + 1])[:90]
        faults.append(
            f"rehydrated {len(got)} messages of {len(history.messages)}, "
            f"first difference at {at}: {was} is now {now}"
        )
    # An answer without one says that there is none, or that the one sent is right already.
    left_out = None if history.system is None else sent_system
    system = restored.get("system", left_out)
    if not same(system, history.system):
        was, now = json.dumps(history.system)[:90], json.dumps(system)[:90]
        faults.append(f"rehydrated system differs: {was} is now {now}")
    return faults
