"""Runs the checks that are named, or all, and counts them."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Callable

from bombs import bombs
from confinement import confinement
from fills import fills
from filters import filters
from forged import forged
from memory import memory
from race import race
from regexes import regexes
from special import special
from tally import Bench, Tally, remove

ASIDE = "/var/tmp"

CHECKS: dict[str, Callable[[Bench], None]] = {
    "confinement": confinement,
    "race": race,
    "special": special,
    "regexes": regexes,
    "filters": filters,
    "memory": memory,
    "fills": fills,
    "bombs": bombs,
    "forged": forged,
}


def run(name: str, program: str, full: bool) -> Tally:
    """One check, in a folder of its own."""
    tally = Tally(name)
    # Not under /tmp, which is a root of any service that was given none: its sweep would
    # take what is planted here.
    folder = tempfile.mkdtemp(prefix=f"hostile-{name}-", dir=ASIDE)
    started = time.monotonic()
    try:
        CHECKS[name](Bench(program, full, folder, tally))
    except Exception:
        tally.fail("the check itself ended: " + traceback.format_exc(limit=6))
    finally:
        remove(folder)
    tally.note("seconds", round(time.monotonic() - started, 1))
    return tally


def main() -> int:
    """The command line; exit status 1 where something is not as promised."""
    parser = argparse.ArgumentParser(prog="tests/hostile/run", description=__doc__)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CHECKS))
    parser.add_argument("--full", action="store_true", help="the figures; takes long")
    asked = parser.parse_intermixed_args()
    unknown = [name for name in asked.names if name not in CHECKS]
    if unknown:
        parser.error(f"no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
    passed = failed = skipped = 0
    for name in asked.names or CHECKS:
        tally = run(name, asked.program, asked.full)
        for line in tally.lines():
            print(line, flush=True)
        passed += not tally.failures
        failed += bool(tally.failures)
        skipped += len(tally.skips)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
