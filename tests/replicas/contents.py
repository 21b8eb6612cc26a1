"""The contents of a store as they lie in a bucket: each must hold what its name says."""

import json

import histories
import receipts
from s3 import S3

_FILES = "/.unburden/files/"


def name_of(key: str) -> str | None:
    """The file's name, without the day and the life; None for what is no content.

    >>> name_of("x/.unburden/files/20782/tool_call_1.txt!2")
    'tool_call_1.txt'
    """
    return key.rsplit("/", 1)[1].split("!")[0] if _FILES in key else None


def _torn(name: str, held: bytes) -> str | None:
    if name.startswith("tool_call_"):
        call = name.removeprefix("tool_call_").removesuffix(".txt")
        return None if held == histories.text(call).encode() else f"{len(held)} bytes differ"
    if name.startswith("lro-"):
        return receipts.wrong(name, name.split("-")[1], held)
    # A group, or a kept snapshot: whole JSON.
    return None if json.loads(held) else "empty"


def torn(s3: S3) -> tuple[list[str], int]:
    """The contents that are not what their names say, and how many are."""
    faults, whole = [], 0
    for key in s3.keys():
        name = name_of(key)
        if name is None:
            continue
        held = s3.get(key)
        try:
            why = "was listed, but is not there" if held is None else _torn(name, held)
        except (ValueError, IndexError) as error:
            why = f"{len(held or b'')} bytes: {error}"
        if why:
            faults.append(f"{key}: {why}")
        else:
            whole += 1
    return faults, whole
