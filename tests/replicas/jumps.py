"""Replicas whose clocks are wrong, each in another way.

Promised: files expire by the store's clock. Whatever the clocks of replicas say, at their start or
because they jump, nothing is swept early, and what has lived for its time is swept."""

import time
from pathlib import Path

from agents import dice
from clocks import library
from fleet import Fleet
from ledger import Ledger, is_given_out
from servers import SEEN, Server, Store
from sweeps import LOCK, SWEPT
from tally import Bench, Skipped

_LIFETIME, _SHORT = "3600", "3"
_OFFSETS = ("+1000d", "-1000d", "+0")


def _clock(offset: str, disk: Path) -> None:
    """Sets a machine's clock; the file is replaced whole, since it is read at any moment."""
    fresh = disk / "moment.new"
    fresh.write_text(f"{offset}\n")
    fresh.rename(disk / "moment")


def _own(disk: Path) -> dict[str, str]:
    _clock(_OFFSETS[int(disk.name[-1]) % 3], disk)
    return {
        "LD_PRELOAD": library() or "",
        "FAKETIME_TIMESTAMP_FILE": str(disk / "moment"),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }


def _settings(lifetime: str) -> dict[str, str]:
    return {
        "UNBURDEN_STORE__SWEEP_SECONDS": "1",
        "UNBURDEN_STORE__TTL_SECONDS": lifetime,
        "UNBURDEN_PROMPT__OFFLOAD__TTL_SECONDS": lifetime,
    }


def _after_sweeps(fleet: Fleet, bench: Bench) -> None:
    before, end = fleet.logged(SWEPT), time.monotonic() + 30
    while fleet.logged(SWEPT) < before + 3 and time.monotonic() < end:
        time.sleep(0.1)
    swept = fleet.logged(SWEPT) - before
    bench.tally.add("sweeps", swept)
    bench.tally.hold(swept >= 3, "no sweep came: nothing is proven")


def check(bench: Bench, store: Store) -> None:
    """Wrong from the start, jumping while they run, and then a lifetime of seconds."""
    if not library():
        raise Skipped("needs faketime")
    tally = bench.tally
    with Fleet(bench, store, env=_settings(_LIFETIME), own=_own) as fleet:
        fleet.warm()
        ledger = Ledger(fleet, tally, str(SEEN / "clocks"))
        for jump in range(bench.pick(2, 30)):
            for number in range(6):
                ledger.post(f"j{jump}n{number}x", dice(f"j{jump}{number}"))
            for number in range(len(fleet.all)):
                offset = _OFFSETS[(jump + number) % len(_OFFSETS)]
                _clock(offset, Path(bench.folder) / f"disk{number}")
            tally.add("jumps")
            _after_sweeps(fleet, bench)
        tally.hold(not ledger.inline, f"posts stay inline: {ledger.why}")
        ledger.settle()
    if isinstance(store, Server):
        # A replica that was killed in its sweep keeps others from sweeping for two minutes.
        store.s3.delete(LOCK)
    with Fleet(bench, store, env=_settings(_SHORT), own=_own) as fleet:
        kept = [path for receipt in ledger.kept for path, _ in receipt.paths]
        # A result that was given out by itself lives as long as was said then.
        own = [path for path in kept if is_given_out(path)]

        def not_ended() -> list[str]:
            asked = {path: {"absolute_path": path, "byte_limit": 64} for path in kept}
            read = {path: fleet.all[0].post("/read_file", body) for path, body in asked.items()}
            return [
                f"{path}: {said.status}"
                for path, said in read.items()
                if said.status != (200 if path in own else 410)
            ]

        end = time.monotonic() + 30
        while (left := not_ended()) and time.monotonic() < end:
            time.sleep(1)
        ended = len(kept) - len(own) - len(left)
        tally.note("of a lifetime of their own", len(own))
        tally.note("expired by the store's clock", f"{ended} of {len(kept)}")
        tally.hold(not left, f"{len(left)} files live too long, or not long enough: {left[:3]}")
