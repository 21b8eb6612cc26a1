"""From the service's envelopes to what the calls give back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from .errors import Unavailable
from .origins import spelled, trace
from .results import (
    Counted,
    Extracted,
    Grep,
    Group,
    M,
    Match,
    Offloaded,
    Page,
    Problem,
    Rehydrated,
    Report,
    Stored,
    ToolResult,
    Validated,
)

T = TypeVar("T")
Envelope = Mapping[str, Any]


def parsed(parse: Callable[[Envelope], T], envelope: Envelope) -> T:
    """`parse` of an envelope.

    Raises:
        Unavailable: what the contract promises is not there; code `answer_broken`.
    """
    try:
        return parse(envelope)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Unavailable(f"the answer lacks what it should have: {error!r}", code="answer_broken") from error


def offloaded(
    envelope: Envelope, messages: list[M], sent: list[Any], system: Any, sent_system: Any
) -> Offloaded[M]:
    """The answer of `/context_offload` to these messages.

    Args:
        envelope: what came back.
        messages: the caller's own.
        sent: the same as JSON values.
        system: the caller's own.
        sent_system: the same as a JSON value.
    """
    received = envelope["messages"]
    report = envelope["metadata"]["report"]
    if not isinstance(received, list) or not isinstance(report, dict) or (messages and not received):
        raise TypeError("messages and report")
    origins = trace(sent, received, compressed=report.get("snapshot") is not None)
    kept = [_own(messages, sent, origin, message) for origin, message in zip(origins, received, strict=True)]
    same = len(kept) == len(messages) and all(a is b for a, b in zip(kept, messages, strict=True))
    new_system = envelope.get("system", sent_system)
    same_system = spelled(new_system) == spelled(sent_system)
    return Offloaded(
        messages=messages if same else kept,
        system=system if same_system else new_system,
        report=cast(Report, report),
        answer=str(envelope["answer"]),
        changed=not (same and same_system),
        origins=origins,
        write_file_dict=dict(envelope["metadata"].get("write_file_dict") or {}),
    )


def _own(messages: list[M], sent: list[Any], origin: int | None, received: Any) -> M:
    if origin is not None and spelled(sent[origin]) == spelled(received):
        return messages[origin]
    return cast(M, received)


def _matches(found: Any) -> list[Match]:
    return [
        Match(m["path"], m["line"], m["column"], m["text"], bool(m.get("text_truncated")))
        for m in found or []
    ]


def grep(envelope: Envelope) -> Grep:
    """Of `/grep`."""
    data = envelope["metadata"]
    return Grep(
        text=envelope["answer"],
        metadata=data,
        matches=_matches(data["matches"]),
        truncated=data["truncated"],
        truncated_by=data["truncated_by"],
        files_searched=data["files_searched"],
        files_skipped=data["files_skipped"],
    )


def page(envelope: Envelope) -> Page:
    """Of `/read_file`."""
    data = envelope["metadata"]
    return Page(
        text=envelope["answer"],
        metadata=data,
        total_lines=data["total_lines"],
        total_bytes=data["total_bytes"],
        next_offset=data["next_offset"],
        next_byte_offset=data["next_byte_offset"],
        truncated=data["truncated"],
    )


def tool_result(envelope: Envelope) -> ToolResult:
    """Of `/read_tool_result`."""
    data = envelope["metadata"]
    return ToolResult(
        text=envelope["answer"],
        metadata=data,
        path=data["path"],
        total_lines=data.get("total_lines"),
        next_lines=data.get("next_lines"),
        matches=_matches(data.get("matches")),
        truncated=data["truncated"],
        others=list(data.get("others") or []),
    )


def extracted(envelope: Envelope) -> Extracted:
    """Of `/lro_extract`."""
    data = envelope["metadata"]
    return Extracted(
        text=envelope["answer"],
        metadata=data,
        count=data["count"],
        records_total=data["records_total"],
        records=list(data.get("records") or []),
        groups=[Group(group["value"], group["count"]) for group in data.get("groups") or []],
        present=list(data.get("present") or []),
        absent=list(data.get("absent") or []),
        truncated=data["truncated"],
        next_offset=data["next_offset"],
        complete=data["complete"],
        notes=list(data.get("notes") or []),
    )


def stored(envelope: Envelope) -> Stored:
    """Of `/offload_result`."""
    data = envelope["metadata"]
    descriptor = data["offload"]
    return Stored(
        text=envelope["answer"],
        metadata=data,
        offloaded=descriptor["offloaded"],
        descriptor=descriptor,
        file_path=descriptor.get("file_path") or (data.get("file") or {}).get("path"),
        results=data.get("results"),
        warnings=list((data.get("report") or {}).get("warnings") or []),
    )


def counted(envelope: Envelope) -> Counted:
    """Of `/count_tokens`."""
    data = envelope["metadata"]
    parts = data["tokens_by_part"]
    return Counted(
        text=envelope["answer"],
        metadata=data,
        tokens=data["tokens"],
        messages=parts["messages"],
        tools=parts["tools"],
        system=parts["system"],
        by_message=list(data["tokens_by_message"]),
        tokenizer=data["tokenizer"],
        exact=data["exact"],
    )


def validated(envelope: Envelope) -> Validated:
    """Of `/validate`."""
    data = envelope["metadata"]
    return Validated(
        text=envelope["answer"],
        metadata=data,
        valid=data["valid"],
        format=data["format"],
        count=data["count"],
        problems=[Problem(p["index"], p["rule"], p.get("id"), p["says"]) for p in data["problems"]],
    )


def rehydrated(envelope: Envelope) -> Rehydrated:
    """Of `/rehydrate`."""
    data = envelope["metadata"]
    return Rehydrated(
        text=envelope["answer"],
        metadata=data,
        messages=list(envelope["messages"]),
        system=envelope.get("system"),
        restored=data["restored"],
        messages_restored=data["messages_restored"],
        unresolved=list(data["unresolved"]),
    )
