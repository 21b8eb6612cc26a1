"""The walk: one history in every setting, judged on the way out and on the way back."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import judge
from histories import History
from oracles import Oracles


@dataclass(frozen=True)
class Setting:
    mode: str
    fields: dict[str, Any]
    named: bool

    def __str__(self) -> str:
        words = " ".join(f"{name}={value}" for name, value in self.fields.items())
        return f"{self.mode} {words} format={'named' if self.named else 'auto'}"


def _setting(mode: str, total: int, tool: int, keep: int | None, named: bool) -> Setting:
    fields = {"max_total_tokens": total, "max_tool_message_tokens": tool}
    if keep is not None:
        fields["keep_recent_count"] = keep
    return Setting(mode, fields, named)


# Each mode with each threshold, each keep and both ways of knowing the format.
SETTINGS = [
    _setting("compact", 0, 50, None, named=False),
    _setting("compact", 0, 500, 4, named=True),
    _setting("compact", 200, 2000, None, named=True),
    _setting("compress", 0, 2000, None, named=False),
    _setting("compress", 0, 50, 4, named=True),
    _setting("compress", 200, 500, None, named=True),
    _setting("auto", 0, 50, 4, named=False),
    _setting("auto", 0, 500, None, named=True),
    _setting("auto", 200, 2000, None, named=False),
    # Records stay text, and nothing of a result stays but its reference.
    Setting(
        "compact",
        {"max_total_tokens": 0, "max_tool_message_tokens": 50, "materialize": False}
        | {"preview_tokens": 0},
        named=True,
    ),
    # Compresses whatever compaction freed: references go into group files and come back.
    Setting(
        "auto",
        {"max_total_tokens": 0, "max_tool_message_tokens": 50, "compact_ratio_threshold": 0},
        named=False,
    ),
]


@dataclass
class Run:
    """One history in one setting."""

    history: History
    setting: Setting
    valid_before: bool = False
    valid_after: bool = False
    read_back: bool = False
    outcome: str = ""
    skipped: str = ""
    faults: list[str] = field(default_factory=list)


class Poster(Protocol):
    """What answers the walk's requests: the service, or a control that plays a bad one."""

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]: ...


class Walk:
    def __init__(self, service: Poster, oracles: Oracles, root: Path) -> None:
        self._service = service
        self._oracles = oracles
        self._root = root

    def history(self, history: History) -> list[Run]:
        """All settings of one history, each with a store of its own."""
        asked = self._oracles.of(history.format)
        before = judge.verdict(asked, history.messages, history.system, history.messages)
        runs = []
        for at, setting in enumerate(SETTINGS):
            if setting.named and not history.known:
                continue
            run = Run(history, setting, valid_before=before.valid)
            store = self._root / f"{history.name}-{at}".replace(">", "-")
            try:
                self._once(run, before, store)
            except Exception as error:  # a lost connection is a finding, not the walk's end
                run.faults.append(f"{type(error).__name__}: {error}")
            runs.append(run)
        return runs

    def _once(self, run: Run, before: judge.Verdict, store: Path) -> None:
        history = run.history
        about: dict[str, Any] = {}
        if run.setting.named or not history.detectable:
            about["format"] = history.format
        body = {"messages": history.messages, "store_dir": str(store), **about}
        body |= {"context_manage_mode": run.setting.mode, "include_files": False}
        body |= run.setting.fields
        body |= {"system": history.system} if history.system is not None else {}
        body |= {"tools": history.tools} if history.tools is not None else {}
        status, answer = self._service.post("/context_offload", body)
        if status != 200:
            words = f"status {status}: {answer.get('answer')}"
            if status == 422 and not history.known:
                run.skipped = words
            else:
                run.faults.append(words)
            return
        run.faults += judge.report_faults(history, answer)
        run.outcome = answer["metadata"].get("report", {}).get("outcome", "")
        messages = answer["messages"]
        system = answer.get("system", history.system)
        asked = self._oracles.of(history.format)
        after = judge.verdict(asked, messages, system, history.messages)
        run.valid_after = after.valid
        run.faults += judge.worse(asked, before, after)

        # What is left of a compressed history may bear no mark of its format any more, so the
        # way back always names the one that the report told.
        body = {"messages": messages, "format": answer["metadata"]["report"]["format"]}
        body |= {"system": system} if system is not None else {}
        status, restored = self._service.post("/rehydrate", body)
        if status != 200:
            run.faults.append(f"/rehydrate: status {status}: {restored.get('answer')}")
            return
        lost = judge.way_back_faults(history, restored, system)
        run.read_back = not lost
        run.faults += lost
