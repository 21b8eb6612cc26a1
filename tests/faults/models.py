"""Faults of the model's endpoint.

Promised: the answer comes within the deadline and a second, after at most three calls, with the
built-in summariser's snapshot and the reason; nothing that the model forged is in it, and it leads
back to the messages that came.
Injected: an endpoint of chat completions on loopback, one mode of failing after the other. Control:
the same endpoint, well behaved, is believed, so that it is the fault which is refused."""

import time
from collections.abc import Iterator
from pathlib import Path

import histories
from bench import Bench, Verdict
from endpoint import ANSWERS, BREAKS, FORGED, Endpoint
from receipts import lost, of_chat
from service import Service
from traffic import chat_once

NEEDS = ()


def _settings(endpoint: Endpoint, deadline: int) -> dict[str, str]:
    return {
        "UNBURDEN_LLM__BASE_URL": endpoint.base_url,
        "UNBURDEN_LLM__API_KEY": "sk-not-a-key",
        "UNBURDEN_LLM__MODEL": "small-model",
        "UNBURDEN_LLM__TIMEOUT_SECONDS": str(deadline),
        "UNBURDEN_LLM__TRY_TIMEOUT_SECONDS": str(deadline // 3),
        "NO_PROXY": "127.0.0.1",
    }


class _Mode:
    """One mode, one compression."""

    def __init__(self, bench: Bench, mode: str, root: Path) -> None:
        self.faults: list[str] = []
        self.mode, self.deadline = mode, bench.pick(3, 6)
        with Endpoint(mode) as endpoint, self._service(bench, root, endpoint) as service:
            # The deadline is the model's: the machine's own slowness must not count.
            service.warm()
            self._compress(service, root, endpoint)

    def _service(self, bench: Bench, root: Path, endpoint: Endpoint) -> Service:
        return Service(bench.program, root, env=_settings(endpoint, self.deadline))

    def _compress(self, service: Service, root: Path, endpoint: Endpoint) -> None:
        name = f"m{''.join(filter(str.isalnum, self.mode))}x"
        started = time.monotonic()
        answer = chat_once(service, name, root / "store", "compress")
        self.seconds = time.monotonic() - started
        self.calls = endpoint.calls
        snapshot = (answer.metadata.get("report") or {}).get("snapshot") or {}
        self.source, self.rejected = snapshot.get("source"), snapshot.get("rejected")
        # A line that names a forged file is taken out of a summary that is good otherwise.
        want = "llm" if self.mode in ("good", "forged references") else "extractive"
        if self.mode == "forged references" and FORGED not in str(snapshot.get("dropped")):
            self._say("the report does not say what was taken out")
        if answer.status != 200 or self.source != want:
            self._say(f"{answer.status}, source {self.source}, rejected {self.rejected}")
            return
        if not 1 <= self.calls <= 3:
            self._say(f"{self.calls} calls")
        if self.seconds > self.deadline + 1:
            self._say(f"{self.seconds:.1f} s")
        if want == "extractive" and not (self.rejected and answer.warnings):
            self._say("the report does not say why the built-in summariser wrote")
        if FORGED in str(answer.json["messages"]):
            self._say("what the model forged is in the messages")
        receipt = of_chat(name, answer)
        for fault in lost(service, receipt) if receipt else ["nothing was compressed"]:
            self._say(fault)
        if answer.json["messages"] == histories.history(name):
            self._say("the messages are unchanged")

    def _say(self, fault: str) -> None:
        self.faults.append(f"{self.mode}: {fault}")


def run(bench: Bench) -> Iterator[Verdict]:
    """Every mode, the good one among them."""
    root = bench.fresh("models")
    names = [*ANSWERS, *BREAKS]
    if not bench.full:
        names = [name for name in names if name not in ("429", "trickle", "not a snapshot")]
    modes = [_Mode(bench, name, root) for name in names]
    slowest, calls = max(mode.seconds for mode in modes), max(mode.calls for mode in modes)
    sources = [mode.source for mode in modes]
    yield Verdict(
        f"{len(modes) - 1} modes of failing and a good one, at most {calls} calls, slowest answer "
        f"{slowest:.1f} s (deadline {modes[0].deadline} s + 1 s), {sources.count('extractive')} "
        f"snapshots by the built-in summariser, {sources.count('llm')} by the model",
        [fault for mode in modes for fault in mode.faults],
    )
