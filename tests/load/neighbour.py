"""Parts of tests/hostile: its shapes, patterns, filters, fills and bombs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

HOSTILE = str(Path(__file__).parent.parent / "hostile")


def neighbour(name: str) -> ModuleType:
    """A module of the neighbour. Its folder stands last: where both have a name, it is ours."""
    if HOSTILE not in sys.path:
        sys.path.append(HOSTILE)
    return importlib.import_module(name)


def broken(bearer: str, most: int) -> Iterator[bytes]:
    """Requests of `bombs.py` that are no longer than `most`, each with a token and closing."""
    bombs, sent = neighbour("bombs"), []

    def send(_: str, *pieces: bytes, **__: Any) -> bytes:
        sent.append(b"".join(pieces) if sum(map(len, pieces)) <= most else b"")
        return b""

    # Takes the place of its trial: what it would send is kept.
    recorder = SimpleNamespace(send=send, tally=SimpleNamespace(hold=lambda *_: True))
    for part in ("_encoded", "_large", "_headers", "_ambiguous"):
        getattr(bombs, part)(recorder)
    host = b"\r\nhost: 127.0.0.1\r\n"
    more = host + b"connection: close\r\n" + bearer.encode()
    return (request.replace(host, more, 1) for request in sent if request)
