"""A root with links out of it, and what must not be seen or touched beside it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path

CANARY = "CANARY-7f3a91d2-outside"
INSIDE = "inside the root, fox"
SEEN = "/workspace-of-nobody"
LRO_NAME = "lro-canary-0000000000CANARY00000000AB.jsonl"

LEGAL = {
    "store/plain.txt": INSIDE,
    "store/..name": INSIDE,
    "store/a..b.txt": INSIDE,
    "store/...": INSIDE,
    "store/....txt": INSIDE,
    "store/.hidden.txt": INSIDE,
    "store/trailing.": INSIDE,
    "store/with space.txt": INSIDE,
    "store/~tilde": INSIDE,
    "store/%2e%2e": INSIDE,
    "store/back\\slash.txt": INSIDE,
    "store/über-上.txt": INSIDE,
    "store/..dots/..inner..": INSIDE,
}


def records(word: str) -> str:
    """A file of records as the service writes them, with `word` in each."""
    header = {
        "type": "lro_header",
        "operation": "canary",
        "query": None,
        "count": 3,
        "schema_version": "1.0",
        "timestamp": "2020-01-01T00:00:00Z",
        "estimated_tokens": 30,
        "detail": "full",
        "profile": "general",
        "ttl_seconds": 1,
    }
    rows = [{"id": n, "text": word} for n in range(3)]
    return "".join(json.dumps(row) + "\n" for row in [header, *rows])


def _group(word: str) -> str:
    rows = [json.dumps({"role": "user", "content": f"{word} {n}"}) for n in range(3)]
    return "[\n" + ",\n".join(rows) + "\n]\n"


class Tree:
    """`base/root` is what a server is given; everything beside it is outside."""

    def __init__(self, base: str) -> None:
        self.base = Path(base)
        self.root = self.base / "root"
        self.outside = self.base / "outside"
        self._outside()
        self._inside()
        self._links()

    def _outside(self) -> None:
        for folder in ("outside/deep", "outside/rooted", "root-evil", "rootx"):
            (self.base / folder).mkdir(parents=True)
        plain = f"{CANARY} fox\n"
        for name in ("secret.txt", "deep/secret.txt", "tool_call_9.txt", "rooted/secret.txt"):
            (self.outside / name).write_text(plain)
        for folder in ("root-evil", "rootx"):
            (self.base / folder / "secret.txt").write_text(plain)
        (self.base / "secret.txt").write_text(plain)
        (self.outside / LRO_NAME).write_text(records(CANARY))
        (self.outside / "secret.jsonl").write_text(records(CANARY))
        (self.outside / "compressed_group_c_0.json").write_text(_group(CANARY))
        manifest = {"name": "tool_call_9.txt", "hash": "0" * 64, "bytes": len(plain)}
        (self.outside / ".unburden-files.jsonl").write_text(json.dumps(manifest) + "\n")
        for path in self.outside.rglob("*"):
            if path.is_file():
                # Old enough that any sweep that reached it would take it.
                os.utime(path, (1_500_000_000, 1_500_000_000))

    def _inside(self) -> None:
        for name, text in LEGAL.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.root / "store/records.jsonl").write_text(records(INSIDE))

    def _links(self) -> None:
        store = self.root / "store"
        (self.outside / "back").symlink_to(self.root)
        for name, to in self.links().items():
            (store / name).symlink_to(to)

    def links(self) -> dict[str, str]:
        """Links in the store: out, out and back, in circles."""
        outside = str(self.outside)
        return {
            "l_file_abs": f"{outside}/secret.txt",
            "l_file_rel": "../../outside/secret.txt",
            "l_dir_abs": outside,
            "l_dir_rel": "../../outside",
            "l_chain_1": "l_chain_2",
            "l_chain_2": "l_chain_3",
            "l_chain_3": outside,
            "l_up": "..",
            "l_up_up": "../..",
            "l_base": str(self.base),
            "l_rootfs": "/",
            "l_etc": "/etc",
            "l_proc_root": "/proc/self/root",
            "l_proc_cwd": "/proc/self/cwd/../outside",
            "l_proc_fd": "/proc/self/fd",
            "l_dev_fd": "/dev/fd",
            "l_environ": "/proc/self/environ",
            "l_loop": "l_loop",
            "l_self": ".",
            "l_in_abs": str(self.root / "store"),
            "l_in_rel": "../store",
            "l_back": f"{outside}/back",
            "l_back_rel": "../../outside/back/store",
            "l_lro": f"{outside}/{LRO_NAME}",
            "tool_call_9.txt": f"{outside}/tool_call_9.txt",
            "compressed_group_c_0.json": f"{outside}/compressed_group_c_0.json",
            LRO_NAME: f"{outside}/{LRO_NAME}",
        }

    def real(self, spelling: str) -> Path:
        """Where a spelling leads, read as the service says it reads: as text first."""
        full = os.path.join(self.root, spelling)
        full = os.path.normpath(full)
        full = "/" + full.lstrip("/")
        if full == SEEN or full.startswith(SEEN + "/"):
            full = str(self.root) + full[len(SEEN) :]
        return Path(os.path.realpath(full))

    def may_read(self, spelling: str) -> bool:
        """Whether there is something that lies inside the root."""
        try:
            real = self.real(spelling)
            return (real == self.root or self.root in real.parents) and real.exists()
        except (OSError, ValueError):
            return False

    def snapshot(self) -> dict[str, tuple[int, int, int, str]]:
        """Everything beside the root: kind, time, links, content."""
        seen = {}
        for folder, names, files in os.walk(self.base):
            if Path(folder) == self.base:
                names[:] = [n for n in names if n != "root"]
                files = [f for f in files if not f.startswith("server-")]
            for name in [*names, *files]:
                path = os.path.join(folder, name)
                seen[os.path.relpath(path, self.base)] = _state(path)
        return seen


def _state(path: str) -> tuple[int, int, int, str]:
    state = os.lstat(path)
    if stat.S_ISREG(state.st_mode):
        content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    else:
        content = os.readlink(path) if stat.S_ISLNK(state.st_mode) else ""
    return state.st_mode, state.st_mtime_ns, state.st_nlink, content


def changes(
    before: dict[str, tuple[int, int, int, str]], after: dict[str, tuple[int, int, int, str]]
) -> list[str]:
    """What is not as it was."""
    return sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
