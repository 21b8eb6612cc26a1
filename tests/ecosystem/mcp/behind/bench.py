"""What all checks of the proxy share: the command of a proxy, and what a descriptor must be."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from client import Answered, Client, Result, Sdk
from score import Score
from tokens import Counter
from upstreams import Servers

ADDED = {"read_file", "grep", "lro_extract", "read_tool_result"}
# What a model pays for a descriptor, at most.
DESCRIPTOR = 2_000


class Bench:
    """What all checks of the proxy share."""

    def __init__(
        self, score: Score, count: Counter, binary: Path, home: Path, root: Path, sdks: list[Sdk]
    ) -> None:
        self.score, self.count, self.binary, self.sdks = score, count, str(binary), sdks
        self.servers = Servers(home)
        self.root = root
        root.mkdir(exist_ok=True)
        self.files = root / "files"
        self.output = root / "materialised"
        self.output.mkdir()

    def proxy(
        self, *options: str, url: str | None = None, command: list[str] | None = None
    ) -> list[str]:
        """The command of a proxy in front of a server."""
        upstream = ["--url", url] if url else ["--", *(command or [])]
        own = ["--root", str(self.root), "--output-dir", str(self.output)]
        return [self.binary, "proxy", *own, *options, *upstream]

    @contextmanager
    def client(
        self, sdk: Sdk, target: dict[str, Any], generation: str | None = None
    ) -> Iterator[Client]:
        client = Client(sdk, target, generation or sdk.generations[-1])
        try:
            client.tools()
            yield client
        finally:
            client.close()

    def check(self, label: str, check: Callable[..., None], *arguments: Any) -> None:
        with self.score.check(f"proxy, {label}: {check.__name__.strip('_').replace('_', ' ')}"):
            check(*arguments)


def spelled(text: str) -> Any:
    """JSON with every number as it is spelled, so 1.10 is not 1.1."""
    return json.loads(text, parse_float=lambda n: ("number", n), parse_int=lambda n: ("number", n))


def stored_path(bench: Bench, text: str) -> Path:
    """The file that a descriptor names; it must lie in the output folder."""
    paths = set(
        re.findall(re.escape(str(bench.output)) + r'/[^\s"\\\'`]+\.(?:jsonl|txt|json|md)', text)
    )
    assert len(paths) == 1, f"{paths} in {text[:600]}"
    return Path(paths.pop())


def stored_text(file: Path) -> str:
    """The text that became a file of text."""
    assert file.suffix == ".txt", file
    return file.read_bytes().decode()


def described(bench: Bench, result: Result, original: str) -> Path:
    """A result became a descriptor of few tokens; the file."""
    assert not result.failed
    tokens = bench.count(result.text)
    assert tokens < DESCRIPTOR and len(result.text) < len(original) / 4, f"{tokens} tokens"
    # Servers say the same twice; nothing large may stay in the second place.
    if "structuredContent" in result.raw:
        # JavaScript has no integers of twenty digits.
        data = json.loads(json.dumps(result.data), parse_int=float)
        if data.get("preview"):
            assert data["preview"] == result.text
        else:
            assert data == json.loads(result.text, parse_int=float)
    return stored_path(bench, result.text)


def outcome(client: Client, tool: str, arguments: dict[str, Any]) -> Any:
    try:
        return client.call(tool, **arguments).raw
    except Answered as error:
        return error.code, str(error)


def the_list_has_ours_in_it(_: Bench, plain: Client, through: Client) -> None:
    assert set(through.listed) == set(plain.listed) | ADDED, set(through.listed) ^ set(plain.listed)
