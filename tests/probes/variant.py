"""The ways to make a history smaller that are compared, and what each leaves visible."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from history import History
from service import Service


@dataclass(frozen=True)
class Variant:
    name: str
    mode: str
    target: int | None
    floor: int
    """The percentage of probes that must be answered."""


# All with the built-in summariser: the service is started without a model.
VARIANTS = (
    Variant("compress", "compress", None, 85),
    Variant("compress-8000", "compress", 8000, 80),
    Variant("auto-8000", "auto", 8000, 85),
    Variant("compress-3000", "compress", 3000, 70),
    Variant("auto-3000", "auto", 3000, 70),
)
# The newest messages and the system prompt, with as many tokens as `compress` leaves.
NEWEST = "newest"


@dataclass(frozen=True)
class Visible:
    history: History
    tokens: int
    report: dict[str, Any]


def offload(service: Service, history: History, folder: Path, settings: dict[str, Any]) -> Visible:
    """The answer of one /context_offload, its files in `folder`."""
    body = {**history.body(), "store_dir": str(folder), "include_files": False, **settings}
    status, answer = service.post("/context_offload", body)
    if status != 200:
        raise RuntimeError(f"{status}: {answer['answer']}")
    report = answer["metadata"]["report"]
    after = History(answer["messages"], answer.get("system", history.system))
    return Visible(after, report["tokens_after"], report)


def settings(service: Service, history: History, variant: Variant) -> dict[str, Any]:
    """A limit that the history exceeds, so that short ones are compressed too."""
    limit = min(20_000, count(service, history)["tokens"] // 2)
    target = {"target_tokens": variant.target} if variant.target else {}
    return {"context_manage_mode": variant.mode, "max_total_tokens": limit, **target}


def newest(service: Service, history: History, tokens: int) -> Visible:
    """System messages, and of the others the newest that fit into so many tokens."""
    counted = count(service, history)
    used, kept = counted["tokens_by_part"]["system"], set()
    sizes = list(enumerate(counted["tokens_by_message"]))
    for at, size in sizes:
        if _is_system(history.messages[at]):
            used += size
            kept.add(at)
    for at, size in reversed(sizes):
        if at not in kept:
            if used + size > tokens:
                break
            used += size
            kept.add(at)
    messages = [message for at, message in enumerate(history.messages) if at in kept]
    return Visible(History(messages, history.system), used, {})


def count(service: Service, history: History) -> dict[str, Any]:
    status, answer = service.post("/count_tokens", history.body())
    assert status == 200, answer["answer"]
    counted: dict[str, Any] = answer["metadata"]
    return counted


def _is_system(message: dict[str, Any]) -> bool:
    return message.get("role") in ("system", "developer")
