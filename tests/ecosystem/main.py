"""Sends every history through the service in every setting and lets the libraries judge."""

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import histories
import negative
from histories import History, Skipped
from oracles import Oracles
from service import Service
from walk import Run, Walk

SHARED = Path(__file__).resolve().parents[3] / "shared"


def _idle_formats(runs: list[Run]) -> list[str]:
    """Formats in which a mode never changed anything: their oracles judged nothing there."""
    changed: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs:
        if run.history.known:
            changed[run.history.format].update(run.outcome.replace("_and_", " ").split())
    return [
        f"{name}: no run was {want}"
        for name, seen in sorted(changed.items())
        for want in ("compacted", "compressed")
        if want not in seen
    ]


def _print_table(runs: list[Run]) -> None:
    heads = ("format", "histories", "runs", "changed", "valid before", "valid after", "read back")
    rows = []
    for name in sorted({run.history.format for run in runs if not run.skipped}):
        own = [run for run in runs if run.history.format == name and not run.skipped]
        rows.append(
            (
                name,
                len({run.history.name for run in own}),
                len(own),
                sum(run.outcome not in ("", "unchanged") for run in own),
                sum(run.valid_before for run in own),
                sum(run.valid_after for run in own),
                sum(run.read_back for run in own),
            )
        )
    widths = [max(len(str(row[i])) for row in (heads, *rows)) for i in range(len(heads))]
    for row in (heads, *rows):
        cells = [str(c).rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)]
        print("  ".join([str(row[0]).ljust(widths[0]), *cells]))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=Path, help="the built unburden program")
    parser.add_argument("--only", metavar="FORMAT", help="histories of this format alone")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    oracles = Oracles(SHARED)
    controls, missed = negative.check(oracles)
    print(f"negative controls: {controls - len(missed)} of {controls} seen")
    for line in missed:
        print(f"MISSED {line}")
    if not (SHARED / "histories").is_dir():
        print("../shared is absent: only our own samples are judged")

    found = list(histories.every(SHARED))
    if arguments.only:
        found = [item for item in found if item.format == arguments.only]
    with tempfile.TemporaryDirectory(prefix="unburden-ecosystem-") as folder:
        root = Path(folder).resolve()
        service = Service(arguments.binary.resolve(), root)
        try:
            walk = Walk(service, oracles, root)
            with ThreadPoolExecutor(2) as pool:
                walked = pool.map(walk.history, [h for h in found if isinstance(h, History)])
                runs = [run for group in walked for run in group]
        finally:
            service.close()
    oracles.close()

    _print_table(runs)
    idle = _idle_formats(runs)
    for line in idle:
        print(f"FAIL {line}")
    failed = [run for run in runs if run.faults]
    for run in failed:
        for fault in run.faults:
            print(f"FAIL {run.history.name} | {run.setting} | {fault[:300]}")
    skips = Counter((i.name, i.why) for i in found if isinstance(i, Skipped))
    skips.update((run.history.name, run.skipped) for run in runs if run.skipped)
    for (name, why), count in skips.items():
        print(f"skipped {name} x{count}: {why}")

    passed = sum(not run.faults and not run.skipped for run in runs) + controls - len(missed)
    failures = len(failed) + len(missed) + len(idle)
    print(f"{passed} passed, {failures} failed, {sum(skips.values())} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
