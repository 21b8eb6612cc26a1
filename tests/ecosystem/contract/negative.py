"""Contracts that are wrong on purpose: of each the judge must say so."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from judge import judge
from program import Program

Contract = dict[str, Any]


def _without_a_status(contract: Contract) -> None:
    del contract["paths"]["/grep"]["post"]["responses"]["422"]


def _another_type(contract: Contract) -> None:
    contract["components"]["schemas"]["Version"]["properties"]["version"]["type"] = "integer"


def _another_content(contract: Contract) -> None:
    answer = contract["paths"]["/version"]["get"]["responses"]["200"]
    answer["content"] = {"text/plain": {"schema": {"type": "string"}}}


def _another_header(contract: Contract) -> None:
    contract["components"]["headers"]["RequestId"]["schema"] = {"type": "integer"}


def _stricter(contract: Contract) -> None:
    counted = contract["components"]["schemas"]["CountRequest"]
    counted["properties"]["model"] = {"type": "string", "maxLength": 3}


FAULTS: dict[str, tuple[str, Callable[[Contract], None]]] = {
    "a status that is not there": ("/grep", _without_a_status),
    "a member of another type": ("/version", _another_type),
    "another content type": ("/version", _another_content),
    "a header of another type": ("/version", _another_header),
    "a limit that nobody keeps": ("/count_tokens", _stricter),
}


def unseen(program: Program, contract: Path, folder: Path) -> list[str]:
    """The faults that were not found."""
    right = yaml.safe_load(contract.read_text())
    missed = []
    for name, (path, harm) in FAULTS.items():
        wrong = copy.deepcopy(right)
        harm(wrong)
        file = folder / "wrong.yaml"
        file.write_text(yaml.safe_dump(wrong, allow_unicode=True))
        # The first fault found is enough.
        options = ("--max-failures", "1", "--include-path", path, "--phases", "examples,coverage")
        verdict = judge(program, file, folder, *options)
        if not verdict.failures or verdict.cases == 0:
            missed.append(f"{name}: {verdict.cases} cases, nothing found")
    return missed
