"""The settings of an offload, and the check that they are what the service takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypedDict

Mode = Literal["auto", "compact", "compress"]
Format = Literal[
    "auto", "openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk", "langchain", "bedrock", "pi"
]
Descriptor = Literal["pointer", "compact", "full"]
ReloadTool = Literal["read_file", "grep", "lro_extract", "read_tool_result", "shell"]
Role = Literal["tool", "user"]


class Settings(TypedDict, total=False):
    """Settings of `/context_offload`, for a client or for one call; what is absent is the service's default.

    All sizes are tokens, but for `preview_char_length` (characters) and `keep_recent_count` (messages).
    """

    store_dir: str
    """The folder of the files: absolute, or relative to the working directory of the service."""
    context_manage_mode: Mode
    """`compact` moves results, `compress` summarises, `auto` does both where the first is not enough."""
    working_summary_mode: Mode
    """The later name of `context_manage_mode`, which wins where both are given."""
    max_total_tokens: int
    """Below it nothing happens (20000)."""
    max_tool_message_tokens: int
    """A result with more may move (2000)."""
    keep_recent_count: int
    """The newest messages, which are left alone (1 for compaction, 2 for compression)."""
    compact_ratio_threshold: float
    """`auto` compresses where compaction leaves more than this fraction (0.75)."""
    target_tokens: int
    """A hard budget for messages, tools and system together (none)."""
    min_savings_tokens: int
    """A pass that would free less is not made (0)."""
    preview_tokens: int
    """What stays visible of a moved result (120); 0 leaves the reference only."""
    preview_char_length: int
    """The same in characters; `preview_tokens` wins."""
    compact_roles: list[Role]
    """Whose texts may move (`["tool"]`)."""
    reload_tools: list[ReloadTool]
    """The tools that the agent has; this client says the four that it brings, and no `shell`."""
    include_files: bool
    """Whether the answer repeats the files' contents; this client says false."""
    dry_run: bool
    """Plan and report only (false)."""
    repair: bool
    """Whether a broken history is mended first (false)."""
    group_token_threshold: int
    """The most of one snapshot's group; 0 is one group (0)."""
    max_loss: float
    """The largest fraction of names that a compression may lose (any)."""
    materialize: bool
    """Whether arrays of records move to files of records (true)."""
    descriptor: Descriptor
    """How much of a file of records is said in the history (`pointer`)."""


_MODES: Final = ("auto", "compact", "compress")
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "context_manage_mode": _MODES,
    "working_summary_mode": _MODES,
    "descriptor": ("pointer", "compact", "full"),
    "compact_roles": ("tool", "user"),
    "reload_tools": ("read_file", "grep", "lro_extract", "read_tool_result", "shell"),
}
_COUNTS: Final = frozenset(
    "max_total_tokens max_tool_message_tokens keep_recent_count target_tokens min_savings_tokens"
    " preview_tokens preview_char_length group_token_threshold".split()
)
_FRACTIONS: Final = frozenset({"compact_ratio_threshold", "max_loss"})
_FLAGS: Final = frozenset({"include_files", "dry_run", "repair", "materialize"})
_LISTS: Final = frozenset({"compact_roles", "reload_tools"})


def check_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without those that are None.

    Raises:
        TypeError: a name that is no setting, or a value of the wrong type.
        ValueError: a value out of range. Both are mistakes in the caller's code, and said where
            they are made: at the service they would only switch offloading off.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    for name, value in given.items():
        _check(name, value)
    return given


def _check(name: str, value: Any) -> None:
    if name in _COUNTS:
        _check_count(name, value, least=1 if name == "target_tokens" else 0)
    elif name in _FRACTIONS:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} is {value!r}; accepted is a number from 0 to 1")
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {value!r}; accepted is a number from 0 to 1")
    elif name in _FLAGS:
        if not isinstance(value, bool):
            raise TypeError(f"{name} is {value!r}; accepted is True or False")
    elif name in _WORDS:
        _check_words(name, value)
    elif name == "store_dir":
        if not isinstance(value, str):
            raise TypeError(f"store_dir is {value!r}; accepted is a folder, as a string")
        if not value.strip():
            raise ValueError("store_dir is blank; accepted is a folder")
    else:
        raise TypeError(f"{name} is no setting; accepted are {', '.join(Settings.__annotations__)}")


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is {value!r}; accepted is a whole number from {least} on")
    if value < least:
        raise ValueError(f"{name} is {value!r}; accepted is a whole number from {least} on")


def _check_words(name: str, value: Any) -> None:
    words = _WORDS[name]
    many = name in _LISTS
    if many and not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} is {value!r}; accepted is a list of {', '.join(words)}")
    for word in value if many else [value]:
        if word not in words:
            raise ValueError(f"{name} has {word!r}; accepted is {', '.join(words)}")
