"""The program `unburden` that this package brings, or that the machine has."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

_NAME = "unburden"


def find_program() -> str:
    """The path of the program: `UNBURDEN_BINARY`, else the package's own, else the one on PATH.

    Raises:
        FileNotFoundError: there is none.
    """
    named = os.environ.get("UNBURDEN_BINARY")
    if named:
        if not _runs(named):
            raise FileNotFoundError(f"unburden: UNBURDEN_BINARY is {named!r}, which is no program")
        return named
    for folder in _folders():
        if _runs(os.path.join(folder, _NAME)):
            return os.path.join(folder, _NAME)
    found = shutil.which(_NAME)
    if found:
        return found
    raise FileNotFoundError(
        "unburden: the program is missing. Wheels for a platform bring it; this installation was made from "
        "source. Build the program in the repository (cargo install --path .), or set UNBURDEN_BINARY to "
        "its path"
    )


def _folders() -> list[str]:
    """Where an installer puts the commands of a package: of this environment, beside a folder that was
    named (`pip install --target`), of the user."""
    package = Path(__file__).resolve().parent
    user = sysconfig.get_preferred_scheme("user")
    return [
        sysconfig.get_path("scripts"),
        str(package.parent / "bin"),
        os.path.join(sys.prefix, "bin"),
        sysconfig.get_path("scripts", scheme=user),
    ]


def _runs(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
