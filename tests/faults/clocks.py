"""The clock is wrong.

Promised: a file expires on time or late, never early, whatever the clock did: ahead or behind at
the start and put right later, set either way while the service runs, wrong only between two runs,
or gone on while the machine was suspended. What has lived for its time in real seconds, those of a
suspension among them, is deleted and says so (410). Injected: libfaketime, its moment read from a
file again for every call, so that it jumps while the service runs; for a suspension a namespace
whose steady clock is further on."""

import glob
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import store
from bench import Bench, Verdict, does
from receipts import Receipts, lost
from service import Service
from traffic import post

_LIBRARY = "libfaketimeMT.so.1"
_PLACES = ("/usr/lib/*/faketime", "/usr/lib/faketime", "/usr/lib64/faketime", "/usr/local/lib/*")
_LIFETIME = 3_600
_SHORT = 6
_SECOND = "1"
_ASLEEP = ("unshare", "--time", "--fork", "--kill-child", "--boottime")


def library() -> str | None:
    """Where libfaketime is; None where it is not."""
    found = [path for place in _PLACES for path in glob.glob(f"{place}/{_LIBRARY}")]
    return found[0] if found else None


def _no_library() -> str | None:
    return None if library() else "needs faketime"


NEEDS = (_no_library,)


class _Clock:
    """A clock that is set from outside."""

    def __init__(self, root: Path, lifetime: int = _LIFETIME) -> None:
        # In the root, since the service may confine itself to it.
        self._file = root / "moment"
        self.env = {
            "LD_PRELOAD": library() or "",
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            # The steady clock stays steady: no machine's jumps.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "UNBURDEN_STORE__SWEEP_SECONDS": _SECOND,
            "UNBURDEN_STORE__TTL_SECONDS": str(lifetime),
            "UNBURDEN_PROMPT__OFFLOAD__TTL_SECONDS": str(lifetime),
        }
        self.jump("+0")

    def jump(self, offset: str) -> None:
        """Sets the clock; the file is replaced whole, since it is read at any moment."""
        fresh = self._file.with_suffix(".new")
        fresh.write_text(f"{offset}\n")
        fresh.rename(self._file)


class _Case:
    """Services one after another on one store, whose clocks jump."""

    def __init__(self, bench: Bench, lifetime: int = _LIFETIME) -> None:
        self.bench, self.root = bench, bench.fresh("clocks")
        self.clock = _Clock(self.root, lifetime)
        self.folder = self.root / "store"
        self.kept = Receipts()
        self.faults: list[str] = []
        self.jumps = self.sweeps = 0
        self._posted = 0

    def start(self, asleep: int = 0) -> Service:
        """A service by the clock as it stands, on a machine that slept for so many seconds."""
        prefix = (*_ASLEEP, str(asleep), "--") if asleep else ()
        return Service(self.bench.program, self.root, env=self.clock.env, prefix=prefix)

    def fill(self, service: Service) -> None:
        """Something new that must live."""
        for _ in range(4):
            self._posted += 1
            name = f"j{self._posted}x"
            _, receipt = post(service, name, self.folder)
            if receipt:
                self.kept.add(receipt)
            else:
                self.faults.append(f"{name} stays inline")

    def jumps_to(self, service: Service, offset: str) -> None:
        """The clock jumps under a running service; two sweeps later all is still there."""
        self.jumps += 1
        self.clock.jump(offset)
        self.after_sweeps(service)
        self.all_there(service, f"jumped to {offset}")
        self.fill(service)
        self.after_sweeps(service)
        self.all_there(service, f"written at {offset}")

    def after_sweeps(self, service: Service) -> None:
        """Waits for two sweeps."""
        done = self.swept(service)
        end = time.monotonic() + 20
        while self.swept(service) < done + 2 and time.monotonic() < end:
            time.sleep(0.05)
        self.sweeps += self.swept(service) - done
        if self.swept(service) < done + 2:
            self.faults.append("no sweep came: nothing is proven")

    def swept(self, service: Service) -> int:
        """Sweeps so far."""
        return service.log.read_text(errors="replace").count('"message":"swept"')

    def all_there(self, service: Service, when: str) -> None:
        """Everything that was acknowledged reads back."""
        for receipt in self.kept.all:
            self.faults += [f"{when}: {fault}" for fault in lost(service, receipt)]

    def all_gone(self, service: Service, when: str) -> int:
        """Everything is over and says so."""
        gone = 0
        for receipt in self.kept.all:
            for path, _ in receipt.paths:
                answer = service.post("/read_file", {"absolute_path": path})
                gone += answer.status == 410
                if answer.status != 410:
                    self.faults.append(f"{when}: {path}: {answer.status}, not 410")
        return gone


def _is_faked(case: _Case, service: Service) -> bool:
    """True where the service lives by the clock that is set: its log says so."""
    case.clock.jump("+5y")
    service.post("/count_tokens", {"messages": []})
    last = service.log.read_text(errors="replace").splitlines()[-1]
    case.clock.jump("+0")
    return f'"timestamp":"{time.gmtime().tm_year}' not in last


def run(bench: Bench) -> Iterator[Verdict]:
    """Jumps under a running service, between two, clocks that are wrong at the start, and sleep:
    beside one another, since each waits for its sweeps."""
    probe = _Case(bench)
    with probe.start() as service:
        service.warm()
        if not _is_faked(probe, service):
            yield Verdict("needs a program that asks libc for the time", skipped=True)
            return
    starts = ("+2h", "+8h", "-8h")[: bench.pick(2, 3)]
    cases: list[Callable[[], Verdict]] = [lambda: _jumps(bench), lambda: _expires(bench)]
    cases += [lambda offset=offset: _wrong_at_start(bench, offset) for offset in starts]
    cases += [lambda: _suspended(bench), lambda: _slept(bench)]
    with ThreadPoolExecutor(len(cases)) as pool:
        yield from pool.map(lambda case: case(), cases)


def _jumps(bench: Bench) -> Verdict:
    case = _Case(bench)
    with case.start() as service:
        service.warm()
        case.fill(service)
        for offset in ("+10y", "-10y", "+0", "+2h", "-2h", "+0")[: bench.pick(2, 6)]:
            case.jumps_to(service, offset)
    for offset in ("-10y", "+10y", "+0")[: bench.pick(2, 3)]:
        _restart(case, offset)
    found = store.look(case.folder)
    return Verdict(
        f"{case.jumps} jumps under a running service or between two, {case.sweeps} sweeps, "
        f"{case.kept.references()} acknowledged, {len(case.faults)} missing early, "
        f"{found.whole} files left",
        case.faults,
    )


def _asleep(bench: Bench) -> "_Case | None":
    """A filled store whose machine can be put to sleep; None where it cannot."""
    if not does(*_ASLEEP, "1", "--", "true"):
        return None
    case = _Case(bench)
    with case.start() as service:
        service.warm()
        case.fill(service)
        case.after_sweeps(service)
    return case


def _suspended(bench: Bench) -> Verdict:
    """The machine sleeps between two services for half a lifetime, once with the wall clock set by
    years as well."""
    if not (case := _asleep(bench)):
        return Verdict("suspended: needs root and a namespace for time", skipped=True)
    for asleep, offset in ((_LIFETIME // 2, "+30m"), (_LIFETIME // 2, "+10y")):
        case.clock.jump(offset)
        with case.start(asleep) as service:
            case.after_sweeps(service)
            case.all_there(service, f"{asleep} s asleep, the clock at {offset}")
    case.clock.jump("+0")
    with case.start() as service:
        case.after_sweeps(service)
        case.all_there(service, "awake, the clock put right")
    return Verdict(
        f"asleep for half a lifetime, the clock right and set by years: "
        f"{case.kept.references()} acknowledged, {len(case.faults)} missing early",
        case.faults,
    )


def _slept(bench: Bench) -> Verdict:
    """The control of sleep: what slept beyond its lifetime goes, and says so."""
    if not (case := _asleep(bench)):
        return Verdict("suspended: needs root and a namespace for time", skipped=True)
    case.clock.jump("+2h")
    with case.start(2 * _LIFETIME) as service:
        case.after_sweeps(service)
        gone = case.all_gone(service, "after two lifetimes of sleep")
    return Verdict(f"asleep for two lifetimes: {gone} looked for and 410", case.faults)


def _restart(case: _Case, offset: str) -> None:
    """A service that starts with another clock deletes nothing that has time left."""
    case.jumps += 1
    case.clock.jump(offset)
    with case.start() as service:
        case.after_sweeps(service)
        case.all_there(service, f"started at {offset}")


def _wrong_at_start(bench: Bench, offset: str) -> Verdict:
    """The first clock that a store sees is wrong, and is put right."""
    case = _Case(bench)
    case.clock.jump(offset)
    with case.start() as service:
        service.warm()
        case.fill(service)
        case.after_sweeps(service)
        case.all_there(service, f"started at {offset}")
        case.jumps_to(service, "+0")
        case.jumps_to(service, offset)
    _restart(case, "+0")
    return Verdict(
        f"started at {offset}, then put right: {case.kept.references()} acknowledged, "
        f"{len(case.faults)} missing early",
        case.faults,
    )


def _expires(bench: Bench) -> Verdict:
    """The control: what has lived for its time in real seconds goes, and says so, although the
    clock was behind when it was written."""
    case = _Case(bench, _SHORT)
    case.clock.jump("-8h")
    with case.start() as service:
        service.warm()
        case.fill(service)
        case.after_sweeps(service)
        case.clock.jump("+0")
        case.after_sweeps(service)
        time.sleep(_SHORT)
        case.after_sweeps(service)
        gone = case.all_gone(service, "a lifetime later")
    return Verdict(
        f"written by a clock that was behind: {gone} looked for and 410 a lifetime later",
        case.faults,
    )
