"""A store as it lies on the disk: every published name must hold what its name says."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import histories


@dataclass
class Found:
    """What a look at a store's folders found."""

    whole: int = 0
    torn: list[str] = field(default_factory=list)
    temporary: list[Path] = field(default_factory=list)


def _of_text(name: str, held: bytes) -> bool:
    return held == histories.text(name.removeprefix("tool_call_").removesuffix(".txt")).encode()


def _of_records(name: str, held: bytes) -> bool:
    call = name.split("-")[1]
    head, *lines = held.decode().split("\n")
    rows = [json.loads(row) for row in histories.rows(call)]
    whole = lines[-1:] == [""] and json.loads(head)["count"] == len(rows)
    # Records leave without the spaces between their tokens; numbers keep their spelling.
    spelled = [row.replace('": ', '":').replace(", ", ",") for row in histories.rows(call)]
    return whole and [json.loads(line) for line in lines[:-1]] == rows and lines[:-1] == spelled


def _of_group(name: str, held: bytes) -> bool:
    chat = name.removeprefix("compressed_group_").removesuffix(".json").rsplit("_", 1)[0]
    messages, all_of_it = json.loads(held), histories.history(chat)
    start = all_of_it.index(messages[0])
    return len(messages) > 1 and all_of_it[start : start + len(messages)] == messages


def _of_kept(_: str, held: bytes) -> bool:
    record = json.loads(held)["record"]
    return {"version", "key", "blocks"} <= record.keys()


_KINDS = (
    ("tool_call_", _of_text),
    ("lro-", _of_records),
    ("compressed_group_", _of_group),
    (".unburden-snapshot-", _of_kept),
)


def _torn(path: Path) -> str | None:
    """Why the file is not what its name says; None where it is."""
    held = path.read_bytes()
    for start, is_whole in _KINDS:
        if path.name.startswith(start):
            try:
                return None if is_whole(path.name, held) else f"other content, {len(held)} bytes"
            except (ValueError, KeyError, IndexError, AttributeError) as error:
                return f"{len(held)} bytes: {type(error).__name__} {error}"
    return "a name that the store does not give"


def look(*folders: Path, only: str = "") -> Found:
    """Compares every file that has `only` in its name with what was sent under it."""
    found = Found()
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if path.name.startswith(".unburden-") and path.name.endswith(".tmp"):
                found.temporary.append(path)
            elif path.name == ".unburden" or only not in path.name:
                continue
            elif why := _torn(path):
                found.torn.append(f"{path.name}: {why}")
            else:
                found.whole += 1
    return found
