"""Two processes and one name: a folder that is now real, now a link to the outside."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from doors import Http, history, offload
from server import Server
from tally import Bench
from tree import CANARY, INSIDE, Tree, changes, records

AT_FDCWD = -100
EXCHANGE = 2
FILE = "secret.txt"


def race(bench: Bench) -> None:
    """Readers and a writer through the service, and naive ones beside them."""
    tally = bench.tally
    tree = Tree(os.path.join(bench.folder, "world"))
    swapped, link = tree.root / "store/swap", tree.root / "store/swap_link"
    swapped.mkdir()
    for name in (FILE, "tool_call_9.txt"):
        (swapped / name).write_text(INSIDE)
    (swapped / "secret.jsonl").write_text(records(INSIDE))
    link.symlink_to(tree.outside)
    before = tree.snapshot()
    seconds = bench.pick(5, 60)
    environment = {"UNBURDEN_STORE__DURABILITY": "relaxed"}
    with (
        Server(
            bench.program, str(tree.root), cwd=str(tree.root), environment=environment
        ) as server,
        Swapper(str(swapped), str(link)) as swapper,
    ):
        _readers(bench, server, seconds)
        _writer(bench, server, seconds / 2)
        # A server that leaked into the outside must not be hidden by the naive writer.
        changed = changes(before, tree.snapshot())
        tally.hold(not changed, f"changed outside: {changed[:8]}")
        tally.note("files written outside", len(changed))
        _naive(bench, tree, seconds / 2)
        tally.note("swaps", swapper.count.value)
        tally.hold(server.alive(), "the server ended")
    tally.hold(swapper.count.value > 1000, f"only {swapper.count.value} swaps: no race")


class Swapper:
    """A process that exchanges two names without a pause."""

    def __init__(self, one: str, other: str) -> None:
        self.count: Synchronized[int] = multiprocessing.Value("q", 0)
        self.stop = multiprocessing.Event()
        arguments = (one.encode(), other.encode(), self.count, self.stop)
        self.process = multiprocessing.Process(target=_swap, args=arguments, daemon=True)

    def __enter__(self) -> Swapper:
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.process.join(timeout=10)
        if self.process.is_alive():
            self.process.kill()


def _swap(one: bytes, other: bytes, count: Synchronized[int], stop: multiprocessing.Event) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for _ in range(1_000_000):
        for _ in range(100):
            if libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, EXCHANGE) != 0:
                raise OSError(ctypes.get_errno(), "renameat2")
        count.value += 100
        if stop.is_set():
            return


READERS = 4
READS = (
    *[("/read_file", {"absolute_path": f"store/swap/{FILE}"})] * 8,
    ("/grep", {"pattern": "fox", "path": "store/swap"}),
    ("/grep", {"pattern": "fox", "path": f"store/swap/{FILE}"}),
    ("/grep", {"pattern": "fox", "path": "store", "glob": "*.txt"}),
    ("/lro_extract", {"file_path": "store/swap/secret.jsonl", "where": {"id": 1}}),
    ("/read_tool_result", {"result_id": f"store/swap/{FILE}"}),
    ("/read_tool_result", {"result_id": "tool_call_9", "store_dir": "store/swap"}),
)


def _readers(bench: Bench, server: Server, seconds: float) -> None:
    tally = bench.tally
    ends = time.monotonic() + seconds
    with ThreadPoolExecutor(READERS) as pool:
        rounds = list(pool.map(lambda _: _reader(bench, server, ends), range(READERS)))
    tries, found, leaked = (sum(column) for column in zip(*rounds, strict=True))
    tally.note("reads", tries)
    tally.note("found inside", found)
    tally.note("leaked", leaked)
    tally.hold(0 < found < tries, f"{found} of {tries} reads found the file: no race")


def _reader(bench: Bench, server: Server, ends: float) -> tuple[int, int, int]:
    """Reads until the time is over: tries, finds, leaks."""
    tally, line = bench.tally, Http(server)
    tries = found = leaked = 0
    while time.monotonic() < ends:
        for path, request in READS:
            status, text = line.post(path, request)
            tries += 1
            found += status == 200 and INSIDE in text
            if CANARY in text:
                leaked += 1
                tally.fail(f"{path} {json.dumps(request)} gave the canary: {text[:200]}")
            if status >= 500:
                tally.fail(f"{path} {json.dumps(request)}: {status} {text[:200]}")
    return tries, found, leaked


def _writer(bench: Bench, server: Server, seconds: float) -> None:
    tally, line = bench.tally, Http(server)
    ends = time.monotonic() + seconds
    tries = moved = 0
    while time.monotonic() < ends:
        tries += 1
        messages = history(f"call_w{tries}", "".join(f"{tries} {n}\n" for n in range(500)))
        status, text = line.post("/context_offload", offload("store/swap", messages))
        tally.hold(status == 200, f"/context_offload in the race: {status} {text[:300]}")
        moved += "is stored in" in text
    tally.note("writes", tries)
    tally.note("written inside", moved)
    tally.hold(moved > 0, "no write went through: no race")


def _naive(bench: Bench, tree: Tree, seconds: float) -> None:
    """Checks a path, then opens it, as the service must not."""
    path = tree.root / "store/swap" / FILE
    tries, leaks = _tries(seconds, lambda: CANARY in _checked(path, tree.root).read_text())
    bench.tally.note("check-then-open reads", tries)
    bench.tally.note("of these leaked", leaks)
    bench.tally.hold(leaks > 0, f"a naive reader leaks in none of {tries} tries: no race")

    made = iter(range(10**9))

    def write() -> bool:
        name = f"naive_{next(made)}"
        _checked(tree.root / "store/swap", tree.root).joinpath(name).write_text("x")
        return (tree.outside / name).exists()

    tries, leaks = _tries(seconds, write)
    bench.tally.note("check-then-open writes", tries)
    bench.tally.note("of these outside", leaks)
    bench.tally.hold(leaks > 0, f"a naive writer leaks in none of {tries} tries: no race")


def _checked(path: Path, root: Path) -> Path:
    real = os.path.realpath(path)
    if not real.startswith(str(root) + os.sep):
        raise PermissionError(real)
    return path


def _tries(seconds: float, leaks: Callable[[], bool]) -> tuple[int, int]:
    ends = time.monotonic() + seconds
    tries = leaked = 0
    while time.monotonic() < ends and tries < 10**7:
        tries += 1
        try:
            leaked += leaks()
        except OSError:
            continue
    return tries, leaked
