"""Puts the program into a wheel.

Where the environment variable UNBURDEN_BUNDLE names a program, the wheel installs it as the command
`unburden`, and UNBURDEN_WHEEL_PLATFORM is the platform of the wheel's name, such as
`manylinux2014_x86_64`. Without it, as in an install from source, the package is Python alone.
"""

import os
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Bundle(BuildHookInterface):
    """Hatchling finds it by its base."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs before a wheel is written."""
        program = os.environ.get("UNBURDEN_BUNDLE")
        if not program or version == "editable":
            return
        here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        platform = os.environ.get("UNBURDEN_WHEEL_PLATFORM") or here
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"][str(Path(program).resolve())] = Path(program).name
