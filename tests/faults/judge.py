"""Whether an answer that was given while something failed is one of the documented ones."""

from pathlib import Path

import histories
from receipts import Receipt, Receipts, of_chat, of_result
from service import Answer, Gone, Service
from traffic import chat_once, result_once

_TRUNCATED = "truncated"


def chat(name: str, answer: Answer) -> tuple[list[str], Receipt | None]:
    """A chat leaves whole and acknowledged, or comes back as it was with a warning."""
    if answer.status != 200 or not answer.is_enveloped() or not answer.json["success"]:
        return [f"{name}: {answer.status} {str(answer.json)[:300]}"], None
    if receipt := of_chat(name, answer):
        return [], receipt
    faults = []
    if answer.json["messages"] != histories.history(name):
        faults.append(f"{name}: nothing was moved, but the messages differ")
    if not answer.warnings:
        faults.append(f"{name}: unchanged without a warning: {answer.json['answer'][:200]}")
    return faults, None


def result(call: str, answer: Answer) -> tuple[list[str], Receipt | None]:
    """A large result is offloaded, or comes back inline, cut, with a warning."""
    if answer.status != 200 or not answer.is_enveloped() or not answer.json["success"]:
        return [f"{call}: {answer.status} {str(answer.json)[:300]}"], None
    if receipt := of_result(call, answer):
        return [], receipt
    if not any(_TRUNCATED in warning for warning in answer.warnings):
        return [f"{call}: inline without a warning: {str(answer.metadata)[:300]}"], None
    return [], None


class Patient:
    """A service to which something is done, with what it acknowledged and what was wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept = Receipts()
        self.asked = self.inline = 0
        self.faults: list[str] = []

    def ask(self, service: Service, what: str, *names: str) -> int:
        """Posts each name as a chat to compact, one to compress, and a large result; returns how
        many came back inline."""
        inline = self.inline
        for name in names:
            for mode in ("compact", "compress", None):
                self.asked += 1
                self._one(service, what, f"{name}{mode or 'large'}", mode)
        return self.inline - inline

    def kill(self, service: Service, name: str) -> None:
        """Posts a chat that the service is to die of."""
        try:
            chat_once(service, f"{name}compact", self.folder, "compact")
            self.faults.append(f"{name}: the service lives")
        except Gone:
            self.asked += 1

    def _one(self, service: Service, what: str, name: str, mode: str | None) -> None:
        try:
            if mode:
                faults, receipt = chat(name, chat_once(service, name, self.folder, mode))
            else:
                faults, receipt = result(name, result_once(service, name, self.folder))
        except Gone as gone:
            faults, receipt = [str(gone)], None
        self.faults += [f"{what}: {fault}" for fault in faults]
        if receipt:
            self.kept.add(receipt)
        elif not faults:
            self.inline += 1
