"""What does a model still know after an offload? Probes of real histories, without retrieval.

    python3 tests/probes/main.py path/to/unburden [--misses] [--growing] [--floor] [--only WORD]
    python3 tests/probes/main.py path/to/unburden --show HISTORY VARIANT
    python3 tests/probes/main.py path/to/unburden --chances

`questions/` has, for each history of ../shared, what an agent who goes on has to know: the goal,
the user's constraints, facts, files, errors and their fixes, decisions, pending work. The evidence
of an answer is `all` of its groups, `any` one of a group: words, or a regular expression behind
`re:`. A question is answered when its evidence stands in the messages or the system prompt that
the offload returned; what only a stored file has does not count. The questions were written from
the histories, not from snapshots; keep it so when you add one, and see with --chances that no
other history has its evidence. What does not stand in its history at all, or in too many messages
of it, is refused at the start.

Each history goes to /context_offload in the ways of variant.py, without a model. --growing: those
with the user's messages of many turns grow call by call, too. --show: the snapshot of one history.
--floor: the exit status is 1 if a variant answers less than VARIANTS wants, or if a growing
session loses what the user wants or changes the prefix too often. Without ../shared the histories
are skipped. Needs only Python 3.11.
"""

import argparse
import doctest
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "ecosystem")]

import growing  # noqa: E402
import history  # noqa: E402
import probe  # noqa: E402
import table  # noqa: E402
import truth  # noqa: E402
from probe import ProbeSet, answered, plain  # noqa: E402
from service import Service  # noqa: E402
from table import Asked  # noqa: E402
from variant import NEWEST, VARIANTS, Visible, newest, offload, settings  # noqa: E402

SNAPSHOT = re.compile(r"<state_snapshot>.*?</state_snapshot>[^\n]*(?:\n\(Original[^\n]*)?", re.S)


def read_all(word: str) -> list[ProbeSet]:
    """The sets whose histories are there, with this word in their name."""
    sets = []
    for path in sorted((HERE / "questions").glob("*.toml")):
        of = probe.read(path)
        if word not in of.name:
            continue
        if history.present(of.history):
            sets.append(of)
        else:
            skip(f"skipped: tests/probes, {of.name}: ../shared/{of.history} is absent")
    return sets


def skip(line: str) -> None:
    """Says it here, and among what tests/run lists at its end."""
    print(line)
    if listed := os.environ.get("SKIPPED_TESTS"):
        with open(listed, "a", encoding="utf-8") as skips:
            skips.write(line + "\n")


def left(service: Service, of: ProbeSet) -> dict[str, Visible]:
    """What each variant leaves of a history."""
    raw = history.load(of.history)
    visible = {}
    for variant in VARIANTS:
        folder = Path(variant.name, of.name)
        visible[variant.name] = offload(service, raw, folder, settings(service, raw, variant))
    visible[NEWEST] = newest(service, raw, visible["compress"].tokens)
    return visible


def measure(service: Service, sets: list[ProbeSet], misses: bool) -> bool:
    """Prints the tables; whether all variants answer what is wanted of them."""
    asked, sizes = [], {}
    with ThreadPoolExecutor(2) as pool:
        for of, visible in zip(sets, pool.map(lambda one: left(service, one), sets), strict=True):
            for variant, what in visible.items():
                text = plain(what.history.text())
                sizes[of.name, variant] = what.tokens
                asked += [Asked(of.name, variant, p, answered(p, text)) for p in of.probes]
    floors = {variant.name: variant.floor for variant in VARIANTS}
    tokens = {name: sum(sizes[of.name, name] for of in sets) for name in (*floors, NEWEST)}
    table.by_kind(asked, tokens, floors)
    table.by_history(asked, sizes)
    if misses:
        table.misses(asked)
    reached = {name: table.share(one for one in asked if one.variant == name) for name in floors}
    return all((reached[name] or 0) >= floor for name, floor in floors.items())


def grow(service: Service, sets: list[ProbeSet]) -> bool:
    """Prints the table of growing sessions; whether they are as they should be."""
    grows = [of for of in sets if of.grows]
    with ThreadPoolExecutor(2) as pool:
        sessions = list(pool.map(lambda of: growing.run(service, Path("growing"), of), grows))
    growing.table(sessions)
    return growing.enough(sessions)


def show(service: Service, of: ProbeSet, variant: str) -> None:
    visible = left(service, of)[variant]
    text = visible.history.text()
    print("\n\n".join(SNAPSHOT.findall(text)) or text)
    print(f"\n{visible.tokens:,} tokens visible", *visible.report.get("warnings", []), sep="\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="What is known after an offload?")
    parser.add_argument("program", type=Path)
    parser.add_argument("--misses", action="store_true", help="list what is not answered")
    parser.add_argument("--floor", action="store_true", help="fail below what is wanted")
    parser.add_argument("--growing", action="store_true", help="sessions that grow, too")
    parser.add_argument("--only", default="", help="histories with this word in their name")
    parser.add_argument("--show", nargs=2, metavar=("HISTORY", "VARIANT"), help="a snapshot")
    parser.add_argument("--chances", action="store_true", help="evidence in other histories")
    arguments = parser.parse_args()
    names = [*(variant.name for variant in VARIANTS), NEWEST]
    if arguments.show and arguments.show[1] not in names:
        parser.error(f"no variant {arguments.show[1]!r}; there are {', '.join(names)}")
    start = time.monotonic()
    if any(doctest.testmod(module).failed for module in (probe, history)):
        return 1
    sets = read_all(arguments.show[0] if arguments.show else arguments.only)
    if not sets:
        return 0
    if faults := [fault for of in sets for fault in truth.faults(of)]:
        print("the questions are at fault:", *faults, sep="\n  ")
        return 1
    if arguments.chances:
        print(*truth.chances(sets), sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="unburden-probes-") as folder:
        program = arguments.program.resolve()
        # Paths of files are part of what is visible: relative ones are the same in each run.
        os.chdir(folder)
        service = Service(program, Path(folder))
        try:
            if arguments.show:
                show(service, sets[0], arguments.show[1])
                return 0
            count = sum(len(of.probes) for of in sets)
            print(f"{count} questions about {len(sets)} histories\n")
            enough = measure(service, sets, arguments.misses)
            if arguments.growing:
                enough &= grow(service, sets)
        finally:
            service.close()
    print(f"\n{time.monotonic() - start:.0f} s")
    return int(arguments.floor and not enough)


if __name__ == "__main__":
    sys.exit(main())
