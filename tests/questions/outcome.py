"""A call sent and judged; if its answer names the way, the way is followed."""

from dataclasses import dataclass
from typing import Any

import doors
from question import LITERAL, Question
from service import Service
from verdict import RIGHT, STUCK, TOLD, judge


@dataclass(frozen=True)
class Outcome:
    question: Question
    group: str
    interface: str
    store: doors.Store
    call: dict[str, Any]
    verdict: str
    text: str
    calls: int

    @property
    def literal(self) -> bool:
        return self.group == LITERAL


def attempt(
    service: Service,
    interface: str,
    store: doors.Store,
    question: Question,
    group: str,
    call: dict[str, Any],
    way: str | None,
) -> Outcome:
    def send(call: dict[str, Any], way: str | None) -> tuple[str, str]:
        sent = doors.filled_in(call, question.tool, store, question.file)
        answer = doors.ask(service, interface, question.tool, sent)
        return judge(call, answer, question.truth, way), answer.text

    verdict, text = send(call, way)
    calls = 1
    if verdict == TOLD:
        calls = 2
        followed, _ = send(question.call, None)
        if followed != RIGHT:
            verdict = STUCK
    return Outcome(question, group, interface, store, call, verdict, text, calls)
