"""Power cut.

Promised: what was acknowledged is on the disk: after the cut it reads back byte for byte, no
published name holds less than its bytes, and the folder takes the next results.
Injected: the service's root is an ext4 image on a loop device whose journal commits nothing by
itself; EXT4_IOC_SHUTDOWN without log flush at a random moment of traffic, which goes on for a
while against the dead disk; then kill, remount, read back.
Negative controls, each of which must lose something: fsync of files answered without being done,
fsync of folders likewise, and durability = "relaxed". There the cut comes right after an answer:
on ext4 the sync of any later file carries what is missing to the disk."""

import time
from collections.abc import Callable, Iterator

import store
from bench import Bench, Verdict, must, settled
from disks import Ext4, loop_devices
from receipts import Receipts, lost
from service import Service
from shim import Shim
from shim import need as no_shim
from traffic import Traffic

NEEDS = (loop_devices,)

_DEAD = 0.05


class _Cuts:
    """Cuts of one disk, in a row: amid the traffic of so many clients, or right after one answer
    where there are none."""

    def __init__(self, bench: Bench, what: str, clients: int, env: dict[str, str]) -> None:
        self.bench, self.clients, self.env = bench, clients, env
        folder = bench.fresh(what)
        self.disk, self.log = Ext4(folder), folder / "service.log"
        self.root = self.disk.at / "root"
        self.random = bench.random(what)
        self.kept = Receipts()
        self.cuts = 0
        self.lost: list[str] = []
        self.torn: list[str] = []
        self.bad: list[str] = []
        self._whole = 0

    def run(self, cuts: int, until: Callable[[], bool] = lambda: False) -> None:
        """Cuts again and again; a control ends once it has lost something."""
        self.disk.mount()
        self.root.mkdir()
        # The operator's folder was there long before.
        must("sync", "-f", str(self.disk.at))
        try:
            while self.cuts < cuts and not until():
                self._cut()
        finally:
            self.disk.unmount()

    def _cut(self) -> None:
        before, tag = len(self.kept.all), f"p{self.cuts}x"
        folder = self.root / f"s{self.cuts // 20}"
        with Service(self.bench.program, self.root, env=self.env, log=self.log) as service:
            service.warm()
            if self.clients:
                traffic = Traffic(service, folder, tag, self.kept, self.clients)
                settled(lambda: traffic.answered, 5, every=0.002)
                time.sleep(self.random.uniform(0, 0.3))
                self.disk.cut()
                time.sleep(_DEAD)
                service.kill()
                traffic.stop()
                self.bad += traffic.bad
            else:
                bad = Traffic.once(service, folder, f"{tag}c0n0", self.kept)
                self.bad += [bad] if bad else []
                self.disk.cut()
        self.disk.unmount()
        self.disk.mount()
        self._look(before, [folder], tag)
        self.cuts += 1

    def _look(self, before: int, folders: list, tag: str) -> None:
        new, old = self.kept.all[before:], self.kept.all[:before]
        with Service(self.bench.program, self.root, log=self.log) as service:
            for receipt in [*new, *self.random.sample(old, min(3, len(old)))]:
                self.lost += lost(service, receipt)
            if self.clients:  # The folder serves on.
                bad = Traffic.once(service, folders[0], f"{tag}again", self.kept)
                self.bad += [bad] if bad else []
        found = store.look(*folders, only=tag)
        self._whole += found.whole
        self.torn += found.torn

    def counts(self) -> str:
        """What was counted."""
        return (
            f"{self.cuts} cuts, {self.kept.references():,} acknowledged, {len(self.lost)} lost, "
            f"{len(self.torn)} torn of {self._whole + len(self.torn):,} files"
        )


def _real(bench: Bench) -> Verdict:
    cuts = _Cuts(bench, "power", 3, {})
    cuts.run(bench.pick(5, 100))
    faults = [*cuts.lost, *cuts.torn, *cuts.bad]
    if not cuts.kept.all:
        faults.append("nothing was ever acknowledged: nothing is proven")
    return Verdict(cuts.counts(), faults)


def _control(bench: Bench, what: str, kind: str) -> Verdict:
    cuts = _Cuts(bench, f"power-{kind}", 0, {})
    shim = None
    if kind == "relaxed":
        cuts.env = {"UNBURDEN_STORE__DURABILITY": "relaxed"}
    else:
        if why := no_shim():
            return Verdict(f"control {what}: {why}", skipped=True)
        shim = Shim(bench, cuts.disk.at, "fsync", kind, "skip")
        cuts.env = shim.env()
    # A machine that writes much flushes these files, too: the next cut is another try.
    cuts.run(40, until=lambda: bool(cuts.lost))
    if shim and not shim.tampered():
        return Verdict(f"control {what}: needs a program that links libc", skipped=True)
    faults = [] if cuts.lost else ["the control lost nothing: the cut proves nothing"]
    return Verdict(f"control {what} fails as it must: {cuts.counts()}", faults)


def run(bench: Bench) -> Iterator[Verdict]:
    """The cuts, and the three controls."""
    yield _real(bench)
    yield _control(bench, "without fsync of files", "file")
    yield _control(bench, "without fsync of folders", "folder")
    yield _control(bench, "with relaxed durability", "relaxed")
