"""The n-th call fails.

Promised: the answer is whole, or the history comes back unchanged with a warning; never a
reference to a file that does not read back, or whose fsync failed; a failed fsync is not tried
again on the same descriptor; no temporary file stays; the next request succeeds.
Injected: by strace, which fails the n-th call of each thread (a request's files are written by
threads of its own); by a shim before libc, which counts over the whole process, tells files from
folders and writes short; by RLIMIT_FSIZE."""

import itertools
import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import store
from bench import Bench, Verdict
from judge import Patient
from receipts import lost
from service import Service
from shim import Shim
from shim import need as no_shim
from strace import Attached
from strace import need as no_strace

NEEDS = ()

_CALLS = ("openat2", "openat", "mkdirat", "fsync", "renameat2", "statx", "flock", "close")
_ERRORS = ("EIO", "ENOSPC", "EINTR", "EMFILE")
_WATCHED = {"fsync", "close", "renameat2", "linkat"}
# A file system without that rename.
_NO_RENAME = ("renameat2:error=EINVAL",)
# Two at once: what is done after the first has failed fails, too.
_PAIRS = (
    _NO_RENAME,
    ("renameat2:error=EINVAL", "linkat:error=EIO"),
    ("fsync:error=EIO", "unlinkat:error=EIO"),
)
_TRIED = re.compile(r"^(\d+)\s+(fsync|close)\((\d+)<([^>]*)>")
_RESUMED = re.compile(r"^(\d+)\s+<\.\.\. fsync resumed>")
_RENAMED = re.compile(r"(?:renameat2|linkat)\([^,]*, \"([^\"]+)\", .*= 0$")


@dataclass
class _Syncs:
    """What became of descriptors and files whose fsync failed."""

    failed: int = 0
    faults: list[str] = field(default_factory=list)

    def read(self, log: Path) -> None:
        """Follows a strace log, all threads as one line of time."""
        last: dict[str, tuple[str, str]] = {}
        open_failed: set[str] = set()
        files: set[str] = set()
        for line in log.read_text(errors="replace").splitlines():
            if tried := _TRIED.match(line):
                thread, call, number, path = tried.groups()
                if call == "close":
                    open_failed.discard(number)
                    continue
                if number in open_failed:
                    self.faults.append(f"fsync tried again on the same descriptor: {path}")
                last[thread] = (number, path)
            resumed = _RESUMED.match(line)
            thread = line.split(" ", 1)[0]
            if "= -1 EIO" in line and (tried or resumed) and thread in last:
                number, path = last[thread]
                self.failed += 1
                open_failed.add(number)
                files.add(path.rsplit("/", 1)[1])
            renamed = _RENAMED.search(line)
            if renamed and renamed[1] in files:
                self.faults.append(f"published after its fsync failed: {renamed[1]}")


def _cases(bench: Bench) -> list[tuple[str, ...]]:
    every = [
        (f"{call}:error={error}:when={nth}",)
        for call, error, nth in itertools.product(_CALLS, _ERRORS, (1, 2, 3))
        if (call, error) not in {("statx", "EINTR"), ("close", "EINTR")}
    ]
    always = [*_PAIRS, ("fsync:error=EIO:when=1",)]
    return [*always, *every] if bench.full else [*always, *bench.random("calls").sample(every, 4)]


def _by_strace(bench: Bench) -> Verdict:
    if why := no_strace():
        return Verdict(f"by strace: {why}", skipped=True)
    root = bench.fresh("calls")
    syncs, injected, cases = _Syncs(), 0, _cases(bench)
    patient = Patient(root / "store")
    service = Service(bench.program, root)
    service.warm()
    for n, case in enumerate(cases):
        if n % 4 == 0:
            patient.folder = root / f"store{n}"
        what, log = " ".join(case), root / "strace.log"
        calls = ",".join(_WATCHED | {call.split(":")[0] for call in case})
        with Attached(service.pid, log, calls, *(f"inject={c}" for c in case)) as attached:
            inline = patient.ask(service, what, f"f{n}x")
        if case == _NO_RENAME and inline:
            patient.faults.append(f"{what}: {inline} inline, though a hard link does the same")
        injected += attached.injected()
        syncs.read(log)
        found = store.look(patient.folder)
        patient.faults += [f"{what}: torn {torn}" for torn in found.torn]
        if "unlinkat" not in what:
            patient.faults += [f"{what}: {path.name} stays" for path in found.temporary]
        for path in found.temporary:
            path.unlink()
        if not service.alive():
            patient.faults.append(f"{what}: the service died")
            service = Service(bench.program, root)
        if stayed := patient.ask(service, f"after {what}", f"g{n}x"):
            patient.faults.append(f"after {what}: {stayed} answers stay inline")
    service.kill()
    patient.faults += _read_back(bench, root, patient) + syncs.faults
    if not (injected and syncs.failed and patient.inline):
        patient.faults.append("nothing failed: nothing is proven")
    return Verdict(
        f"{len(cases)} cases by strace, {injected} calls failed, {patient.asked} answers, "
        f"{patient.inline} inline with a warning, {patient.kept.references():,} acknowledged, "
        f"{syncs.failed} failed fsyncs, {len(syncs.faults)} of them tried again or published",
        patient.faults,
    )


def _read_back(bench: Bench, root: Path, patient: Patient) -> list[str]:
    with Service(bench.program, root) as service:
        return [fault for receipt in patient.kept.all for fault in lost(service, receipt)]


def _shims(bench: Bench) -> list[tuple[str, str, str, int, int | None]]:
    every = [
        (call, kind, do, nth, times)
        for call, kind, do in (
            ("write", "file", "5"),
            ("write", "file", "28"),
            ("write", "file", "4"),
            ("write", "file", "short"),
            ("fsync", "file", "5"),
            ("fsync", "file", "4"),
            ("fsync", "folder", "5"),
        )
        for nth in range(1, 9)
        for times in ((1,) if do == "4" else (1, None))
    ]
    some = [("write", "file", "short", 1, None), ("fsync", "folder", "5", 2, 1)]
    return every if bench.full else [*some, *bench.random("shims").sample(every, 3)]


def _by_shim(bench: Bench) -> Verdict:
    if why := no_shim():
        return Verdict(f"by shim: {why}", skipped=True)
    tampered, cases = 0, _shims(bench)
    total, faults = Patient(bench.folder), []
    for call, kind, do, nth, times in cases:
        root = bench.fresh("shim-root")
        patient = Patient(root / "store")
        what = f"{call} of {kind}s from call {nth}, {times or 'all'} of them: {do}"
        shim = Shim(bench, root, call, kind, do)
        with Service(bench.program, root, env=shim.env(nth, times)) as service:
            patient.ask(service, what, "h1x", "h2x")
        tampered += shim.tampered()
        found = store.look(root / "store")
        patient.faults += [f"{what}: torn {torn}" for torn in found.torn]
        patient.faults += [f"{what}: {path.name} stays" for path in found.temporary]
        if do in ("short", "4") and patient.inline:
            patient.faults.append(f"{what}: {patient.inline} answers inline, nothing was wrong")
        faults += patient.faults + _read_back(bench, root, patient)
        total.asked, total.inline = total.asked + patient.asked, total.inline + patient.inline
        total.kept.all += patient.kept.all
    if not tampered:
        return Verdict("by shim: needs a program that links libc", skipped=True)
    return Verdict(
        f"{len(cases)} cases by shim, {tampered} calls tampered with, {total.asked} answers, "
        f"{total.inline} inline with a warning, {total.kept.references():,} acknowledged",
        faults,
    )


def _by_limit(bench: Bench) -> Verdict:
    root = bench.fresh("fsize")
    patient = Patient(root / "store")
    limit = 10_000
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # SIGXFSZ is ignored here and stays so for the service: its writes fall short, then fail.
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        log = Path("/dev/null")
        service = Service(bench.program, root, keep_signals=True, log=log)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with service:
        patient.ask(service, "RLIMIT_FSIZE", *(f"l{n}x" for n in range(bench.pick(3, 20))))
    found = store.look(root / "store")
    patient.faults += found.torn + [f"{path.name} stays" for path in found.temporary]
    patient.faults += _read_back(bench, root, patient)
    if not patient.inline:
        patient.faults.append("no write fell short: nothing is proven")
    return Verdict(
        f"files limited to {limit:,} bytes, {patient.asked} answers, {patient.inline} inline "
        f"with a warning, {patient.kept.references()} acknowledged, {len(found.torn)} torn",
        patient.faults,
    )


def _by_death(bench: Bench) -> Verdict:
    """Folders that a dead process made, but did not sync, are synced by the next before it answers:
    strace shows what no journal of the whole file system hides."""
    if why := no_strace():
        return Verdict(f"by strace: {why}", skipped=True)
    synced, want, faults = 0, 0, []
    for nth, depth in ((1, "a"), (2, "a/b"), (3, "a/b/store")):
        root = bench.fresh("death")
        patient, log = Patient(root / "a" / "b" / "store"), root.parent / f"death{nth}.log"
        with Service(bench.program, root) as service:
            service.warm()
            with Attached(service.pid, log, "fsync", f"inject=fsync:signal=KILL:when={nth}"):
                patient.kill(service, f"d{nth}x")
        if not (root / depth).is_dir():
            faults.append(f"the service did not die at fsync {nth}")
        with Service(bench.program, root) as service:
            service.warm()
            with Attached(service.pid, log, "fsync"):
                patient.ask(service, f"after death at fsync {nth}", f"d{nth}x")
        said = log.read_text(errors="replace")
        faults += patient.faults
        for folder in (root, root / "a", root / "a" / "b", root / "a" / "b" / "store"):
            want += 1
            # A call is cut in two lines where another thread says something in between.
            asked = f"<{folder}>)" in said or f"<{folder}> <unfinished" in said
            synced += asked
            if not asked:
                faults.append(f"{folder} was not synced after a death at fsync {nth}")
    return Verdict(f"3 deaths at a folder's fsync, {synced} of {want} synced by the next", faults)


def run(bench: Bench) -> Iterator[Verdict]:
    """strace, the shim, the limit, a death."""
    yield _by_strace(bench)
    yield _by_shim(bench)
    yield _by_limit(bench)
    yield _by_death(bench)
