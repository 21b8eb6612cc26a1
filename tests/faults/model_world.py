"""The processes that share a store, rounds of work by several of them at once, and their deaths."""

import json
import random
import signal
import subprocess
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import Bench
from model_disk import Disk
from model_map import Map
from service import Answer, Gone, Service, clean
from steps import Steps
from steps import need as no_steps

# Services that share the store.
_SERVICES = 3
# Sweeps go on all the time, though few files come to their end.
_SETTINGS = {"UNBURDEN_STORE__SWEEP_SECONDS": "1"}
_TOLD = 12


class Killed(Gone):
    """A command that was to be killed."""


@dataclass
class Job:
    """One request, or one call of the program, and what the map learns from its end."""

    what: str
    do: Callable[[Service], Any]
    done: Callable[[Any], None]
    lost: Callable[[], None]
    # Deletions are told first: what another acknowledged at the same time lives.
    rank: int = 1
    # The chat whose files a crash may leave.
    asks: str | None = None
    # Nobody knows what it left: its chat is deleted at the same time, or it had to give up.
    loose: bool = False
    ends: Any = None


class Process:
    """One of the services, which is started again whenever it died."""

    def __init__(self, bench: Bench, root: Path, number: int, stepping: bool) -> None:
        self._bench, self._root, self._stepping = bench, root, stepping
        self._log = root.parent / f"{root.name}-{number}.log"
        self.number = number
        self.start()

    def start(self) -> None:
        """A new life."""
        self.steps = Steps(self._bench) if self._stepping else None
        env = _SETTINGS | (self.steps.env() if self.steps else {})
        self.service = Service(self._bench.program, self._root, env=env, log=self._log)


class World:
    """A store's folder, those who work on it, and what is known of it."""

    def __init__(self, bench: Bench, label: str) -> None:
        self.bench, self.label = bench, label
        self.moment: random.Random = bench.random(f"model/{label}")
        self.root = bench.fresh("model")
        self.map = Map(self.root / "store")
        self.disk = Disk(self.map)
        self.counts: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.trace: deque[str] = deque(maxlen=_TOLD)
        stepping = no_steps() is None
        self.processes = [Process(bench, self.root, n, stepping) for n in range(_SERVICES)]
        self._steps = Steps(bench) if stepping else None
        self._timer = threading.Timer(0, lambda: None)
        self._timer.start()
        # True where a chat was deleted in this round.
        self.deleting = False
        # The service that the timer kills.
        self._doomed: int | None = None

    def any(self) -> Service:
        """One of the services."""
        return self.moment.choice(self.processes).service

    def close(self) -> None:
        """Ends every service."""
        for process in self.processes:
            process.service.kill()

    # Rounds.

    def round(self, jobs: list[Job], kills: bool = True) -> None:
        """Does the jobs at once, each by a service of its own, one of which may die of it; then
        tells the map, and looks at the disk."""
        chosen = self.moment.sample(self.processes, len(jobs))
        self._doomed = None
        how = self._threaten(self.moment.choice(chosen)) if kills else None
        threads = []
        for job, process in zip(jobs, chosen, strict=True):
            self.trace.append(f"{job.what} by {process.number}")
            threads.append(threading.Thread(target=self._do, args=(job, process.service)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        died = self._bury(chosen, how)
        self.deleting = any(job.rank == 0 for job in jobs)
        asked = set()
        for job in sorted(jobs, key=lambda job: job.rank):
            self.counts["operations"] += 1
            if isinstance(job.ends, Gone):
                self.counts["unanswered"] += 1
                if not died and not isinstance(job.ends, Killed):
                    self.say(f"no answer, though nobody was killed: {job.ends}")
                job.lost()
            elif isinstance(job.ends, Exception):
                self.say(f"{job.what}: {type(job.ends).__name__}: {job.ends}")
            else:
                job.done(job.ends)
            if job.asks and (job.loose or isinstance(job.ends, Gone)):
                asked.add(job.asks)
        self.disk.look(asked)
        self.tell()

    def _do(self, job: Job, service: Service) -> None:
        try:
            job.ends = job.do(service)
        except Exception as error:  # Told after the round, with what was going on.
            job.ends = error

    def _threaten(self, process: Process) -> str | None:
        """Chooses how a service dies in this round, if it does."""
        roll = self.moment.random()
        if roll < 0.38 and process.steps:
            most = self.moment.choice((6, 20, 60))
            process.steps.die_before(self.moment.randrange(1, most))
            return "at a step"
        if roll < 0.5:
            pause, service = self.moment.uniform(0, 0.06), process.service
            self._timer = threading.Timer(pause, lambda: service.signal(signal.SIGKILL))
            self._timer.start()
            self._doomed = process.number
            return "at a moment"
        return None

    def _bury(self, chosen: list[Process], how: str | None) -> int:
        """Starts anew who died; returns how many did."""
        self._timer.join()
        died = 0
        for process in chosen:
            is_hit = process.steps is not None and process.steps.live()
            if is_hit or process.number == self._doomed:
                process.service.wait(60)
            if process.service.alive():
                continue
            if how is None:
                self.say(f"service {process.number} died by itself")
            died += 1
            self.counts[f"killed {how}"] += 1
            self.trace.append(f"{process.number} was killed {how}")
            process.service.kill()
            process.start()
        return died

    # The program in a shell.

    def threat(self, share: float) -> int | None:
        """The step before which a command is to die, if it is."""
        if not self._steps or self.moment.random() > share:
            return None
        return self.moment.randrange(1, self.moment.choice((5, 12, 40)))

    def call(
        self, *arguments: str, env: dict[str, str] | None = None, dies: int | None = None
    ) -> Answer:
        """The output of a command of the program, as JSON, with its exit status."""
        environment = dict(env or {})
        if dies and self._steps:
            self._steps.die_before(dies)
            environment |= self._steps.env()
        command = [str(self.bench.program), *arguments, "--json", "--root", str(self.root)]
        done = subprocess.run(
            command, env=clean(environment), capture_output=True, timeout=120, check=False
        )
        if done.returncode == -signal.SIGKILL:
            self.counts["killed at a step"] += 1
            raise Killed(f"{arguments[0]} was killed")
        said = json.loads(done.stdout) if done.stdout.startswith(b"{") else {}
        return Answer(done.returncode, said)

    def alone(
        self, what: str, *arguments: str, env: dict[str, str] | None = None, dies: float = 0.5
    ) -> Answer:
        """Calls the program until it comes to its end; at first it may be killed."""
        self.counts["operations"] += 1
        self.trace.append(what)
        for step in (self.threat(dies), None):
            try:
                return self.call(*arguments, env=env, dies=step)
            except Killed:
                self.counts["unanswered"] += 1
                self.trace.append(f"{what} was killed")
        raise AssertionError("a command that nobody kills was killed")

    # The faults found.

    def say(self, fault: str) -> None:
        """Notes what is wrong."""
        self.map.faults.append(fault)

    def refusal(self, answer: Answer) -> str:
        """The kind of a refusal, counted."""
        error = answer.metadata.get("error", {})
        said = str(answer.json.get("answer", ""))
        kind = f"{answer.status} {error.get('code')}"
        if answer.status == 410:
            kind += " (deleted)" if "was deleted with its chat" in said else " (expired)"
        self.refused[kind] += 1
        return kind

    def tell(self) -> None:
        """The first fault says what was done right before."""
        if self.map.faults and not self.counts["told"]:
            self.counts["told"] = 1
            at = f"{self.label}, after {self.counts['operations']} operations"
            self.map.faults[0] += f" ({at}: {'; '.join(self.trace)})"

    @property
    def broken(self) -> bool:
        """True where going on would only repeat what is wrong."""
        return bool(self.map.faults)

    def wait_until(self, moment: float) -> None:
        """Sleeps until then, by the steady clock."""
        time.sleep(max(0.0, moment - time.monotonic()))
