"""A log that cannot be written.

Promised: a full disk or a reader that left costs lines of the log, never a request, and never the
service.
Injected: standard error is /dev/full, or a pipe that nobody reads any more."""

import os
from collections.abc import Iterator
from pathlib import Path

from bench import Bench, Verdict
from judge import Patient
from receipts import lost
from service import Gone, Service

NEEDS = ()


def _full(bench: Bench, root: Path) -> Service:
    return Service(bench.program, root, log=Path("/dev/full"))


def _unread(bench: Bench, root: Path) -> Service:
    reader, writer = os.pipe()
    try:
        return Service(bench.program, root, log=Path(f"/proc/self/fd/{writer}"))
    finally:
        os.close(reader)
        os.close(writer)


def run(bench: Bench) -> Iterator[Verdict]:
    """Both ways, and requests that would be logged."""
    asked, kept, faults = 0, 0, []
    for what, start in (("on a full disk", _full), ("nobody reads", _unread)):
        root = bench.fresh("logs")
        patient = Patient(root / "store")
        with start(bench, root) as service:
            patient.ask(service, what, *(f"l{n}x" for n in range(bench.pick(2, 20))))
            try:
                for receipt in patient.kept.all:
                    patient.faults += lost(service, receipt)
            except Gone as gone:
                patient.faults.append(str(gone))
            if not service.alive():
                patient.faults.append(f"a log {what}: the service died with {service.wait(1)}")
        asked, kept = asked + patient.asked, kept + patient.kept.references()
        faults += patient.faults
    yield Verdict(f"2 logs that cannot be written, {asked} requests, {kept} acknowledged", faults)
