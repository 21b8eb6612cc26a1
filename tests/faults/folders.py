"""Folders that cannot be written: read-only, immutable, vanished.

Promised: as disk full, histories come back unchanged and results inline, with a warning; /readyz is
503 and says why, /healthz stays 200; it recovers by itself where the folder comes back.
Injected: the service runs as another user, since root ignores modes; chmod, chattr +i, a read-only
bind mount, rm -r of the store and of the root, while it runs."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import store
from bench import Bench, Verdict, does, must, root_alone, tool
from judge import Patient
from receipts import lost
from service import Service

NEEDS = (root_alone, lambda: tool("setpriv"))

_USER = 65_534
_AS_ANOTHER = ("setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups", "--")


@dataclass(frozen=True)
class _Harm:
    """What is done to a folder, and undone."""

    name: str
    do: Callable[[Path], object]
    undo: Callable[[Path], object]
    # Whether what was stored before can be read meanwhile, and after.
    keeps: bool = True
    needs: str | None = None
    # Where it strikes in the short form.
    short: str = "root"
    mounted: bool = False


def _owned(path: Path) -> None:
    path.mkdir(exist_ok=True)
    os.chown(path, _USER, _USER)


def _mounted(path: Path) -> None:
    must("mount", "-t", "tmpfs", "-o", f"mode=700,uid={_USER},gid={_USER}", "tmpfs", path)


_HARMS = (
    _Harm("read-only", lambda at: at.chmod(0o500), lambda at: at.chmod(0o700)),
    _Harm("closed", lambda at: at.chmod(0o000), lambda at: at.chmod(0o700), short="store"),
    _Harm(
        "immutable",
        lambda at: must("chattr", "+i", at),
        lambda at: must("chattr", "-i", at),
        needs="chattr",
        short="store",
    ),
    _Harm(
        "mounted read-only",
        lambda at: must("mount", "-o", "remount,ro", at),
        lambda at: must("mount", "-o", "remount,rw", at),
        mounted=True,
    ),
    _Harm("vanished", shutil.rmtree, _owned, keeps=False),
)


class _Case:
    """One harm to one folder."""

    def __init__(self, bench: Bench, harm: _Harm, what: str) -> None:
        self.bench, self.harm, self.what = bench, harm, f"{harm.name} {what}"
        folder = bench.fresh("folder")
        self.root = folder / "root"
        _owned(self.root)
        self.patient = Patient(self.root / "store")
        self.hurt = self.root if what == "root" else self.root / "store"
        if harm.mounted:
            _owned(self.hurt)
            _mounted(self.hurt)

    def run(self) -> list[str]:
        """Stored, hurt, asked, healed, asked again."""
        try:
            self._live()
        finally:
            if self.harm.mounted:
                does("umount", "-l", str(self.hurt))
        return self.patient.faults

    def _live(self) -> None:
        patient, harm = self.patient, self.harm
        log = self.root.parent / "service.log"
        start = {"prefix": _AS_ANOTHER, "log": log}
        with Service(self.bench.program, self.root, **start) as service:
            patient.ask(service, f"before {self.what}", "b")
            self._ready(service, 200)
            harm.do(self.hurt)
            try:
                self._hurt(service)
            finally:
                harm.undo(self.hurt)
            self._healed(service)
        if self.hurt == self.root and not harm.keeps:
            with Service(self.bench.program, self.root, **start) as service:
                self._again(service)

    def _hurt(self, service: Service) -> None:
        patient = self.patient
        # A store that vanished is made again: nothing stays inline then.
        made_again = not self.harm.keeps and self.hurt != self.root
        want = 0 if made_again else 3
        kept = list(patient.kept.all)
        if self.hurt == self.root:
            # A folder in it may still be written; a new one cannot be made.
            patient.folder = self.root / "new"
        if (inline := patient.ask(service, self.what, "d")) != want:
            patient.faults.append(f"{self.what}: {inline} of 3 inline, not {want}")
        self._ready(service, 503 if self.hurt == self.root else 200)
        if self.harm.keeps and self.harm.name != "closed":
            patient.faults += [fault for receipt in kept for fault in lost(service, receipt)]
        patient.folder = self.root / "store"
        found = store.look(patient.folder)
        patient.faults += found.torn + [f"{path.name} stays" for path in found.temporary]

    def _healed(self, service: Service) -> None:
        patient = self.patient
        if not self.harm.keeps:
            # What was deleted by hand is gone; the same history makes it again.
            patient.kept.all.clear()
            if self.hurt == self.root:
                # The service holds the folder that was deleted: it stays not ready.
                self._ready(service, 503)
                return
        self._again(service)

    def _again(self, service: Service) -> None:
        patient = self.patient
        self._ready(service, 200)
        if inline := patient.ask(service, f"after {self.what}", "b", "e"):
            patient.faults.append(f"after {self.what}: {inline} inline")
        for receipt in patient.kept.all:
            patient.faults += lost(service, receipt)

    def _ready(self, service: Service, want: int) -> None:
        """Healthy always, ready as expected, and never without a reason."""
        healthy, (ready, said) = service.get("/healthz")[0], service.get("/readyz")
        reasoned = ready == 200 or str(self.root) in said
        if (healthy, ready) != (200, want) or not reasoned:
            fault = f"{self.what}: /healthz {healthy}, /readyz {ready}, not {want}: {said}"
            self.patient.faults.append(fault)


def run(bench: Bench) -> Iterator[Verdict]:
    """Every harm to the root and to the store in it."""
    faults, asked, inline, kept, done, skipped = [], 0, 0, 0, 0, []
    for harm in _HARMS:
        if harm.needs and not does("which", harm.needs):
            skipped.append(f"{harm.name}: needs {harm.needs}")
            continue
        for what in ("root", "store") if bench.full or not harm.keeps else (harm.short,):
            case = _Case(bench, harm, what)
            faults += case.run()
            done, asked = done + 1, asked + case.patient.asked
            inline += case.patient.inline
            kept += case.patient.kept.references()
    if skipped:
        yield Verdict("; ".join(skipped), skipped=True)
    yield Verdict(
        f"{done} folders hurt as another user, {asked} answers, {inline} inline with a warning, "
        f"{kept} acknowledged",
        faults,
    )
