"""A log that cannot be written.

Promised: a full disk or a reader that left costs lines of the log, never a request, and never the
service.
Injected: standard error is /dev/full, or a pipe that nobody reads any more."""

import os
from collections.abc import Callable, Iterator
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


def _asked(bench: Bench, what: str, start: Callable[[Bench, Path], Service]) -> Patient:
    """Requests that would be logged, and what they left."""
    root = bench.fresh("logs")
    patient = Patient(root / "store")
    try:
        with start(bench, root) as service:
            patient.ask(service, what, *(f"l{n}x" for n in range(bench.pick(2, 20))))
            if not service.alive():
                patient.faults.append(f"a log {what}: the service died with {service.wait(1)}")
            for receipt in patient.kept.all:
                patient.faults += lost(service, receipt)
    except (Gone, RuntimeError) as error:
        patient.faults.append(f"a log {what}: {error}")
    return patient


def run(bench: Bench) -> Iterator[Verdict]:
    """Both ways."""
    patients = [_asked(bench, "on a full disk", _full), _asked(bench, "nobody reads", _unread)]
    yield Verdict(
        f"2 logs that cannot be written, {sum(patient.asked for patient in patients)} requests, "
        f"{sum(patient.kept.references() for patient in patients)} acknowledged",
        [fault for patient in patients for fault in patient.faults],
    )
