"""Runs the checks that are named, or all, and counts them."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable

from drain import drain
from heavy import heavy
from overload import overload
from slow import slow
from tally import Bench, Skipped, Tally

CHECKS: dict[str, Callable[[Bench], None]] = {
    "overload": overload,
    "heavy": heavy,
    "slow": slow,
    "drain": drain,
}


def run(name: str, program: str, full: bool) -> Tally:
    """One check, in a folder of its own."""
    tally = Tally(name)
    folder = tempfile.mkdtemp(prefix=f"unburden-load-{name}-")
    started = time.monotonic()
    try:
        CHECKS[name](Bench(program, full, folder, tally))
    except Skipped as why:
        tally.skipped = str(why)
    except Exception:
        tally.hold(False, "the check itself ended: " + traceback.format_exc(limit=6))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tally.note("seconds", round(time.monotonic() - started, 1))
    return tally


def main() -> int:
    """The command line; exit status 1 where something is not as promised."""
    parser = argparse.ArgumentParser(prog="tests/load/run", description=__doc__)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CHECKS))
    parser.add_argument("--full", action="store_true", help="the figures; takes minutes")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in CHECKS]
    if unknown:
        parser.error(f"no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
    passed = failed = skipped = 0
    for name in asked.names or CHECKS:
        tally = run(name, asked.program, asked.full)
        for line in tally.lines():
            print(line, flush=True)
        skipped += bool(tally.skipped)
        failed += bool(tally.failures)
        passed += not (tally.skipped or tally.failures)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
