"""Sixty-four writers of one name at once.

Promised: different contents under one call's id get different names, and each answer's reference
leads to its own content; the same content posted at once gets one name; posted again, through
another replica, everything keeps its name."""

import threading
from typing import Any

import receipts
from agents import dice, references
from fleet import Fleet
from servers import SEEN, Store
from service import Answer, Gone, together
from tally import Bench

_WRITERS = 64
# All of them are let in at once.
_SETTINGS = {
    "UNBURDEN_SERVER__CONCURRENT_REQUESTS": str(_WRITERS),
    "UNBURDEN_SERVER__QUEUE_SECONDS": "60",
    # Small servers take long for so many at once; that is not the question here.
    "UNBURDEN_STORE__TIMEOUT_SECONDS": "60",
}


def _text(writer: int, race: str) -> str:
    return "\n".join(f"{race} of writer {writer}, line {line}" for line in range(120))


def _body(writer: int, race: str, call: str, folder: str) -> dict[str, Any]:
    function = {"name": "run", "arguments": "{}"}
    return {
        "messages": [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": call, "content": _text(writer, race)},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "On."},
        ],
        "store_dir": folder,
        "chat_id": f"{race}w{writer}",
        "context_manage_mode": "compact",
        "max_total_tokens": 0,
        "max_tool_message_tokens": 100,
        "include_files": False,
    }


class _Race:
    """Writers that begin together."""

    def __init__(self, fleet: Fleet, race: str, contents: int) -> None:
        self.fleet, self.race, self.contents = fleet, race, contents
        self.bodies = [
            _body(writer % contents, race, f"call_{race}", str(SEEN / "races"))
            for writer in range(_WRITERS)
        ]
        self.paths: dict[int, str] = {}
        self.faults: list[str] = []
        self._lock = threading.Lock()
        self._start = threading.Barrier(_WRITERS)

    def run(self) -> None:
        """Posts all at once, reads each back, and posts each again to another replica."""
        for thread in together(_WRITERS, self._writer):
            thread.join(120)
        of_content: dict[int, set[str]] = {}
        for writer, path in self.paths.items():
            of_content.setdefault(writer % self.contents, set()).add(path)
        self.faults += [
            f"{self.race}: one content has {len(paths)} names" + f": {sorted(paths)}"[:200]
            for paths in of_content.values()
            if len(paths) > 1
        ]
        if len(set(self.paths.values())) != len(of_content):
            self.faults.append(f"{self.race}: {len(of_content)} contents, fewer names")

    def _writer(self, writer: int) -> None:
        try:
            self._one(writer)
        except (Gone, KeyError, threading.BrokenBarrierError) as error:
            self._fail(f"{type(error).__name__}: {error}")

    def _one(self, writer: int) -> None:
        random = dice(f"{self.race}{writer}")
        self._start.wait(60)
        service, answer = self.fleet.post(random, "/context_offload", self.bodies[writer])
        path = self._path(writer, answer)
        if path is None:
            return
        other = self.fleet.other(service, random)
        try:
            held = receipts.pages(other, path).decode()
            if held != _text(writer % self.contents, self.race):
                self._fail(f"{path} holds another's content: {held[:60]!r}")
        except LookupError as error:
            self._fail(f"{path}, writer {writer}: {error}")
        again = self._path(writer, other.post("/context_offload", self.bodies[writer]))
        if again != path:
            self._fail(f"writer {writer}: {path}, posted again {again}")
        with self._lock:
            self.paths[writer] = path

    def _path(self, writer: int, answer: Answer) -> str | None:
        paths = references(answer) if answer.status == 200 else []
        if len(paths) != 1:
            said = f"{answer.status} {answer.warnings} {answer.json['answer'][:200]}"
            self._fail(f"writer {writer}: {said}")
            return None
        return paths[0][0]

    def _fail(self, fault: str) -> None:
        with self._lock:
            self.faults.append(f"{self.race}: {fault}")


def check(bench: Bench, store: Store) -> None:
    """Races of different contents, of the same, and of a few contents each posted by some."""
    with Fleet(bench, store, env=_SETTINGS) as fleet:
        fleet.warm()
        for number in range(bench.pick(1, 20)):
            for contents in (64, 1, 4):
                race = _Race(fleet, f"race{number}of{contents}", contents)
                race.run()
                bench.tally.add("races")
                bench.tally.add("names", len(set(race.paths.values())))
                for fault in race.faults:
                    bench.tally.fail(fault)
