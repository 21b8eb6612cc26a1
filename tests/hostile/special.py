"""Things that the service never wrote, planted where it would write or read: no regular files,
and files longer than any that it stores."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from doors import LOG, Said, forged_snapshot, history, large, offload, over_http, talk
from server import Server
from tally import Bench, remove

SOON = 10.0
# A hole costs its planter nothing; who reads it whole pays for every byte.
HOLE_MIB = 1024
HELD_MIB = 600
LOG_NAME = "tool_call_1.txt"
GROUP = "compressed_group_c_0.json"
NAMES = (LOG_NAME, GROUP, ".unburden", ".unburden-files.jsonl", "records.jsonl")
Plant = Callable[[Path], None]


def special(bench: Bench) -> None:
    """Each kind under each name, and every door after it."""
    for kind, plant in _kinds(bench).items():
        _planted(bench, kind, plant)
    _endless(bench)


def _kinds(bench: Bench) -> dict[str, Plant]:
    kinds: dict[str, Plant] = {
        "fifo": lambda path: os.mkfifo(path),
        "socket": _socket,
        "directory": lambda path: path.mkdir(),
        "link to itself": lambda path: path.symlink_to(path.name),
        "link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    }
    nodes = {
        "character device": (stat.S_IFCHR, os.makedev(1, 5)),
        "block device": (stat.S_IFBLK, os.makedev(7, 200)),
    }
    for kind, (mode, device) in nodes.items():
        try:
            os.mknod(Path(bench.folder) / kind, mode | 0o600, device)
        except OSError as error:
            bench.tally.skip(f"{kind}: {error}")
            continue

        def plant(path: Path, mode: int = mode, device: int = device) -> None:
            os.mknod(path, mode | 0o600, device)

        kinds[kind] = plant
    return kinds


def _socket(path: Path) -> None:
    """A socket's name is short; one that is bound elsewhere is moved here."""
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


def _planted(bench: Bench, kind: str, plant: Plant) -> None:
    root = Path(bench.folder) / "root"
    remove(str(root))
    (root / "store").mkdir(parents=True)
    (root / "store/plain.txt").write_text("fox\n")
    planted = [root / "store" / name for name in NAMES]
    for path in planted:
        plant(path)
    before = [_identity(path) for path in planted]
    environment = {"UNBURDEN_STORE__SWEEP_SECONDS": "1"}
    with Server(bench.program, str(root), cwd=str(root), environment=environment) as server:
        _search(bench, server, kind)
        for name in NAMES:
            _ask(bench, server, kind, name)
        _store(bench, server, kind)
        _commands(bench, str(root), kind)
        bench.tally.hold(server.alive(), f"{kind}: the server ended")
        bench.tally.hold("panic" not in server.said(), f"{kind}: a panic")
    same = before == [_identity(path) for path in planted]
    bench.tally.hold(same, f"{kind}: one was overwritten or removed")
    bench.tally.add("planted", len(NAMES))


def _identity(path: Path) -> tuple[int, int]:
    state = os.lstat(path)
    return state.st_mode, state.st_ino


def _soon(bench: Bench, what: str, ask: Callable[[], Said]) -> Said:
    started = time.monotonic()
    try:
        said = ask()
    except (TimeoutError, subprocess.TimeoutExpired):
        said = Said(599, None, "no answer")
    took = time.monotonic() - started
    bench.tally.add("requests")
    bench.tally.hold(took < SOON and said.status != 599, f"{what}: {took:.1f} s")
    return said


def _ask(bench: Bench, server: Server, kind: str, name: str) -> None:
    what = f"{kind} as {name}"
    for door in over_http(server):
        if not door.reads and not door.name.startswith("http read_tool_result"):
            continue
        spelling = "store" if door.name.endswith("store_dir") else f"store/{name}"
        said = _soon(bench, f"{what}: {door.name}", lambda d=door, s=spelling: d.ask(s))
        fine = said.status in (404, 422) or (kind == "directory" and said.status == 200)
        fine = fine or door.name.endswith("store_dir")
        bench.tally.hold(fine and said.status < 500, f"{what}: {door.name}: {said}")


def _search(bench: Bench, server: Server, what: str) -> None:
    """A search passes over it and finds the rest."""
    found = server.post("/grep", {"pattern": "fox", "path": "store"}, timeout=60)
    matches = found.json["metadata"].get("matches") or []
    bench.tally.add("requests")
    bench.tally.hold(len(matches) == 1, f"{what}: grep found {found.json}")


def _store(bench: Bench, server: Server, what: str) -> None:
    """What is stored goes elsewhere or stays in the history, and comes back whole."""
    posts = {
        "compact": offload("store", history("call_1")),
        "compress": offload("store", talk(), chat_id="c", context_manage_mode="compress"),
    }
    for mode, request in posts.items():
        answer = server.post("/context_offload", request, timeout=60)
        bench.tally.add("requests")
        took = f"{what}: {mode} took {answer.seconds:.1f} s"
        bench.tally.hold(answer.seconds < SOON, took)
        if not bench.tally.hold(answer.status == 200, f"{what}: {mode}: {answer.body[:300]!r}"):
            continue
        back = server.post("/rehydrate", {"messages": answer.json["messages"]}, timeout=60)
        bench.tally.add("requests")
        whole = back.json["messages"] == request["messages"]
        bench.tally.hold(whole, f"{what}: {mode} does not come back: {back.json['metadata']}")
        bench.tally.add("histories that came back")
    answer = server.post("/offload_result", large(output_dir="store"), timeout=60)
    bench.tally.hold(answer.status == 200, f"{what}: /offload_result: {answer.body[:300]!r}")


def _commands(bench: Bench, root: str, kind: str) -> None:
    flags = ("--root", root)
    commands = (
        ["verify", "--confined", *flags, "store"],
        ["sweep", *flags, "store"],
        ["read", "--confined", *flags, f"store/{LOG_NAME}"],
        ["extract", "--confined", *flags, "store/records.jsonl", "."],
    )
    for arguments in commands:

        def ask(arguments: list[str] = arguments) -> Said:
            done = subprocess.run(
                [bench.program, *arguments], cwd=root, capture_output=True, timeout=SOON
            )
            return Said(done.returncode, None, done.stderr.decode("utf-8", "replace"))

        said = _soon(bench, f"{kind}: {arguments[0]}", ask)
        bench.tally.hold("panic" not in said.text, f"{kind}: {arguments[0]}: {said}")


def _read_back(path: str) -> dict[str, object]:
    """A history in which the agent says that it read a file."""
    messages = history("call_2")
    function = {"name": "read_file", "arguments": json.dumps({"absolute_path": path})}
    messages[1]["tool_calls"][0]["function"] = function
    messages[2]["content"] = LOG
    return offload("store", messages)


def _endless(bench: Bench) -> None:
    """Files that are nearly all hole, under names that a history or a call may mention."""
    root = Path(bench.folder) / "root"
    remove(str(root))
    (root / "store").mkdir(parents=True)
    names = ("tool_call_1.txt", "compressed_group_c_0.json", "compressed_files_c_0.txt")
    for name in names:
        with open(root / "store" / name, "wb") as hole:
            hole.truncate(HOLE_MIB * 1024 * 1024)
    requests = {
        "/read_tool_result": [{"result_id": "tool_call_1"}, {"result_id": "./store/" + names[1]}],
        "/context_offload": [
            offload("store", history("call_1")),
            *[offload("store", forged_snapshot(f"store/{name}")) for name in names],
            _read_back(f"store/{names[0]}"),
        ],
        "/rehydrate": [{"messages": forged_snapshot(f"store/{name}")} for name in names],
        "/lro_extract": [{"file_path": f"store/{names[0]}", "query": "."}],
        "/read_file": [{"absolute_path": f"store/{names[0]}", "max_tokens": 100}],
        "/grep": [{"pattern": "fox", "path": "store"}],
    }
    for route, bodies in requests.items():
        for body in bodies:
            with Server(bench.program, str(root), cwd=str(root)) as server:
                what = f"a hole of {HOLE_MIB} MiB: {route} {json.dumps(body)[-70:]}"
                try:
                    status = server.ask("POST", route, json.dumps(body), whole=False).status
                except OSError as error:
                    status = 0
                    bench.tally.fail(f"{what}: {error}")
                peak = server.peak_mib()
                bench.tally.add("requests")
                bench.tally.hold(status < 500, f"{what}: {status}")
                bench.tally.hold(peak < HELD_MIB, f"{what}: {peak:.0f} MiB held")
                server.process.kill()
