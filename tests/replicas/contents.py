"""The contents of a store as they lie in a bucket: each must hold what its name says."""

import json

import histories
import receipts
from s3 import S3

FILES = "/.unburden/files/"


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
        if FILES not in key:
            continue
        name = key.split(FILES)[1].split("!")[0]
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
