"""The results of the calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypedDict, TypeVar

from .errors import UnburdenError

M = TypeVar("M")


class Action(TypedDict):
    """The change to one text, or to one group of messages."""

    index: int
    action: str
    tool_call_id: str | None
    tool: str | None
    tokens_before: int
    tokens_after: int
    path: str | None
    why: str


class Report(TypedDict, total=False):
    """The service's report of an offload; its `openapi.yaml` says what each field means."""

    outcome: str
    format: str
    format_source: str
    tokenizer: str
    tokens_before: int
    tokens_after: int
    compaction_ratio: float
    messages_before: int
    messages_after: int
    first_changed_index: int | None
    rewritten_tokens: int
    dry_run: bool
    actions: list[Action]
    snapshot: dict[str, Any] | None
    retention: dict[str, int] | None
    checks: dict[str, bool]
    repairs: list[dict[str, Any]]
    warnings: list[str]


@dataclass(frozen=True)
class Totals:
    """The totals of all offloads so far. The service keeps no session and no totals."""

    posts: int = 0
    """Answers of the service; those of dry runs do not count."""
    rewrites: int = 0
    """Answers that changed messages that no earlier answer had changed."""
    rewritten_tokens: int = 0
    """Tokens that a provider with a prompt cache bills at the full price because of them."""
    tokens_before: int = 0
    tokens_after: int = 0

    def plus(self, report: Report) -> Totals:
        """The totals with one more answer."""
        if report.get("dry_run"):
            return self
        rewritten = report.get("rewritten_tokens", 0)
        return Totals(
            self.posts + 1,
            self.rewrites + (rewritten > 0),
            self.rewritten_tokens + rewritten,
            self.tokens_before + report.get("tokens_before", 0),
            self.tokens_after + report.get("tokens_after", 0),
        )


@dataclass(frozen=True)
class Offloaded(Generic[M]):
    """The history for the next model call."""

    messages: list[M]
    """For the next model call. Unchanged messages are the caller's own objects; if none changed,
    this is the caller's own list."""
    system: Any
    """The system prompt for the next model call; the caller's own if it did not change."""
    report: Report | None
    """None if the service did not answer."""
    answer: str
    """One line per file, or the reason why nothing was done."""
    changed: bool
    """Whether `messages` or `system` differ from the arguments."""
    error: UnburdenError | None = None
    """The failure because of which the history was returned unchanged, if any."""
    origins: list[int | None] = field(default_factory=list)
    """For each of `messages` its index in the argument; None for one that the service added."""
    write_file_dict: dict[str, str] = field(default_factory=dict)
    """With `include_files`, the files of the call: path to content."""


@dataclass(frozen=True)
class Answer:
    """An answer of a retrieval call."""

    text: str
    """The answer as text for a model."""
    metadata: Mapping[str, Any]
    """The answer as data, unchanged."""


@dataclass(frozen=True)
class Match:
    """One matching line."""

    path: str
    """Relative to the searched folder."""
    line: int
    """From 1."""
    column: int
    """From 1, in bytes."""
    text: str
    text_truncated: bool


@dataclass(frozen=True)
class Grep(Answer):
    """Lines that match."""

    matches: list[Match]
    truncated: bool
    truncated_by: str | None
    files_searched: int
    files_skipped: int


@dataclass(frozen=True)
class Page(Answer):
    """A page of a file."""

    total_lines: int
    total_bytes: int
    next_offset: int | None
    """The next offset, in the unit of the request; None at the end, and inside a long line."""
    next_byte_offset: int | None
    truncated: bool


@dataclass(frozen=True)
class ToolResult(Answer):
    """A part of an earlier tool result."""

    path: str
    total_lines: int | None
    """None with `grep:`."""
    next_lines: str | None
    """The `lines` to request next."""
    matches: list[Match]
    truncated: bool
    others: list[str]
    """Other files that match the id."""


@dataclass(frozen=True)
class Group:
    """The number of records with one value."""

    value: Any
    count: int


@dataclass(frozen=True)
class Extracted(Answer):
    """The result of a query on records."""

    count: int | None
    records_total: int | None
    records: list[Any]
    groups: list[Group]
    present: list[str | int | float]
    absent: list[str | int | float]
    truncated: bool
    next_offset: int | None
    complete: bool
    notes: list[str]


@dataclass(frozen=True)
class Stored(Answer):
    """A result, or the descriptor of its file."""

    offloaded: bool
    descriptor: Mapping[str, Any]
    """The descriptor of the file, or the reason why the result stays inline."""
    file_path: str | None
    """Absolute path of the file; None if the result stays inline."""
    results: list[Any] | str | None
    """The result if it stays inline, or the part of it that fits."""
    warnings: list[str]


@dataclass(frozen=True)
class Counted(Answer):
    """Numbers of tokens."""

    tokens: int
    messages: int
    tools: int
    system: int
    by_message: list[int]
    tokenizer: str
    exact: bool


@dataclass(frozen=True)
class Problem:
    """A rule of the provider that a history breaks."""

    index: int
    rule: str
    id: str | None
    says: str


@dataclass(frozen=True)
class Validated(Answer):
    """The parts of a history that a provider would reject."""

    valid: bool
    format: str
    count: int
    problems: list[Problem]


@dataclass(frozen=True)
class Rehydrated(Answer):
    """The original history."""

    messages: list[Any]
    system: Any
    """The system prompt without snapshots; None if none was given."""
    restored: int
    messages_restored: int
    unresolved: list[dict[str, Any]]
