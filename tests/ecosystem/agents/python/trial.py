"""One run of one framework's example, and everything that must hold of it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from depot import ROUNDS, Script
from service import Service

from unburden import Offloaded, Unburden

SNAPSHOT = "<state_snapshot>"
RAW_TOKENS = 80_000
KILLED_AT = ROUNDS // 2


@dataclass(frozen=True)
class Framework:
    """A framework and its example."""

    name: str
    package: str
    detail: str
    """What the script is asked for; see `DETAILS` of the examples."""
    unseen: int = 0
    """The most tokens of a prompt that the framework's hook is not told of."""
    snapshots: bool = True
    """Whether older messages can become a snapshot."""


@dataclass(frozen=True)
class Kind:
    """A way to run an example."""

    name: str
    budget: int = 0
    """The most tokens that the model may ever see; 0: no bound."""
    offloads: bool = True
    killed: bool = False


KINDS = [
    # Without the adapter the bounds below must break: else they would prove nothing.
    Kind("control", offloads=False),
    Kind("small", budget=12_000),
    # So small that older messages must become a snapshot.
    Kind("tight", budget=5_000),
    Kind("killed", killed=True),
]
# AgentScope itself decides when its context is too large, and counts four bytes as a token.
_AGENTSCOPE_SIZES = {"small": 16_000, "tight": 3_500, "killed": 16_000}


@dataclass
class Outcome:
    """What came of a run."""

    framework: str
    kind: str
    budget: int
    calls: int = 0
    largest: int = 0
    reloads: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Watched(Unburden):
    """A client that keeps what it answered last."""

    last: Offloaded[Any] | None = None

    def offload(self, *args: Any, **settings: Any) -> Offloaded[Any]:
        self.last = super().offload(*args, **settings)
        return self.last

    def snapshots(self) -> list[str]:
        """The texts of the last answer that have a snapshot, as they stand inside a JSON string."""
        told = (self.last.messages, self.last.system) if self.last else ()
        return [json.dumps(text, ensure_ascii=False)[1:-1] for text in _strings(told) if SNAPSHOT in text]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


class Trial:
    """A run: made, watched at every model call, and judged."""

    def __init__(
        self, framework: Framework, kind: Kind, module: ModuleType, binary: Path, judge: Service
    ) -> None:
        self.framework, self.kind, self.module, self.judge = framework, kind, module, judge
        self.outcome = Outcome(framework.name, kind.name, kind.budget)
        self.script = Script(framework.detail, self._watch)
        self.root = Path.cwd() / f"{framework.name}-{kind.name}"
        self.root.mkdir()
        self.service = Service(binary, self.root)
        self.warnings: list[str] = []
        self.told: list[bool] = []
        self.snapshots = 0

    def run(self) -> Outcome:
        """The outcome; nothing is raised."""
        answer = ""
        try:
            answer = asyncio.run(self._run())
        except Exception as error:
            self._problem(f"the run ended in {type(error).__name__}: {error}")
        finally:
            self.service.close()
        self.outcome.calls = self.script.steps
        self.outcome.reloads = [call.name for call in self.script.reloads]
        self._judge(answer)
        return self.outcome

    async def _run(self) -> str:
        self.client = client = Watched(
            f"http://{self.service._address}",
            store_dir=str(self.root / "store"),
            max_total_tokens=min(6000, self.kind.budget or 6000),
            max_tool_message_tokens=1000,
            target_tokens=(self.kind.budget or 12_000) - self.framework.unseen,
            on_warning=self.warnings.append,
        )
        more: dict[str, Any] = {}
        if self.framework.name == "agentscope" and self.kind.offloads:
            more["context_size"] = _AGENTSCOPE_SIZES[self.kind.name]
        answer = await self.module.run(client if self.kind.offloads else None, self.script, **more)
        return str(answer)

    def _watch(self, step: int, wire: dict[str, Any]) -> None:
        if self.kind.killed and step == KILLED_AT:
            self.service.close()
        text = json.dumps(wire, ensure_ascii=False, default=str)
        self.told.append(self.script.detail.answer() in text)
        for snapshot in self.client.snapshots():
            self._must(snapshot in text, f"model call {step} lacks the newest snapshot")
        self.snapshots += SNAPSHOT in text or "compressed context is offloaded" in text
        tokens = self._ask("/count_tokens", wire)["tokens"]
        self.outcome.largest = max(self.outcome.largest, tokens)
        if self.kind.budget and tokens > self.kind.budget:
            self._problem(f"model call {step} sees {tokens} tokens, more than {self.kind.budget}")
        for problem in self._ask("/validate", wire)["problems"][:3]:
            self._problem(f"model call {step}: {problem}")

    def _ask(self, path: str, wire: dict[str, Any]) -> dict[str, Any]:
        status, answer = self.judge.post(path, wire)
        if status != 200:
            raise RuntimeError(f"{path}: {answer['answer']}")
        return dict(answer["metadata"])

    def _judge(self, answer: str) -> None:
        right = self.script.detail.answer()
        if not self.kind.offloads:
            self._must(self.outcome.largest > RAW_TOKENS, f"the history reaches only {self.outcome.largest}")
            self._must(right in answer, f"the answer is {answer!r}, not {right}")
            return
        if self.kind.killed:
            self._must(answer != "", "there is no answer")
            self._must(self.outcome.calls > ROUNDS, f"the agent made only {self.outcome.calls} model calls")
            self._must(len(self.warnings) == 1, f"{len(self.warnings)} warnings: {self.warnings}")
            return
        self._must(right in answer, f"the answer is {answer!r}, not {right}")
        self._must(not self.warnings, f"warnings: {self.warnings}")
        self._must(self.outcome.reloads != [], "no reload tool was called")
        self._must(self.told[ROUNDS:][:1] == [False], "the fact stood in a message when it was asked for")
        self._must(self.told[-1:] == [True], "the answer came from no message")
        if self.kind.name == "tight" and self.framework.snapshots:
            self._must(self.snapshots > 0, "nothing became a snapshot")

    def _must(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self._problem(otherwise)

    def _problem(self, text: str) -> None:
        self.outcome.problems.append(text)


def quiet() -> None:
    """Keeps the frameworks' own remarks, which no run is about, off the table."""
    os.environ.setdefault("OTEL_SDK_DISABLED", "true")
    logging.disable(logging.CRITICAL)
