"""The objects of the stub: what stands under each key, what stood there before, and the files
that survive the stub's death."""

import bisect
import hashlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True)
class Object:
    """An object as it was written."""

    body: bytes
    etag: str
    at: float


class Change(NamedTuple):
    """The content of a key before it was changed, and when that was."""

    before: Object | None
    at: float


class Page(NamedTuple):
    """A page of a listing; `after` begins the next one."""

    keys: list[tuple[str, Object]]
    prefixes: list[str]
    after: str | None


class Bucket:
    """A map of keys to objects. With a folder, every object is also a file in it, which is
    written before the request is answered."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._objects: dict[str, Object] = {}
        self._changes: dict[str, Change] = {}
        self._keys: list[str] = []
        self._number = 0
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            for path in folder.glob("*.object"):
                head, body = path.read_bytes().split(b"\n", 1)
                named = json.loads(head)
                self._objects[named["key"]] = Object(body, named["etag"], named["at"])
            self._keys = sorted(self._objects)

    def get(self, key: str, lag: float = 0.0) -> Object | None:
        """The object under a key, as it was `lag` seconds ago."""
        change = self._changes.get(key)
        if lag and change and time.time() - change.at < lag:
            return change.before
        return self._objects.get(key)

    def refusal(self, key: str, none_match: str | None, match: str | None) -> int | None:
        """The status for a conditional put whose condition does not hold."""
        held = self._objects.get(key)
        if none_match == "*" and held:
            return 412
        if match is not None and held is None:
            return 404
        if match is not None and held and held.etag != match.strip('"'):
            return 412
        return None

    def put(self, key: str, body: bytes) -> Object:
        """Writes an object, whatever stands there."""
        digest = hashlib.md5(body, usedforsecurity=False).hexdigest()
        # Servers that version their objects give another tag to the same bytes; with AWS it is
        # the hash of the content. The stub is as AWS.
        new = Object(body, digest, time.time())
        self._note(key)
        if key not in self._objects:
            bisect.insort(self._keys, key)
        self._objects[key] = new
        if self._folder:
            head = json.dumps({"key": key, "etag": new.etag, "at": new.at})
            self._number += 1
            part = self._folder / f"{self._number}.part"
            part.write_bytes(head.encode() + b"\n" + body)
            os.replace(part, self._path(key))
        return new

    def delete(self, key: str) -> None:
        """Deletes an object; no-op if it is not there."""
        if key not in self._objects:
            return
        self._note(key)
        del self._objects[key]
        del self._keys[bisect.bisect_left(self._keys, key)]
        if self._folder:
            self._path(key).unlink(missing_ok=True)

    def page(self, prefix: str, delimiter: str, after: str, most: int, lag: float = 0.0) -> Page:
        """Keys that begin with the prefix and come after `after`; those that have the delimiter
        further on count as one, their common prefix."""
        keys: list[tuple[str, Object]] = []
        prefixes: list[str] = []
        last = after
        for key in self._listed(prefix, after, lag):
            rest = key[len(prefix) :]
            is_below = bool(delimiter) and delimiter in rest
            common = prefix + rest.split(delimiter, 1)[0] + delimiter if is_below else ""
            if is_below and (prefixes[-1:] == [common] or after.startswith(common)):
                last = key
                continue
            if len(keys) + len(prefixes) == most:
                return Page(keys, prefixes, last)
            last = key
            held = self.get(key, lag)
            if is_below:
                prefixes.append(common)
            elif held:
                keys.append((key, held))
        return Page(keys, prefixes, None)

    def _listed(self, prefix: str, after: str, lag: float) -> list[str]:
        first = max(bisect.bisect_left(self._keys, prefix), bisect.bisect_right(self._keys, after))
        keys = []
        for key in self._keys[first:]:
            if not key.startswith(prefix):
                break
            keys.append(key)
        if lag:
            gone = [key for key in self._changes if key.startswith(prefix) and key > after]
            keys = sorted(key for key in {*keys, *gone} if self.get(key, lag))
        return keys

    def _note(self, key: str) -> None:
        self._changes[key] = Change(self._objects.get(key), time.time())

    def _path(self, key: str) -> Path:
        assert self._folder
        digest = hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest()
        return self._folder / f"{digest}.object"
