"""Harm by others to a store's folder: time that passes, files that somebody plants or changes."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from model_map import GONE, LIVES, File
from model_ops import MODEL, Clients
from model_texts import digest, is_rows, result
from model_world import World

# Longer than any file lives.
_OLD = 400 * 24 * 3_600
_SPARSE = 64 << 20
_WORD = "TAMPERED"


class Harms:
    """Each does its harm by itself, while no client is at work."""

    def __init__(self, world: World, clients: Clients) -> None:
        self.world, self.map, self.moment = world, world.map, world.moment
        self.clients, self.reads = clients, clients.reads

    def _living(self, *beginnings: str) -> list[File]:
        files = self.map.files.values()
        living = [file for file in files if file.state == LIVES and file.until is None]
        return [file for file in living if file.name.startswith(beginnings or "")]

    # Time.

    def one_expires(self) -> None:
        """The time of one file is over, and a sweep comes."""
        files = self._living()
        if not files:
            return
        file = self.moment.choice(files)
        path = self.map.folder / file.name
        os.utime(path, (time.time() - _OLD,) * 2)
        self._swept(f"{file.name} expires")
        self.map.expired(file)
        self._looked(file)

    def all_expire(self) -> None:
        """Every file has lived for longer than a store with short lifetimes keeps it."""
        self.world.wait_until(time.monotonic() + 1.2)
        self._swept("all expire", "1")
        # A result given out by itself lives as long as its first line says.
        for file in self.map.files.values():
            if file.state != GONE and not file.free:
                self.map.expired(file)
        for name in list(self.map.planted):
            if not (self.map.folder / name).exists():
                del self.map.planted[name]
        self._looked(*self.map.files.values())

    def brief_expire(self) -> None:
        """Results with a short life of their own have lived for it, and a sweep comes."""
        brief = [file for file in self.map.files.values() if file.until and file.state != GONE]
        if not brief:
            return
        self.world.wait_until(max(file.over for file in brief) + 1.0)
        self._swept("brief results expire")
        for file in brief:
            self.map.expired(file)
            file.until = None
        self._looked(*brief)

    def _swept(self, what: str, lifetime: str | None = None) -> None:
        env = {}
        if lifetime:
            env = {
                "UNBURDEN_STORE__TTL_SECONDS": lifetime,
                "UNBURDEN_PROMPT__OFFLOAD__TTL_SECONDS": lifetime,
            }
        answer = self.world.alone(what, "sweep", str(self.map.folder), env=env)
        if answer.status or answer.metadata["errors"]:
            self.world.say(f"{what}: {answer.status} {answer.metadata}")

    def _looked(self, *files: File) -> None:
        self.world.disk.look(set())
        for file in files[:6]:
            self.reads.file(file)
        self.world.tell()

    # Files that somebody plants.

    def plant(self) -> None:
        """A file lies where the next one of a chat would go: garbage, a huge hole, or the very
        content that a client is about to get."""
        n = self.moment.randrange(8)
        chat = self.moment.choice(("a_b", "chat_2", "_"))
        names = (
            f"tool_call_{n}.txt",
            f"tool_call_{n}.txt",
            f"compressed_group_{chat}_{n % 4}.json",
            f"lro-list_rows-0000000000{n:016X}.jsonl",
            f".unburden-snapshot-{n:032x}.json",
        )
        name = self.moment.choice(names)
        path = self.map.folder / name
        if name in self.map.names or path.exists() or not self.map.folder.is_dir():
            return
        self.world.counts["planted"] += 1
        roll = self.moment.random()
        if name.startswith("tool_call_") and roll < 0.3:
            labels = [f"common/{n}/{k}" for k in range(2) if not is_rows(f"common/{n}/{k}")]
            held = result(labels[0], f"common of {n}").encode() if labels else b"planted"
        elif roll < 0.5:
            held = b"sparse"
        else:
            held = f"planted {n}\n".encode() * 60
        if held == b"sparse":
            with path.open("wb") as file:
                file.truncate(_SPARSE)
        else:
            path.write_bytes(held)
        path.chmod(0o644)
        self.map.planted[name] = digest(held)
        self.world.trace.append(f"{name} is planted")

    # Files that somebody changes.

    def change(self) -> None:
        """A stored file holds something else for a while: no history gets that back, `verify`
        names it, and with its content everything is there again."""
        files = self._living("tool_call_", "compressed_", "lro-")
        files = [file for file in files if file.name not in self.map.planted]
        if not files:
            return
        file = self.moment.choice(files)
        path = self.map.folder / file.name
        held, about = path.read_bytes(), path.stat()
        harm = self.moment.choice((_other, _edited, _edited, _cut, _emptied, _hole, Path.unlink))
        self.world.trace.append(f"{file.name} is {harm.__name__.strip('_')}")
        self.world.counts["changed"] += 1
        harm(path)
        self._verified(file.name)
        for receipt in [r for r in self.clients.receipts if file.name in r.needs][-3:]:
            self._not_put_back(receipt.messages)
        path.write_bytes(held)
        path.chmod(0o600)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        self.world.disk.look(set())
        self.reads.file(file)
        self.world.tell()

    def _not_put_back(self, messages: list) -> None:
        answer = self.reads.ask("/rehydrate", {"messages": messages})
        said = str(answer.json)
        if answer.status != 200 or _WORD[:6] in said or "\0" in said:
            self.world.say(f"a changed file came back: {answer.status} {said[:300]}")

    def _verified(self, changed: str | None = None) -> None:
        """`unburden verify` finds what was changed, and nothing else."""
        self.world.counts["operations"] += 1
        answer = self.world.call("verify", str(self.map.folder))
        said = answer.metadata
        named = {path.rsplit("/", 1)[1] for path in [*said["changed"], *said["missing"]]}
        # Names that a post which died had taken for files that it never wrote.
        unused = {name for name in named if name not in self.map.names}
        want = unused | {changed} - {None}
        if named != want or said["errors"] or bool(answer.status) != bool(want):
            self.world.say(f"verify: {answer.status}, {named} where {want} was changed; {said}")
        unlisted = {path.rsplit("/", 1)[1] for path in said["unlisted"]}
        if strange := unlisted - self.map.planted.keys():
            self.world.say(f"verify knows nothing of {strange}")

    def verify(self) -> None:
        """The store holds what was written."""
        if self.map.names:
            self.world.trace.append("verify")
            self._verified()
            self.world.tell()

    def snapshot_changed(self) -> None:
        """Somebody edits a snapshot that is kept for its next use: no answer has his words."""
        kept = sorted(self.map.folder.glob(".unburden-snapshot-*.json"))
        kept = [path for path in kept if path.name not in self.map.planted]
        if not kept:
            return
        path = self.moment.choice(kept)
        held, about = path.read_bytes(), path.stat()
        path.write_bytes(held.replace(b"task_state", b"task_state>" + _WORD.encode(), 1))
        self.world.trace.append(f"{path.name} is edited")
        self.world.counts["changed"] += 1
        for chat in self.clients.chats:
            body = {
                "messages": chat.originals,
                "store_dir": str(self.map.folder),
                "chat_id": chat.name,
                "model": MODEL,
                "context_manage_mode": "compress",
                "max_total_tokens": 200,
                "dry_run": True,
            }
            if chat.originals and _WORD in str(self.reads.ask("/context_offload", body).json):
                self.world.say(f"{chat.name} got the words of an edited snapshot")
        path.write_bytes(held)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        self.world.tell()


def _other(path: Path) -> None:
    held = path.read_text()
    path.write_text((_WORD * len(held.encode()))[: len(held.encode())])


def _edited(path: Path) -> None:
    """As long as it was, and still what its kind of file must be: JSON, messages, records."""
    held = path.read_text()
    path.write_text(held.replace("L1 of ", f"{_WORD[:6]}", 1) if "L1 of " in held else held + " ")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(_SPARSE)


HARMS: tuple[tuple[float, Callable[[Harms], None]], ...] = (
    (3, Harms.one_expires),
    (0.7, Harms.all_expire),
    (1.5, Harms.brief_expire),
    (4, Harms.plant),
    (3, Harms.change),
    (1, Harms.verify),
    (1, Harms.snapshot_changed),
)
