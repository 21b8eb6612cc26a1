"""A store's folder as it lies on the disk, held against the map while nobody is at work."""

import json
import os
import time
from pathlib import Path

from model_map import GONE, LIVES, Map
from model_texts import MARK, digest

# Larger ones are sparse files that the test has planted.
_MOST = 4 << 20
_TMP = ".tmp"


class Disk:
    """Reads what changed since it looked the last time."""

    def __init__(self, known: Map) -> None:
        self.map, self.folder = known, known.folder
        self._seen: dict[Path, tuple[tuple[int, ...], str, set[bytes]]] = {}
        self.whole = self.left = 0

    def look(self, asked: set[str]) -> None:
        """Compares everything; `asked` are the chats whose posts were not answered."""
        there, words = set(), set()
        self.whole = self.left = 0
        for path in self._files():
            try:
                held, of_chats = self._read(path)
            except FileNotFoundError:  # A service that starts sweeps.
                continue
            # Files that a dead process left half written stay for an hour.
            if path.name.endswith(_TMP):
                self.left += 1
                continue
            words |= of_chats
            if path.parent == self.folder:
                self._known(path, held, asked)
                there.add(path.name)
        self.map.settle(there)
        for name, file in self.map.files.items():
            over = file.is_over(time.monotonic() + 0.5)
            if file.state == LIVES and name not in there and not over:
                self._say(f"{name} of {sorted(file.sure)} is not there any more")
            if file.state == GONE and name in there and name not in self.map.planted:
                why = file.why or "taken away"
                self._say(f"{name} is there, though it was {why}; it was of {sorted(file.ever)}")
        for word in words & self.map.dead_words():
            paths = [path for path, seen in self._seen.items() if word in seen[2]]
            at = [str(path.relative_to(self.folder)) for path in paths]
            self._say(f"the word {word.decode()} of a deleted chat is in {at}")

    def temporary(self) -> list[Path]:
        """Files that dead processes left half written."""
        return [path for path in self._files() if path.name.endswith(_TMP)]

    def _say(self, fault: str) -> None:
        self.map.faults.append(f"on the disk: {fault}")

    def _files(self) -> list[Path]:
        found = []
        for folder, _, names in os.walk(self.folder):
            found += [Path(folder, name) for name in names]
        gone = self._seen.keys() - set(found)
        for path in gone:
            del self._seen[path]
        return sorted(found)

    def _read(self, path: Path) -> tuple[str, set[bytes]]:
        about = path.lstat()
        tells = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        known = self._seen.get(path)
        if known is None or known[0] != tells:
            held = b"sparse" if about.st_size > _MOST else path.read_bytes()
            known = self._seen[path] = (tells, digest(held), set(MARK.findall(held)))
        return known[1], known[2]

    def _known(self, path: Path, held: str, asked: set[str]) -> None:
        """One file in the store's folder: what its name says, or what was planted."""
        name = path.name
        if (planted := self.map.planted.get(name)) is not None:
            if planted != held:
                self._say(f"{name}, which somebody planted, was changed")
            return
        known = self.map.names.get(name)
        if known is None:
            content = path.read_bytes()
            if why := self._torn(name, content):
                self._say(f"{name}: {why}")
            if name.startswith("."):
                self.map.names[name] = held
                return
            file = self.map.file(name, content)
            file.maybe |= asked
            file.ever |= asked
            file.free = name.startswith("lro-") and "-0000000000" not in name
            if not asked and not file.free:
                self._say(f"{name} is there, and no answer named it")
        elif known != held:
            self._say(f"{name} holds another content than before")
        else:
            self.whole += 1

    def _torn(self, name: str, held: bytes) -> str | None:
        """Why the file is nothing that was ever sent."""
        try:
            if name.startswith("tool_call_"):
                return None if digest(held) in self.map.texts else "a text that nobody sent"
            if name.startswith("compressed_group_"):
                strange = [m for m in json.loads(held) if digest(m) not in self.map.messages]
                strange = [m for m in strange if m["role"] != "system"]
                return f"{len(strange)} messages that nobody sent" if strange else None
            if name.startswith("lro-"):
                head, *rows, end = held.decode().split("\n")
                same = not end and json.loads(head)["count"] == len(rows)
                return None if same and self.map.rows >= set(rows) else "records nobody sent"
            if name.startswith("compressed_files_"):
                return None if held.endswith(b"\n") or held else "an empty list"
            if name.startswith(".unburden-snapshot-"):
                return None if "blocks" in json.loads(held)["record"] else "no record"
        except (ValueError, KeyError, TypeError, UnicodeError) as error:
            return f"{len(held)} bytes: {type(error).__name__} {error}"
        return "a name that the store does not give"
