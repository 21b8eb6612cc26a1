"""A question: what is asked, the calls that are sent, and the right answer."""

import importlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data

FIRST, ALSO, SLIP = "first calls", "other spellings", "mistaken calls"
# Calls whose plain meaning is another than the question's: a word would help, silence is no fault.
LITERAL = "literal meaning"


@dataclass(frozen=True)
class Question:
    name: str
    kind: str
    file: str
    tool: str
    call: dict[str, Any]
    truth: Any
    tries: tuple[tuple[str, dict[str, Any], str | None], ...]
    """A call that is sent: which of the four groups, the call, and the pattern of the way."""


def read_all(word: str) -> list[Question]:
    """The questions of the data sets that are there, with this word in their name."""
    asked = []
    for path in sorted((Path(__file__).parent / "asked").glob("*.json")):
        of = json.loads(path.read_text("utf-8"))
        if not data.present(of["data"]):
            skip(f"skipped: tests/questions, {path.stem}: ../shared/{of['data']} is absent")
            continue
        truths = importlib.import_module(f"truth.{path.stem}")
        for entry in of["questions"]:
            if word not in f"{path.stem}/{entry['id']}":
                continue
            tries = [(FIRST, entry["call"], None)]
            tries += [(ALSO, *pair(also)) for also in entry.get("also", [])]
            tries += [(SLIP, *pair(slip)) for slip in entry.get("slips", [])]
            tries += [(LITERAL, *pair(literal)) for literal in entry.get("literal", [])]
            asked.append(
                Question(
                    f"{path.stem}/{entry['id']}",
                    entry["kind"],
                    of["data"],
                    entry.get("tool", "lro_extract"),
                    entry["call"],
                    getattr(truths, entry["id"])(),
                    tuple(tries),
                )
            )
    return asked


def skip(line: str) -> None:
    """Says it here, and among what tests/run lists at its end."""
    print(line)
    if listed := os.environ.get("SKIPPED_TESTS"):
        with open(listed, "a", encoding="utf-8") as skips:
            skips.write(line + "\n")


def pair(entry: list[Any]) -> tuple[dict[str, Any], str | None]:
    return entry[0], entry[1] if len(entry) > 1 and entry[1] else None
