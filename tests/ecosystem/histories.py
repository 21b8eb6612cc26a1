"""What the walk walks over: ../shared's histories, their conversions, our own samples."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import samples
from convert import LANGCHAIN_SHAPES, to_ai_sdk, to_langchain

_DIALECTS = {"vercel": "ai-sdk"}
# What langchain-core says of messages that it does not know: a role of an agent's own, and a
# member with the name of an argument. Anything else that it says is a fault.
_REFUSALS = ("Unexpected message type", "multiple values for argument 'message_type'")


@dataclass(frozen=True)
class History:
    name: str
    # The name that the service knows; for a format it does not claim to know, the variant's.
    format: str
    messages: list[Any]
    system: Any = None
    tools: Any = None
    known: bool = True

    @property
    def detectable(self) -> bool:
        """Whether any message bears a mark of its format.

        Text-only messages look alike in anthropic, ai-sdk and openai-chat: such a history
        is named in every round.
        """
        if self.format in ("anthropic", "ai-sdk"):
            own = ("tool_use", "tool_result", "thinking", "tool-call", "tool-result")
            contents = [m["content"] for m in self.messages if isinstance(m["content"], list)]
            return any(part.get("type") in own for parts in contents for part in parts)
        if self.format == "openai-responses":
            return any(item.get("type") not in (None, "message") for item in self.messages)
        return True


@dataclass(frozen=True)
class Skipped:
    name: str
    format: str
    why: str


def _shared(shared: Path) -> Iterator[History]:
    for path in sorted((shared / "histories").glob("*.json")):
        held = json.loads(path.read_bytes())
        known = held["format"] != "other"
        name = held["format"] if known else held["variant"]
        rest = (held["messages"], held.get("system"), held.get("tools"), known)
        yield History(path.stem, _DIALECTS.get(name, name), *rest)
    for path in sorted((shared / "compression_scenarios").glob("*.json")):
        yield History(path.stem, "gemini", json.loads(path.read_bytes())["history"])


def _converted(history: History, split_system: bool) -> Iterator[History | Skipped]:
    """The same agent in langchain's three shapes and as ModelMessages.

    With `split_system` the AI SDK history keeps its system prompt apart, as `generateText`
    wants it; without, it stays the first message, as many stored histories have it.
    """
    for shape in LANGCHAIN_SHAPES:
        name = f"{history.name}>{shape}"
        try:
            yield History(name, "langchain", to_langchain(history.messages, shape))
        except (TypeError, ValueError) as error:
            if not any(known in str(error) for known in _REFUSALS):
                raise
            yield Skipped(name, "langchain", f"langchain-core: {_short(error)}")
    name = f"{history.name}>ai-sdk"
    try:
        messages = to_ai_sdk(history.messages)
    except ValueError as error:
        yield Skipped(name, "ai-sdk", f"no ModelMessages: {_short(error)}")
        return
    system = None
    if split_system and messages[0]["role"] == "system":
        system = messages.pop(0)["content"]
    yield History(name, "ai-sdk", messages, system)


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:120]


def every(shared: Path) -> Iterator[History | Skipped]:
    for name, format_name, messages, system in samples.all_samples():
        yield History(name, format_name, messages, system)
    for at, history in enumerate(_shared(shared)):
        yield history
        if history.format == "openai-chat":
            yield from _converted(history, split_system=at % 2 == 0)
