"""Runs the checks of replicas, each on the stores that it is for."""

import sys
from collections.abc import Callable
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

_CHECKS: dict[str, tuple[Callable[[Bench, Store], None], tuple[str, ...]]] = {
    "protocol": (protocol.check, ("stub", "seaweedfs", "moto")),
    "planted": (planted.check, ("stub",)),
    "grow": (grow.check, ("local", "stub", "seaweedfs", "moto")),
    "refused": (refused.check, ("stub",)),
    "turns": (turns.check, ("stub",)),
    "speed": (speed.check, ("local", "stub")),
    "kill": (kill.check, ("local", "stub", "seaweedfs")),
    "outages": (outages.check, ("stub",)),
    "sweeps": (sweeps.check, ("local", "stub", "seaweedfs")),
    "jumps": (jumps.check, ("stub",)),
    "ends": (ends.check, ("local", "stub", "seaweedfs")),
    "races": (races.check, ("local", "stub", "seaweedfs", "moto")),
}


def _on(check: Callable[[Bench, Store], None], store: str, bench: Bench) -> None:
    with STORES[store](Path(bench.folder)) as there:
        check(bench, there)


def main() -> int:
    """All checks, or those that are named."""
    checks: dict[str, Check] = {
        f"{name}@{store}": partial(_on, check, store)
        for name, (check, stores) in _CHECKS.items()
        for store in stores
    }
    return command("tests/replicas/run", __doc__, checks)


if __name__ == "__main__":
    sys.exit(main())
