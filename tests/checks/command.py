"""The command line of a folder of checks: runs those that are named, or all, and counts them."""

from __future__ import annotations

import argparse
import tempfile
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tally import Bench, Skipped, Tally, remove

Check = Callable[[Bench], None]
# Not under /tmp, which is a root of any service that was given none: its sweep would
# take what is planted here.
ASIDE = "/var/tmp"


def command(prog: str, about: str | None, checks: dict[str, Check], beside: int = 1) -> int:
    """Runs checks, `beside` of them at a time. The exit status: 1 where something is not as
    promised."""
    parser = argparse.ArgumentParser(prog=prog, description=about)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(checks))
    parser.add_argument("--full", action="store_true", help="the figures; takes long")
    asked = parser.parse_intermixed_args()
    unknown = [name for name in asked.names if name not in checks]
    if unknown:
        parser.error(f"no check {unknown[0]!r}; there are {', '.join(checks)}")
    passed = failed = skipped = 0
    with ThreadPoolExecutor(beside) as pool:
        names = asked.names or checks
        run = lambda name: _run(name, checks[name], asked.program, asked.full)
        for tally in pool.map(run, names):
            for line in tally.lines():
                print(line, flush=True)
            passed += tally.ran and not tally.failures
            failed += bool(tally.failures)
            skipped += len(tally.skips)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def _run(name: str, check: Check, program: str, full: bool) -> Tally:
    """One check, in a folder of its own."""
    tally = Tally(name)
    folder = tempfile.mkdtemp(prefix=f"unburden-{name}-", dir=ASIDE)
    started = time.monotonic()
    try:
        check(Bench(program, full, folder, tally))
    except Skipped as why:
        tally.skip(str(why))
        tally.ran = False
    except Exception as error:
        traceback.print_exc()
        tally.fail(f"the check itself ended: {type(error).__name__}: {str(error)[-300:]}")
    finally:
        remove(folder)
    tally.note("seconds", round(time.monotonic() - started, 1))
    return tally
