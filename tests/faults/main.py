"""Runs the faults, prints a line of counts each, and closes with how many passed."""

import argparse
import importlib
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from bench import Bench, Verdict

FAULTS = (
    "planted",
    "kill",
    "power",
    "calls",
    "full",
    "folders",
    "logs",
    "sweeps",
    "aborts",
    "clocks",
    "terms",
    "models",
    "model",
)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path, help="the built unburden program")
    parser.add_argument("--full", action="store_true", help="the figures, not the short form")
    parser.add_argument("--seed", type=int, default=7, help="where the random moments begin")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FAULTS))
    arguments = parser.parse_intermixed_args()
    if unknown := set(arguments.names) - set(FAULTS):
        accepted = ", ".join(FAULTS)
        parser.error(f"{', '.join(sorted(unknown))}: accepted are {accepted}")
    return arguments


def _run(name: str, bench: Bench) -> Iterator[Verdict]:
    fault = importlib.import_module(name)
    missing = [why for why in (need() for need in fault.NEEDS) if why]
    if missing:
        yield Verdict(", ".join(missing), skipped=True)
        return
    try:
        yield from fault.run(bench)
    except Exception:  # A fault that breaks its own test must not hide the others.
        yield Verdict("the test itself broke", [traceback.format_exc()[-600:]])


def main() -> int:
    """All faults, or those named."""
    arguments = _arguments()
    # A run that is stopped still takes its services, mounts and folders away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failures = []
    with tempfile.TemporaryDirectory(prefix="unburden-faults-") as folder:
        Path(folder).chmod(0o755)
        bench = Bench(arguments.program, Path(folder), arguments.full, arguments.seed)
        for name in arguments.names or FAULTS:
            start = time.monotonic()
            for verdict in _run(name, bench):
                word = "skipped" if verdict.skipped else "failed" if verdict.faults else "passed"
                counts[word] += 1
                print(verdict.show(name), flush=True)
                if word == "failed":
                    failures.append(verdict.show(name))
            print(f"  ({time.monotonic() - start:.1f} s)", file=sys.stderr, flush=True)
    # Again at the end: the end is what is kept of a long log.
    print(*failures, sep="\n", end="\n" if failures else "")
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
