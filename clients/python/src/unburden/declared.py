"""The settings of an offload; written by `UPDATE=1 cargo test --lib declared`, edits are lost."""

from __future__ import annotations

from typing import Final, Literal, TypedDict, get_args

Mode = Literal["auto", "compact", "compress"]
PromptCache = Literal["warm", "cold"]
CountedParts = Literal["all", "messages"]
Role = Literal["tool", "user"]
ReloadTool = Literal["read_file", "grep", "lro_extract", "read_tool_result", "shell"]
Descriptor = Literal["pointer", "compact", "full"]
Format = Literal[
    "auto", "openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk", "langchain", "bedrock", "pi"
]


class Settings(TypedDict, total=False):
    """Settings of `/context_offload`, for a client or for one call."""

    store_dir: str
    """The folder for the files; it must be under an allowed root."""
    context_manage_mode: Mode
    """Selects how the history is reduced. Default: auto."""
    working_summary_mode: Mode
    """Newer name of `context_manage_mode`, which takes precedence if both are given."""
    max_total_tokens: int
    """In tokens. A history with fewer tokens is returned unchanged. Default: 20000."""
    max_tool_message_tokens: int
    """In tokens. A tool result with more tokens may move to a file. Default: 2000."""
    keep_recent_count: int
    """In messages. Number of newest messages that stay unchanged. Default: 1 for compaction, 2 for
    compression."""
    compact_ratio_threshold: float
    """`auto` compresses if compaction leaves more than this fraction of the tokens. Default: 0.75."""
    target_tokens: int
    """In tokens. Hard token budget of the answer; `counted_parts` selects the parts that count. Default:
    no target."""
    low_water_ratio: float
    """A history that exceeds `target_tokens` is reduced to this fraction of it. Default: 0.5."""
    rewrite_when_saved_ratio: float
    """Delays a change until it frees this fraction of the tokens that it rewrites. Default: 0."""
    cache: PromptCache
    """Whether the provider's prompt cache still holds the previous history. Default: warm."""
    counted_parts: CountedParts
    """The parts of the request that the limits and the report count. Default: all."""
    min_savings_tokens: int
    """In tokens. Skips a pass of compaction or compression that would save less. Default: 0."""
    preview_tokens: int
    """In tokens. Size of the preview of a moved result; 0 removes the preview. Default: 120."""
    preview_char_length: int
    """In characters. Size of the preview; `preview_tokens` takes precedence if both are given."""
    compact_roles: list[Role]
    """The roles whose texts may move. Default: tool."""
    reload_tools: list[ReloadTool]
    """The retrieval tools that the agent has; references name only those. Default: the four that this
    client has."""
    include_files: bool
    """Whether the answer includes the content of every file of the call. Default: false, unlike the
    service's."""
    dry_run: bool
    """Whether to plan and report only. Default: false."""
    repair: bool
    """Whether to repair an invalid history first. Default: false."""
    group_token_threshold: int
    """In tokens. Maximum size of the messages that one snapshot replaces; 0 makes one snapshot. Default:
    0."""
    max_loss: float
    """The maximum fraction of identifiers that a compression may lose. Default: any."""
    materialize: bool
    """Whether arrays of records become files of records that the agent can query. Default: true."""
    descriptor: Descriptor
    """Level of detail of the description of a file of records in the history. Default: pointer."""


Accepted = int | type[float] | type[bool] | type[str] | tuple[str, ...] | list[str]
ACCEPTED: Final[dict[str, Accepted]] = {
    "store_dir": str,
    "context_manage_mode": get_args(Mode),
    "working_summary_mode": get_args(Mode),
    "max_total_tokens": 0,
    "max_tool_message_tokens": 0,
    "keep_recent_count": 0,
    "compact_ratio_threshold": float,
    "target_tokens": 1,
    "low_water_ratio": float,
    "rewrite_when_saved_ratio": float,
    "cache": get_args(PromptCache),
    "counted_parts": get_args(CountedParts),
    "min_savings_tokens": 0,
    "preview_tokens": 0,
    "preview_char_length": 0,
    "compact_roles": [*get_args(Role)],
    "reload_tools": [*get_args(ReloadTool)],
    "include_files": bool,
    "dry_run": bool,
    "repair": bool,
    "group_token_threshold": 0,
    "max_loss": float,
    "materialize": bool,
    "descriptor": get_args(Descriptor),
}
"""The accepted value of each setting: the minimum of a whole number, a type, a tuple of which
one word is accepted, or a list of which several are."""
