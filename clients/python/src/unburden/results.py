"""What the calls give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypedDict, TypeVar

from .errors import UnburdenError

M = TypeVar("M")


class Action(TypedDict):
    """What was done to one text, or to one group of messages."""

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
    """What offloads did so far, summed up. The service keeps no session, and no such sums."""

    posts: int = 0
    """Answers of the service; those of dry runs do not count."""
    rewrites: int = 0
    """Answers that changed messages which no earlier one had changed."""
    rewritten_tokens: int = 0
    """What a provider with a prompt cache bills anew because of them."""
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
    """A history to go on with."""

    messages: list[M]
    """For the next model call. Messages that did not change are the caller's own objects; where
    none changed it is the caller's own list."""
    system: Any
    """The system prompt to go on with; the caller's own where it did not change."""
    report: Report | None
    """None where the service did not answer."""
    answer: str
    """One line a file; or why nothing was done."""
    changed: bool
    """Whether `messages` or `system` differ from what was given."""
    error: UnburdenError | None = None
    """Why the history came back as it was, where something failed."""
    origins: list[int | None] = field(default_factory=list)
    """For each of `messages` its place in the list that was given; None for one that the service added."""
    write_file_dict: dict[str, str] = field(default_factory=dict)
    """With `include_files`, the files of the call: path to content."""


@dataclass(frozen=True)
class Answer:
    """An answer of a reload call."""

    text: str
    """For a model to read."""
    metadata: Mapping[str, Any]
    """The same as data, as it came."""


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
    """Where to go on, in the unit that was asked for; None at the end, and inside a long line."""
    next_byte_offset: int | None
    truncated: bool


@dataclass(frozen=True)
class ToolResult(Answer):
    """A part of an earlier tool result."""

    path: str
    total_lines: int | None
    """None with `grep:`."""
    next_lines: str | None
    """The `lines` to go on with."""
    matches: list[Match]
    truncated: bool
    others: list[str]
    """Further files that the id fits."""


@dataclass(frozen=True)
class Group:
    """How many records have one value."""

    value: Any
    count: int


@dataclass(frozen=True)
class Extracted(Answer):
    """The answer to a question about records."""

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
    """A result, or the descriptor of the file that it went to."""

    offloaded: bool
    descriptor: Mapping[str, Any]
    """What the service says of the file, or why the result stays."""
    file_path: str | None
    """Absolute; None where the result stays."""
    results: list[Any] | str | None
    """The result where it stays, or the part of it that fits."""
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
    """What a provider would reject."""

    valid: bool
    format: str
    count: int
    problems: list[Problem]


@dataclass(frozen=True)
class Rehydrated(Answer):
    """The original history."""

    messages: list[Any]
    system: Any
    """Without snapshots; None where none was given."""
    restored: int
    messages_restored: int
    unresolved: list[dict[str, Any]]
