"""The oracles of each format: real libraries that say what is wrong with a history."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import (
    anthropic,
    gemini,
    langchain,
    openai_chat,
    openai_responses,
    pairing,
    second_opinion,
    skeleton,
)
from .ai_sdk import AiSdk

# (messages, system, the messages before the service saw them) -> complaints
Complain = Callable[[list[Any], Any, list[Any]], list[str]]


@dataclass(frozen=True)
class Oracle:
    """One library's view of one format."""

    name: str
    complain: Complain
    # It stops at its first complaint, so another one may come to light behind it.
    first_only: bool = False
    # Ours or a neighbour's script: it decides a run, but not what the table calls valid.
    library: bool = True

    def worse(self, before: list[str], after: list[str]) -> list[str]:
        """The complaints that were not there before; nothing was valid and is so no more."""
        if self.first_only:
            return after[len(before) :]
        return list((Counter(after) - Counter(before)).elements())


class Oracles:
    """All oracles, and the child processes that some of them are."""

    def __init__(self, shared: Path) -> None:
        self._ai_sdk = AiSdk()
        self._checker = second_opinion.load(shared)

    def of(self, name: str) -> list[Oracle]:
        """The oracles of a format, or of a variant that only the second opinion knows."""
        found = {
            "openai-chat": [
                Oracle("openai", openai_chat.complaints),
                Oracle("mistral-common", pairing.complaints, first_only=True),
            ],
            "openai-responses": [Oracle("openai", openai_responses.complaints)],
            "anthropic": [Oracle("anthropic", anthropic.complaints)],
            "gemini": [Oracle("google-genai", gemini.complaints)],
            "ai-sdk": [Oracle("ai", self._ai_sdk.complaints)],
            "langchain": [
                Oracle("langchain-core", langchain.complaints),
                Oracle("mistral-common", langchain.pairs, first_only=True),
            ],
        }.get(name, [])
        if name in ("openai-responses", "anthropic", "gemini", "ai-sdk"):
            found.append(Oracle("mistral-common", _pairs_of(name), first_only=True))
        if self._checker is not None:
            found.append(Oracle("check_histories", self._codes_of(name), library=False))
        return found

    def close(self) -> None:
        self._ai_sdk.close()

    def _codes_of(self, name: str) -> Complain:
        checker = self._checker
        assert checker is not None
        return lambda messages, _system, _before: second_opinion.complaints(checker, name, messages)


def _pairs_of(name: str) -> Complain:
    def complain(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
        try:
            turns = skeleton.of(name, messages)
        except (AttributeError, KeyError, TypeError) as error:
            return [f"no {name} history: {error!r}"]
        return pairing.complaints(turns, system, before)

    return complain
