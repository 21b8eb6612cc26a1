"""Summaries as a model writes them: are the true ones used, and the untrue lines gone?

    python3 tests/replies/main.py path/to/unburden [--misses] [--floor] [--only WORD]

`sets/` has for each history honest summaries (every line is true of the history), dishonest ones
(some lines are not; `index.toml` has their exact text and kind) and malformed ones. A scripted
endpoint plays the model: it gives the same summary to each call, while the history is posted with
`context_manage_mode` `compress`. Then the lines of the snapshot are compared with the summary's,
without list marks, citations, quotes and backticks. A bad line that was changed counts as mended;
an honest line that was changed, or that a quotation of its source replaces, counts as lost; its
names and numbers count as kept wherever the snapshot has them.

The sets have parts, each with a table. Word lists and rules were made with the first in view;
signs, weights and thresholds are fitted to the first seven, so that histories that were left out
are judged well. The fifth led to the checks of goals, contrasts and conditions, the seventh to
those of changed files, the ninth (Chinese, Japanese, Korean, Russian) to words of these languages
and to the names in orders of tools. The eighth and the held-out part are for judging alone:
nothing may be fitted to them.
With `--floor` the exit status is 1 below the shares of FLOORS. Needs only Python 3.11 and reads
../shared; without it only the histories of `histories/` are posted.

A new summary: a text in its set, and an entry in the set's `index.toml`. Write it from the
history alone, without a look at the checks.
"""

import argparse
import doctest
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "ecosystem"))
sys.path.insert(0, str(HERE))

import judge  # noqa: E402
import reply  # noqa: E402
from endpoint import Endpoint  # noqa: E402
from judge import Outcome  # noqa: E402
from reply import DISHONEST, HONEST, MALFORMED, Reply  # noqa: E402
from service import Service  # noqa: E402

ACCEPTED, KEPT, GONE = "honest, accepted at the first attempt", "honest lines kept", "bad replies"
NAMED = "names and numbers of honest lines kept"
FLOORS = {
    "first": {ACCEPTED: 0.95, KEPT: 0.65, NAMED: 0.82, GONE: 0.94},
    "second": {ACCEPTED: 0.95, KEPT: 0.62, NAMED: 0.85, GONE: 0.95},
    "third": {ACCEPTED: 0.90, KEPT: 0.30, NAMED: 0.65, GONE: 0.95},
    "fourth": {ACCEPTED: 0.90, KEPT: 0.54, NAMED: 0.80, GONE: 0.75},
    "fifth": {ACCEPTED: 0.90, KEPT: 0.55, NAMED: 0.75, GONE: 0.60},
    "sixth": {ACCEPTED: 0.90, KEPT: 0.36, NAMED: 0.70, GONE: 0.80},
    "seventh": {ACCEPTED: 0.90, KEPT: 0.49, NAMED: 0.75, GONE: 0.90},
    "eighth": {ACCEPTED: 0.90, KEPT: 0.40, NAMED: 0.75, GONE: 0.70},
    "ninth": {ACCEPTED: 0.90, KEPT: 0.55, NAMED: 0.80, GONE: 0.65},
    "held out": {ACCEPTED: 0.66, KEPT: 0.60, NAMED: 0.80, GONE: 0.50},
}


def run(program: Path, replies: list[Reply]) -> list[Outcome]:
    endpoint = Endpoint()
    settings = {
        "UNBURDEN_LLM__BASE_URL": endpoint.base_url,
        "UNBURDEN_LLM__API_KEY": "none",
        "UNBURDEN_LLM__MODEL": "scripted",
        # One group a history: no transcript is too long for this model.
        "UNBURDEN_LLM__CONTEXT_WINDOW": "1000000",
    }
    with tempfile.TemporaryDirectory(prefix="unburden-replies-") as folder:
        service = Service(program.resolve(), Path(folder), settings)
        try:
            return [judge.judge(service, endpoint, Path(folder), one) for one in replies]
        finally:
            service.close()
            endpoint.close()


def of(outcomes: list[Outcome], kind: str) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.reply.kind == kind]


def shares(outcomes: list[Outcome]) -> dict[str, tuple[int, int]]:
    honest, dishonest = of(outcomes, HONEST), of(outcomes, DISHONEST)
    lines = sum(len(outcome.reply.honest_lines) for outcome in honest)
    return {
        ACCEPTED: (sum(outcome.accepted_at_once for outcome in honest), len(honest)),
        KEPT: (sum(len(outcome.kept) for outcome in honest), lines),
        NAMED: (sum(sum(outcome.names) for outcome in honest), sum(len(o.names) for o in honest)),
        GONE: (sum(not outcome.left for outcome in dishonest), len(dishonest)),
    }


def table(outcomes: list[Outcome]) -> None:
    for name, (count, total) in shares(outcomes).items():
        what = f"{name}, all bad lines gone" if name == GONE else name
        print(f"{what:45} {count:4} of {total:4}  {count / max(total, 1):4.0%}")
    dishonest = of(outcomes, DISHONEST)
    lines = sum(len(outcome.reply.honest_lines) for outcome in dishonest)
    kept = sum(len(outcome.kept) for outcome in dishonest)
    used = sum(outcome.used for outcome in dishonest)
    print(f"{'bad replies used, mended or not':45} {used:4} of {len(dishonest):4}")
    print(f"{'honest lines of bad replies kept':45} {kept:4} of {lines:4}")
    total = Counter(bad.kind for outcome in dishonest for bad in outcome.reply.bad)
    left = Counter(bad.kind for outcome in dishonest for bad in outcome.left)
    print("\nbad lines gone, by kind")
    for kind, count in sorted(total.items()):
        print(f"  {kind:20} {count - left[kind]:3} of {count:3}")
    print(f"  {'all':20} {total.total() - left.total():3} of {total.total():3}")
    if of(outcomes, MALFORMED):
        print("\nmalformed replies")
    for outcome in of(outcomes, MALFORMED):
        kept_here, all_lines = len(outcome.kept), len(outcome.reply.honest_lines)
        said = f"{outcome.source}, {kept_here} of {all_lines} lines"
        print(f"  {outcome.reply.fault:24} {said}, calls {outcome.calls}")
    print()


def parts(outcomes: list[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """The outcomes of each part of the sets."""
    of_part = {name: [one for one in outcomes if one.reply.part == name] for name in FLOORS}
    return [(name, part) for name, part in of_part.items() if part]


def misses(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        lost = outcome.lost if outcome.reply.kind == HONEST else []
        refused = outcome.reply.kind == HONEST and not outcome.accepted_at_once
        if not (lost or refused or outcome.left):
            continue
        print(f"\n{outcome.reply.name}: {outcome.source}, calls {outcome.calls}")
        for text in judge.shown(outcome.rejected) if refused else []:
            print(f"  refused: {text}")
        for line in lost:
            print(f"  lost: {line}")
        for bad in outcome.left:
            print(f"  left, {bad.kind}: {bad.line}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--misses", action="store_true", help="show what was lost and what is left")
    parser.add_argument("--floor", action="store_true", help="exit 1 below the floors")
    parser.add_argument("--only", default="", help="replies with this word in SET/REPLY")
    arguments = parser.parse_args()
    if doctest.testmod(judge).failed or doctest.testmod(reply).failed:
        return 1
    start = time.monotonic()
    replies = reply.read_all(arguments.only)
    outcomes = run(arguments.program, replies)
    histories = len({one.name.split("/")[0] for one in replies})
    print(f"{len(replies)} replies over {histories} histories, {time.monotonic() - start:.0f} s\n")
    for title, part in parts(outcomes):
        print(f"== {title}: {len(part)} replies\n")
        table(part)
    if arguments.misses:
        misses(outcomes)
    below = [
        f"{title}: {name}"
        for title, part in parts(outcomes)
        for name, (count, total) in shares(part).items()
        if total and count < FLOORS[title][name] * total
    ]
    if arguments.floor and below:
        print(f"\nbelow the floor: {'; '.join(below)}")
    return int(arguments.floor and bool(below))


if __name__ == "__main__":
    sys.exit(main())
