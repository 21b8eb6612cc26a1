"""Spellings of paths: nothing outside the root is read, written or told apart from nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from doors import Door, Said, Stdio, on_the_command_line, over_http, over_mcp
from server import Server
from spellings import corpus
from tally import Bench, remove
from tree import CANARY, INSIDE, LEGAL, SEEN, Tree, changes

SECRETS = (CANARY, "root:x:0:0", "BEGIN OPENSSH")
MISSING = re.compile(
    r'^(error: |unburden: )?(no stored result )?".*" was not found; accepted is .*$',
    re.DOTALL,
)
NO_PATH = re.compile(r"is not a usable path: ")
NO_FIELD = re.compile(r"missing|is absent|was found; accepted|is required", re.IGNORECASE)
Answers = dict[tuple[str, str], Said]


def confinement(bench: Bench) -> None:
    """Every spelling at every door; then again in a world without the outside."""
    tally = bench.tally
    base = os.path.join(bench.folder, "world")
    there = _world(bench, base, without=False)
    gone = _world(bench, base, without=True)
    for key in there.keys() & gone.keys():
        tally.add("compared with a world without an outside")
        same = there[key].plain() == gone[key].plain()
        tally.hold(same, f"{key}: {there[key]} where it is, {gone[key]} where it is not")
    _teeth(bench, base)


def _world(bench: Bench, base: str, without: bool) -> Answers:
    remove(base)
    tree = Tree(base)
    spellings = corpus(tree)
    if without:
        remove(str(tree.outside))
        (tree.base / "secret.txt").unlink()
    else:
        bench.tally.note("spellings", len(spellings))
    answers: Answers = {}
    with _open(bench, tree) as doors:
        # What a writer makes changes what a reader finds: both worlds read first.
        for door in sorted(doors, key=lambda door: door.writes):
            if without and door.writes and not bench.full:
                continue
            before = tree.snapshot()
            _through(bench, tree, door, spellings[:: _every(bench, door)], answers)
            changed = changes(before, tree.snapshot())
            bench.tally.hold(not changed, f"{door.name}: changed outside: {changed[:5]}")
    bench.tally.hold(not Path(SEEN).exists(), f"{SEEN} was made")
    if not without:
        _legal(bench, tree)
    return answers


def _every(bench: Bench, door: Door) -> int:
    """Which part of the corpus goes through a door in the short form."""
    if bench.full:
        return 1
    return {"http": 4 if door.reads else 10, "mcp": 16, "stdio": 16, "cli": 140}[
        door.name.split()[0]
    ]


@contextmanager
def _open(bench: Bench, tree: Tree) -> Iterator[list[Door]]:
    """All doors to one root."""
    root = str(tree.root)
    mapped = f"{SEEN}={root}"
    environment = {"UNBURDEN_STORE__DURABILITY": "relaxed", "UNBURDEN_STORE__SWEEP_SECONDS": "1"}
    with Server(
        bench.program, mapped, cwd=root, environment=environment, log_in=str(tree.base)
    ) as server:
        stdio = Stdio(bench.program, root, "--root", mapped)
        command_line = on_the_command_line(bench.program, root, "--root", mapped)
        try:
            yield [*over_http(server), *over_mcp(server), *stdio.doors(), *command_line]
        finally:
            stdio.stop()
        bench.tally.hold(server.alive(), "the server ended")
        bench.tally.hold("panic" not in server.said(), f"a panic: {server.said()[-500:]}")


def _through(bench: Bench, tree: Tree, door: Door, spellings: list[str], answers: Answers) -> None:
    for spelling in spellings:
        said = door.ask(spelling)
        answers[door.name, spelling] = said
        bench.tally.add("requests")
        wrong = _wrong(tree, door, spelling, said)
        if wrong:
            bench.tally.fail(
                f"{door.name} {spelling[:90]!r}: {wrong}: {said.status} "
                f"{said.code} {said.text[:200]!r}"
            )


def _wrong(tree: Tree, door: Door, spelling: str, said: Said) -> str | None:
    """What is wrong with an answer, if anything is."""
    leaked = next((word for word in SECRETS if word in said.text), None)
    if leaked and leaked not in spelling:
        return f"{leaked!r} came back"
    if said.status >= 500:
        return "a failure of the service"
    if not door.reads:
        return None
    if said.status == 200 and not MISSING.match(said.text):
        return None if tree.may_read(spelling) else "an answer about what is not inside"
    if tree.may_read(spelling) or said.code in ("system", "path_invalid"):
        return None
    odd = spelling == "" or len(spelling.encode()) > 4096
    if odd or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in spelling):
        return None if NO_PATH.search(said.text) else "not refused for its form"
    return None if MISSING.match(said.text) else "not the answer of a missing file"


def _legal(bench: Bench, tree: Tree) -> None:
    """Names that only look like a way out stay names."""
    root = str(tree.root)
    with Server(bench.program, root, cwd=root, log_in=str(tree.base)) as server:
        for name in LEGAL:
            for spelling in (name, f"{root}/{name}", f"store/../{name}"):
                said = server.post("/read_file", {"absolute_path": spelling})
                bench.tally.add("legal names read")
                text = said.json["answer"]
                bench.tally.hold(said.status == 200 and INSIDE in text, f"legal {spelling!r}")
                found = server.post("/grep", {"pattern": "fox", "path": spelling})
                matches = found.json["metadata"].get("matches") or []
                bench.tally.hold(len(matches) == 1, f"grep in legal {spelling!r}: {found.json}")


def _teeth(bench: Bench, base: str) -> None:
    """How many spellings lead out where a reader is naive: the corpus must bite."""
    remove(base)
    tree = Tree(base)
    prefix = str(tree.root)

    def trusting(spelling: str) -> str:
        return os.path.join(prefix, spelling)

    def comparing(spelling: str) -> str | None:
        full = os.path.normpath(os.path.join(prefix, spelling))
        return full if full.startswith(prefix) else None

    readers: dict[str, Callable[[str], str | None]] = {
        "trusting": trusting,
        "comparing strings": comparing,
    }
    for name, reader in readers.items():
        leaks = sum(_leaks(reader(spelling)) for spelling in corpus(tree))
        bench.tally.note(f"leaks of a reader {name}", leaks)
        bench.tally.hold(leaks > 20, f"the corpus does not harm a reader {name}: {leaks}")


def _leaks(path: str | None) -> bool:
    try:
        return bool(path) and os.path.isfile(path) and CANARY.encode() in Path(path).read_bytes()
    except (OSError, ValueError):
        return False
