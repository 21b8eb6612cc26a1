"""Negative controls: every oracle and every rule is shown a fault, and must see it.

An oracle that passes anything would make the whole walk green. Each control breaks a sound
sample in one way and asks the one oracle that is there for it.
"""

import copy
from pathlib import Path
from typing import Any

import judge
import samples
from controls import CONTROLS, LANGCHAIN, USER, WRONG_SYSTEM, Break, drop
from histories import History
from oracles import Oracles
from walk import Walk


def _oracle_controls(oracles: Oracles) -> list[tuple[str, bool]]:
    """(control, seen) of every oracle of every format, and that the samples are sound."""
    results = []
    for name, format_name, messages, system in samples.all_samples():
        asked = oracles.of(format_name)
        before = judge.verdict(asked, messages, system, messages)
        results.append((f"{name} is sound", not judge.worse(asked, _nothing(before), before)))
        if "-mixed-" not in name or name.endswith("-snake"):
            continue
        shape = name.rsplit("-", 1)[1]
        controls = LANGCHAIN[shape] if format_name == "langchain" else CONTROLS[format_name]
        for oracle in asked:
            for what, damage in controls.get(oracle.name, {}).items():
                broken = copy.deepcopy(messages)
                damage(broken)
                after = oracle.complain(broken, system, messages)
                seen = bool(oracle.worse(before.complaints[oracle.name], after))
                results.append((f"{format_name} {shape} {oracle.name}: {what}", seen))
        if format_name in WRONG_SYSTEM:
            wrong = asked[0].complain(messages, WRONG_SYSTEM[format_name], messages)
            results.append((f"{format_name} {asked[0].name}: wrong system", bool(wrong)))
    return results


def _nothing(verdict: judge.Verdict) -> judge.Verdict:
    return judge.Verdict({name: [] for name in verdict.complaints}, verdict.libraries)


def _judge_controls() -> list[tuple[str, bool]]:
    """The rules of judge.py: what it must refuse, and that it refuses nothing else."""
    history = History("h", "openai-chat", [{"role": "user", "content": "1", "n": 1}], "sys")
    report = {"format": "openai-chat", "checks": {"pairing": True}}
    sound = {"success": True, "metadata": {"report": report}}
    restored = {"messages": copy.deepcopy(history.messages)}

    def reported(**changed: Any) -> list[str]:
        return judge.report_faults(history, {**sound, **changed})

    def returned(messages: Any, system: Any = "sys") -> list[str]:
        return judge.way_back_faults(history, {**restored, "messages": messages}, system)

    failed_check = {"report": {**report, "checks": {"pairing": False}}}
    other_format = {"report": {**report, "format": "anthropic"}}
    return [
        ("judge: a sound report passes", not reported()),
        ("judge: success false", bool(reported(success=False))),
        ("judge: a failed check", bool(reported(metadata=failed_check))),
        ("judge: no checks", bool(reported(metadata={"report": {"format": "openai-chat"}}))),
        ("judge: another format", bool(reported(metadata=other_format))),
        ("judge: a sound way back passes", not returned(restored["messages"])),
        ("judge: a message lost", bool(returned([]))),
        ("judge: a message more", bool(returned([*history.messages, USER]))),
        ("judge: true for 1", bool(returned([{**history.messages[0], "n": True}]))),
        ("judge: 1.0 for 1", bool(returned([{**history.messages[0], "n": 1.0}]))),
        ("judge: another system", bool(returned(restored["messages"], "sys + snapshot"))),
        ("judge: a system kept by silence", not returned(restored["messages"], "sys")),
    ]


class _BadService:
    """Gives every history back as it came, but for one thing at one door."""

    def __init__(self, door: str = "", status: int = 200, damage: Break | None = None) -> None:
        self._door = door
        self._status = status
        self._damage = damage

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        report = {"format": "openai-chat", "outcome": "unchanged", "checks": {"pairing": True}}
        messages = copy.deepcopy(body["messages"])
        answer = {"success": True, "messages": messages, "metadata": {"report": report}}
        if path != self._door:
            return 200, answer
        if self._damage is not None:
            self._damage(messages)
        return self._status, answer


def _walk_controls(oracles: Oracles) -> list[tuple[str, bool]]:
    """A service that does one thing wrong fails in every run, a faithful one in none."""
    history = History("control", "openai-chat", samples.openai_chat(samples.SCRIPTS["working"]))
    out, back = "/context_offload", "/rehydrate"

    def failed(service: _BadService) -> bool:
        return all(run.faults for run in Walk(service, oracles, Path("control")).history(history))

    faithful = Walk(_BadService(), oracles, Path("control")).history(history)
    return [
        ("walk: a faithful service passes", not any(run.faults for run in faithful)),
        ("walk: status 500", failed(_BadService(out, status=500))),
        ("walk: status 422", failed(_BadService(out, status=422))),
        ("walk: a result lost", failed(_BadService(out, damage=lambda m: drop(m, role="tool")))),
        ("walk: /rehydrate 404", failed(_BadService(back, status=404))),
        ("walk: /rehydrate loses one", failed(_BadService(back, damage=lambda m: m.pop()))),
    ]


def check(oracles: Oracles) -> tuple[int, list[str]]:
    """How many controls there are, and those that went unseen."""
    results = [*_oracle_controls(oracles), *_judge_controls(), *_walk_controls(oracles)]
    return len(results), [what for what, seen in results if not seen]
