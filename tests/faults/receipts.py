"""What the service acknowledged, and whether it still gives it back, byte for byte."""

import json
import threading
from dataclasses import dataclass, field
from typing import Any

import histories
from service import Answer, Gone, Service

_PAGE = 24_576
_MARK = "\n\n---\n\n"


@dataclass(frozen=True)
class Receipt:
    """Paths that an answer named, by the calls whose results they hold; of a chat also the
    messages that left."""

    name: str
    paths: tuple[tuple[str, str], ...]
    messages: str | None = None


@dataclass
class Receipts:
    """Acknowledgements of many threads."""

    all: list[Receipt] = field(default_factory=list)
    unkept: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, receipt: Receipt) -> None:
        """Notes one."""
        with self._lock:
            self.all.append(receipt)

    def references(self) -> int:
        """How many paths were acknowledged."""
        return sum(len(receipt.paths) for receipt in self.all)


def of_chat(chat: str, answer: Answer) -> Receipt | None:
    """The receipt of a /context_offload; None where nothing left."""
    report = answer.metadata["report"]
    ids = histories.calls(chat)
    paths = [
        (action["path"], action.get("tool_call_id") or "")
        for action in report["actions"]
        if action.get("path") and action["action"] in ("compact", "materialize", "compress")
    ]
    assert all(call in ids or call == "" for _, call in paths), paths
    if not paths:
        return None
    return Receipt(chat, tuple(paths), json.dumps(answer.json["messages"]))


def of_result(call: str, answer: Answer) -> Receipt | None:
    """The receipt of an /offload_result; None where it came back inline."""
    file = answer.metadata.get("file")
    return Receipt(call, ((file["path"], call),)) if file else None


def pages(service: Service, path: str) -> bytes:
    """A file, page by page along the returned cursors."""
    whole, offset = [], 0
    while True:
        body = {"absolute_path": path, "byte_offset": offset, "byte_limit": _PAGE}
        answer = service.post("/read_file", body)
        if answer.status != 200:
            raise LookupError(f"{answer.status} {answer.json['answer'][:200]}")
        page, onward = answer.json["answer"], answer.metadata["next_byte_offset"]
        if page.startswith("Showing bytes") and (offset or onward is not None):
            page = page.split(_MARK, 1)[1]
        whole.append(page)
        if onward is None:
            return "".join(whole).encode()
        if onward <= offset:
            raise LookupError(f"the cursor stands still at {offset}")
        offset = onward


def wrong(path: str, call: str, held: bytes) -> str | None:
    """Why the content is not what was acknowledged under the path."""
    if path.endswith(".txt"):
        return None if held == histories.text(call).encode() else f"{len(held)} bytes differ"
    lines = held.decode().split("\n")
    if path.endswith(".jsonl"):
        same = [json.loads(line) for line in lines[1:-1]] == [
            json.loads(row) for row in histories.rows(call)
        ]
        return None if same else f"{len(lines) - 2} records differ"
    return None if json.loads(held) else "an empty group"


def lost(service: Service, receipt: Receipt) -> list[str]:
    """What of the receipt the service does not give back."""
    missing = []
    for path, call in receipt.paths:
        try:
            why = wrong(path, call, pages(service, path))
        except (LookupError, Gone, ValueError) as error:
            why = str(error)
        if why:
            missing.append(f"{path}: {why}")
    if receipt.messages is not None and not missing:
        body: dict[str, Any] = {"messages": json.loads(receipt.messages)}
        back = service.post("/rehydrate", body)
        if back.json.get("messages") != histories.history(receipt.name):
            missing.append(f"{receipt.name}: rehydrated to other messages, {back.metadata}")
    return missing
