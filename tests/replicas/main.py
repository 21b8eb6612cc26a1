"""Runs the checks of replicas, each on the stores that it is for."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import ends
import grow
import jumps
import kill
import outages
import planted
import protocol
import races
import refused
import speed
import sweeps
import turns
from command import Check, command
from servers import STORES, Store
from tally import Bench

@dataclass(frozen=True)
class _On:
    """A check, the stores of the short form, and those of the full one besides."""

    check: Callable[[Bench, Store], None]
    short: tuple[str, ...]
    full: tuple[str, ...] = ()


_CHECKS = {
    "protocol": _On(protocol.check, ("stub", "seaweedfs", "moto")),
    "planted": _On(planted.check, ("stub",)),
    "refused": _On(refused.check, ("stub",)),
    "turns": _On(turns.check, ("stub",)),
    "grow": _On(grow.check, ("seaweedfs",), ("local", "stub")),
    "kill": _On(kill.check, ("seaweedfs",), ("local", "stub")),
    "races": _On(races.check, ("stub",), ("local", "seaweedfs")),
    "outages": _On(outages.check, ("stub",)),
    "ends": _On(ends.check, ("stub",), ("local", "seaweedfs")),
    "sweeps": _On(sweeps.check, ("stub",), ("local", "seaweedfs")),
    "jumps": _On(jumps.check, ("stub",)),
    "speed": _On(speed.check, (), ("local", "stub")),
}


def _on(check: Callable[[Bench, Store], None], store: str, bench: Bench) -> None:
    with STORES[store](Path(bench.folder)) as there:
        check(bench, there)


def main() -> int:
    """The checks of the form that is asked for, or those that are named."""
    every = {
        f"{name}@{store}": partial(_on, on.check, store)
        for name, on in _CHECKS.items()
        for store in (*on.short, *on.full)
    }
    short = {f"{name}@{store}" for name, on in _CHECKS.items() for store in on.short}
    is_short = "--full" not in sys.argv and not any("@" in word for word in sys.argv[2:])
    checks: dict[str, Check] = {
        name: check for name, check in every.items() if name in short or not is_short
    }
    return command("tests/replicas/run", __doc__, checks)


if __name__ == "__main__":
    sys.exit(main())
