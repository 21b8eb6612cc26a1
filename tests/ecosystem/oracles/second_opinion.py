"""Pairing codes of ../shared/tools/check_histories.py, where that folder is there."""

import copy
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

_NAMES = {"ai-sdk": "vercel"}


def load(shared: Path) -> ModuleType | None:
    path = shared / "tools/check_histories.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("check_histories", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def complaints(checker: ModuleType, name: str, messages: list[Any]) -> list[str]:
    """The codes of the pairing kind, each as often as it was found."""
    read = checker.FORMATS.get(_NAMES.get(name, name)) or checker.VARIANTS.get(name)
    if read is None:
        return []
    turns = checker.Turns()
    read(copy.deepcopy(messages), turns)
    turns.finish()
    return [c for c in sorted(turns.c) if c in checker.PAIRING for _ in range(turns.c[c])]
