"""The contract against the running service: open, behind a token, without the token."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from judge import Verdict, judge
from negative import FAULTS, unseen
from program import TOKEN, Program

CONTRACT = Path(__file__).resolve().parents[3] / "openapi.yaml"
# A busy service may say so; there is no other fault that it may have.
ALLOWED_FAULTS = {503}
# Probes ask for no token.
OPEN = ("--exclude-path", "/healthz", "--exclude-path", "/readyz")
Pass = Callable[[str, Path, list[str]], tuple[str, list[str]]]


def controls(binary: str, folder: Path, _: list[str]) -> tuple[str, list[str]]:
    """The judge sees what is wrong."""
    with Program(binary, folder) as program:
        missed = unseen(program, CONTRACT, folder)
    return f"{len(FAULTS) - len(missed)} of {len(FAULTS)} wrong contracts found", missed


def everything(binary: str, folder: Path, options: list[str]) -> tuple[str, list[str]]:
    """Every operation, with what the contract allows and what it does not."""
    with Program(binary, folder) as program:
        verdict = judge(program, CONTRACT, folder, *options)
        return _told(program, verdict)


def token(binary: str, folder: Path, options: list[str]) -> tuple[str, list[str]]:
    """The contract's examples, where a token is set."""
    with Program(binary, folder, token=True) as program:
        few = ("--phases", "examples")
        verdict = judge(program, CONTRACT, folder, *options, *few, token=TOKEN)
        return _told(program, verdict)


def stranger(binary: str, folder: Path, options: list[str]) -> tuple[str, list[str]]:
    """Another token: 401 and nothing else, and it is as the contract says."""
    with Program(binary, folder, token=True) as program:
        few = ("--phases", "coverage", *OPEN)
        verdict = judge(program, CONTRACT, folder, *options, *few, token="another")
        before = program.statuses(nowhere=False)
        figures, failures = _told(program, verdict)
    # Methods that a path has not are refused before anybody is asked who they are.
    others = set(before) - {401, 405}
    if others or not before[401]:
        failures.append(f"a stranger got {dict(before)}")
    return figures, failures


def _told(program: Program, verdict: Verdict) -> tuple[str, list[str]]:
    failures = list(verdict.failures)
    alive = program.process.poll() is None
    statuses = program.statuses() if alive else Counter()
    if not alive:
        failures.append(f"the service ended: {program.said()[-500:]}")
    faults = [status for status in statuses if status >= 500 and status not in ALLOWED_FAULTS]
    if faults or "panicked" in program.said():
        failures.append(f"faults of the service {faults}: {program.said()[-500:]}")
    answers = " ".join(f"{status}:{number}" for status, number in sorted(statuses.items()))
    figures = f"operations {verdict.operations}, cases {verdict.cases}, answers {answers}"
    return figures, failures


PASSES: dict[str, Pass] = {
    "controls": controls,
    "everything": everything,
    "token": token,
    "stranger": stranger,
}


def main() -> int:
    """The command line; exit status 1 where something is not as promised."""
    parser = argparse.ArgumentParser(prog="tests/ecosystem/contract/run", description=__doc__)
    parser.add_argument("program")
    parser.add_argument(
        "--examples", type=int, default=20, help="drawn by chance for each operation (default 20)"
    )
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    failed = 0
    for name, one in PASSES.items():
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=f"unburden-contract-{name}-") as folder:
            options = ["--seed", str(asked.seed), "--max-examples", str(asked.examples)]
            figures, failures = one(asked.program, Path(folder), options)
        word = "FAIL" if failures else "ok  "
        print(f"{word} {name}: {figures}, seconds {time.monotonic() - started:.0f}", flush=True)
        for failure in failures[:20]:
            print(f"       {failure}", flush=True)
        failed += bool(failures)
    print(f"{len(PASSES) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
