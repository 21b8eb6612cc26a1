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
import readme
import refused
import speed
import sweeps
import turns
from command import Check, command
from servers import STORES, Store
from tally import Bench

# Most of their time, checks wait: for lifetimes, deadlines and stores that are slow.
_BESIDE = 4


@dataclass(frozen=True)
class _On:
    """A check, the stores of the short form, and those of the full one besides."""

    check: Callable[[Bench, Store], None]
    short: tuple[str, ...]
    full: tuple[str, ...] = ()


# The longest of the short form first: they are run beside the others.
_CHECKS = {
    "outages": _On(outages.check, ("stub",)),
    "ends": _On(ends.check, ("stub",), ("local", "seaweedfs")),
    "kill": _On(kill.check, ("stub",), ("local", "seaweedfs")),
    "grow": _On(grow.check, ("stub",), ("local", "seaweedfs")),
    "refused": _On(refused.check, ("stub",)),
    "sweeps": _On(sweeps.check, ("stub",), ("local", "seaweedfs")),
    "races": _On(races.check, ("stub",), ("local", "seaweedfs")),
    "planted": _On(planted.check, ("stub",)),
    "turns": _On(turns.check, ("stub",)),
    "readme": _On(readme.check, ("stub",), ("seaweedfs",)),
    "jumps": _On(jumps.check, ("stub",)),
    "protocol": _On(protocol.check, ("stub",), ("seaweedfs", "moto")),
    "speed": _On(speed.check, (), ("local", "stub", "seaweedfs")),
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
    # Figures, and what is named, are of a machine that does nothing else.
    return command("tests/replicas/run", __doc__, checks, _BESIDE if is_short else 1)


if __name__ == "__main__":
    sys.exit(main())
