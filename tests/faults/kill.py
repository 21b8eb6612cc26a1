"""kill -9 at any moment.

Promised: what any answer ever acknowledged reads back byte for byte after a restart; a published
name never holds less than its bytes, acknowledged or not; only temporary files are partial, and a
sweep removes them once they are old.
Injected: SIGKILL at a random moment within 200 ms of traffic; and, where strace is there, at the
entry of a chosen system call of the write protocol."""

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import store
from bench import Bench, Verdict, must
from receipts import Receipts, lost
from service import Gone, Service, clean
from strace import Attached
from strace import need as no_strace
from traffic import Traffic

NEEDS = ()

_CYCLES_A_STORE = 100
_OLDER = 2
_STEPS = ("openat2", "write", "fsync", "renameat2", "mkdirat", "flock", "close")


class _Loop:
    """Cycles of traffic, death and restart over a few stores."""

    def __init__(self, bench: Bench, what: str) -> None:
        self.bench, self.what = bench, what
        self.root = bench.fresh(what)
        self.random = bench.random(what)
        self.kept = Receipts()
        self.folders: list[Path] = []
        self.cycles = self.posted = 0
        self.again: list[str] = []
        self.faults: list[str] = []
        self.torn: list[str] = []
        self.lost: list[str] = []
        self._fresh_from = 0

    def cycle(self, killed: Callable[[Service], None]) -> None:
        """One life: what earlier ones acknowledged is read back, then comes traffic."""
        if self.cycles % _CYCLES_A_STORE == 0:
            self.folders.append(self.root / f"s{len(self.folders)}")
        folder, tag = self.folders[-1], f"k{self.cycles}x"
        with Service(self.bench.program, self.root) as service:
            try:
                service.warm()
                self._read_back(service)
                self._post_again(service, folder)
            except Gone as gone:
                self.faults.append(f"cycle {self.cycles}, before its traffic: {gone}")
            self._fresh_from = len(self.kept.all)
            traffic = Traffic(service, folder, tag, self.kept, clients=3)
            killed(service)
            service.kill()
            traffic.stop()
        self.faults += traffic.bad
        self.again = traffic.unanswered
        self.posted += traffic.posted
        self.cycles += 1
        self.torn += store.look(folder, only=tag).torn

    def _read_back(self, service: Service) -> None:
        new = self.kept.all[self._fresh_from :]
        old = self.kept.all[: self._fresh_from]
        for receipt in [*new, *self.random.sample(old, min(_OLDER, len(old)))]:
            self.lost += lost(service, receipt)

    def _post_again(self, service: Service, folder: Path) -> None:
        """What was on its way when the service died must succeed the second time."""
        for name in self.again[:1]:
            again = Traffic.once(service, folder, name, self.kept)
            if again:
                self.faults.append(again)

    def end(self) -> tuple[int, int]:
        """Reads back everything; then sweeps temporary files, first young, then old."""
        with Service(self.bench.program, self.root) as service:
            for receipt in self.kept.all:
                self.lost += lost(service, receipt)
        found = store.look(*self.folders)
        self.torn += found.torn
        young = self._sweep(found.temporary)
        if len(young) != len(found.temporary):
            self.faults.append("a temporary file was swept before its hour")
        for path in found.temporary:
            os.utime(path, (time.time() - 7_200,) * 2)
        if left := self._sweep(found.temporary):
            self.faults.append(f"{len(left)} old temporary files outlive a sweep: {left[0]}")
        after = store.look(*self.folders)
        if after.whole != found.whole:
            self.faults.append(f"the sweep took {found.whole - after.whole} files of leases")
        return found.whole, len(found.temporary)

    def _sweep(self, temporary: list[Path]) -> list[Path]:
        command = [self.bench.program, "sweep", "--root", self.root, *self.folders]
        must("env", "-i", *(f"{k}={v}" for k, v in clean().items()), *map(str, command))
        return [path for path in temporary if path.exists()]

    def verdict(self, unit: str) -> Verdict:
        """Everything that was counted."""
        whole, temporary = self.end()
        acknowledged = self.kept.references()
        line = (
            f"{self.cycles:,} {unit}, {self.posted:,} requests, {acknowledged:,} acknowledged, "
            f"{len(self.lost)} lost, {len(self.torn)} torn of {whole:,} files, "
            f"{temporary} left temporary files swept"
        )
        faults = [*self.lost, *self.torn, *self.faults]
        if not acknowledged:
            faults.append("nothing was ever acknowledged: nothing is proven")
        return Verdict(line, faults)


def _moments(bench: Bench) -> Verdict:
    loop = _Loop(bench, "kill")
    moment: random.Random = bench.random("moments")
    for _ in range(bench.pick(15, 2_000)):
        loop.cycle(lambda _: time.sleep(moment.uniform(0, 0.2)))
    return loop.verdict("kills")


def _at_calls(bench: Bench) -> Verdict:
    if why := no_strace():
        return Verdict(f"at system calls: {why}", skipped=True)
    loop = _Loop(bench, "killcalls")
    hit = 0
    steps = _STEPS if bench.full else _STEPS[1:4]
    for nth in range(1, bench.pick(1, 6) + 1):
        for step in steps:

            def killed(service: Service, step: str = step, nth: int = nth) -> None:
                nonlocal hit
                inject = f"inject={step}:signal=KILL:when={nth}"
                with Attached(service.pid, loop.root / "strace.log", step, inject):
                    hit += service.wait(10.0) is not None

            loop.cycle(killed)
    verdict = loop.verdict(f"kills at system calls ({hit} hit)")
    if hit < loop.cycles // 2:
        verdict.faults.append("strace seldom hit: this proves little")
    return verdict


def run(bench: Bench) -> Iterator[Verdict]:
    """Random moments, then chosen calls."""
    yield _moments(bench)
    yield _at_calls(bench)
