"""Two tenants: whose folder is where, which token opens it, what their texts are known by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bodies import post

# Stand in the texts of a tenant, and in no path that another tenant knows: to repeat what was
# asked is no leak.
GOOD_MARK = "GOOD-5e1f70"
EVIL_MARK = "EVIL-9c2a41"
# Stands for a number that the next request has not; as long as what takes its place.
NUMBER = "@@EVIL_NO@@"


@dataclass(frozen=True)
class Home:
    """A tenant."""

    name: str
    token: str
    folder: Path

    def settings(self) -> dict[str, object]:
        """The part of it that the service is told."""
        section = f"tenants__{self.name}"
        return {f"{section}__token": self.token, f"{section}__roots": self.folder}

    @property
    def bearer(self) -> str:
        """The header that lets it in."""
        return f"Authorization: Bearer {self.token}\r\n"

    def post(self, route: str, body: bytes | dict[str, Any]) -> bytes:
        """A request of its own."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return post(route, sent, self.bearer)

    def bare(self, method: str, route: str) -> bytes:
        """One without a body."""
        head = f"{method} {route} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        return f"{head}{self.bearer}\r\n".encode()


def homes(folder: str) -> tuple[Home, Home]:
    """The good one and the evil one, each with a folder of its own."""
    made = []
    for name in ("first", "second"):
        place = Path(folder) / name
        place.mkdir()
        made.append(Home(name, f"{name}-0123456789abcdef", place))
    return made[0], made[1]
