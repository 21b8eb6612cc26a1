"""Replicas of the service on one store."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from servers import Store
from service import Answer, Gone, Service, together
from tally import Bench

_TRIES = 500
_STARTS = 4
_AWAY = "the object store failed: "


class Fleet:
    """Services that share a store and nothing else."""

    def __init__(
        self,
        bench: Bench,
        store: Store,
        count: int = 3,
        env: dict[str, str] | None = None,
        own: Callable[[Path], dict[str, str]] = lambda _: {},
    ) -> None:
        """`own` makes the settings of one replica, of the folder that is its disk."""
        self._bench, self._store, self._env, self._own = bench, store, env or {}, own
        self.kills = 0
        self._killed: set[int] = set()
        self.all: list[Service] = []
        for number in range(count):
            self.all.append(self._start(number))

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(self, *_: object) -> None:
        for service in self.all:
            service.kill()

    def _start(self, number: int) -> Service:
        folder = Path(self._bench.folder)
        # Each has the disk of its own machine.
        disk = folder / f"disk{number}"
        disk.mkdir(exist_ok=True)
        settings = self._store.settings()
        cache = {"UNBURDEN_STORE__CACHE_DIR": str(disk)} if settings else {}
        env = settings | cache | self._env | self._own(disk)
        log = folder / f"replica{number}.log"
        service = Service(Path(self._bench.program), self._store.root(), env=env, log=log)
        return service

    def warm(self) -> None:
        """Lets every replica load what a first request waits for."""
        for thread in together(len(self.all), lambda n: self.all[n].warm()):
            thread.join()

    def any(self, dice: random.Random) -> Service:
        """A replica, as a load balancer picks one."""
        return dice.choice(self.all)

    def other(self, service: Service, dice: random.Random) -> Service:
        """Another replica than that."""
        return dice.choice([one for one in self.all if one is not service])

    def kill(self, number: int) -> None:
        """Kills a replica."""
        self.all[number].kill()
        self.kills += 1
        self._killed.add(number)

    def revive(self) -> None:
        """Starts another replica in the place of each that was killed; again where the store does
        not answer its test in time, as an orchestrator does."""
        for number in self._killed:
            for left in reversed(range(_STARTS)):
                try:
                    self.all[number] = self._start(number)
                    break
                except RuntimeError as error:
                    if not left or _AWAY not in str(error):
                        raise
                    self._bench.tally.add("starts again")
        self._killed.clear()

    def post(self, dice: random.Random, path: str, body: dict[str, Any]) -> tuple[Service, Answer]:
        """Posts as a load balancer does: to another replica where one is gone."""
        for _ in range(_TRIES):
            service = self.any(dice)
            try:
                return service, service.post(path, body)
            except Gone:
                time.sleep(0.02)
        raise Gone(f"{path}: no replica answers")

    def logged(self, word: str) -> int:
        """How often the replicas' logs have a word."""
        logs = Path(self._bench.folder).glob("replica*.log")
        return sum(log.read_text(errors="replace").count(word) for log in logs)
