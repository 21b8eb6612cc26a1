"""Disk full, of bytes and of names.

Promised: a history that cannot be moved comes back unchanged with a warning, a large result inline
and cut with a warning, each with a count in unburden_offload_write_failed_total; no reference to a
missing file, no temporary file; what was stored before stays readable; it recovers by itself.
Injected: a small file system in memory, filled to the last byte or the last name."""

from collections.abc import Iterator

import store
from bench import Bench, Verdict
from disks import Tmpfs, memory_disks
from judge import Patient
from receipts import lost
from service import Service

NEEDS = (memory_disks,)

_COUNTER = "unburden_offload_write_failed_total"


class _Full:
    """One disk that is filled and emptied again and again."""

    def __init__(self, bench: Bench, what: str, options: str) -> None:
        self.bench, self.what = bench, what
        self.folder = bench.fresh(f"full-{what}")
        self.at = self.folder / "disk"
        self.at.mkdir()
        self.random = bench.random(what)
        self.disk = Tmpfs(self.at, options)
        self.patient = Patient(self.at / "store")
        self.rounds = self.failed = 0

    def run(self, rounds: int) -> Verdict:
        """Stored, filled, asked, emptied, asked again."""
        patient = self.patient
        try:
            with Service(self.bench.program, self.at, log=self.folder / "service.log") as service:
                for self.rounds in range(1, rounds + 1):
                    self._round(service)
            with Service(self.bench.program, self.at, log=self.folder / "service.log") as service:
                for receipt in patient.kept.all:
                    patient.faults += lost(service, receipt)
        finally:
            self.disk.unmount()
        return Verdict(
            f"of {self.what}: {self.rounds} times full, {patient.asked} answers, "
            f"{patient.inline} inline with a warning, {self.failed} counted as write failed, "
            f"{patient.kept.references():,} acknowledged",
            patient.faults,
        )

    def _round(self, service: Service) -> None:
        patient, n = self.patient, self.rounds
        if patient.ask(service, f"room before {n}", f"r{n}x"):
            patient.faults.append(f"inline though there is room, round {n}")
        before = service.counter(_COUNTER)
        ballast = self._fill()
        # A store of its own every other time: then not even its folder can be made.
        patient.folder = self.at / ("store" if n % 2 else f"store{n}")
        inline = patient.ask(service, f"full {n}", f"f{n}x")
        counted = service.counter(_COUNTER) - before
        self.failed += counted
        if inline != 3 or counted != 3:
            patient.faults.append(f"round {n}: {inline} of 3 inline, {counted} counted")
        found = store.look(self.at / "store", patient.folder)
        patient.faults += found.torn + [f"{path.name} stays" for path in found.temporary]
        self._halfway(service, ballast)
        for path in ballast:
            path.unlink(missing_ok=True)
        if patient.ask(service, f"room after {n}", f"a{n}x"):
            patient.faults.append(f"inline after there was room again, round {n}")

    def _fill(self) -> list:
        if self.what == "bytes":
            return [self.disk.fill()]
        return self.disk.fill_inodes()

    def _halfway(self, service: Service, ballast: list) -> None:
        """Room for a part of a request's files only."""
        if self.what == "bytes":
            size = ballast[0].stat().st_size
            with ballast[0].open("r+b") as file:
                file.truncate(size - self.random.randrange(4_096, 98_304))
        else:
            for path in ballast[: self.random.randrange(1, 9)]:
                path.unlink()
        self.patient.ask(service, f"nearly full {self.rounds}", f"h{self.rounds}x")
        folders = {self.at / "store", self.patient.folder}
        found = store.look(*folders)
        self.patient.faults += found.torn + [f"{path.name} stays" for path in found.temporary]


def run(bench: Bench) -> Iterator[Verdict]:
    """Both ways to be full."""
    yield _Full(bench, "bytes", "size=24m,mode=755").run(bench.pick(2, 20))
    yield _Full(bench, "names", "size=64m,nr_inodes=4000,mode=755").run(bench.pick(2, 20))
