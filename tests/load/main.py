"""More than it can do, and clients that are slow or leave."""

from __future__ import annotations

import sys

from command import command
from drain import drain
from heavy import heavy
from overload import overload
from slow import slow

CHECKS = {
    "overload": overload,
    "heavy": heavy,
    "slow": slow,
    "drain": drain,
}

if __name__ == "__main__":
    sys.exit(command("tests/load/run", __doc__, CHECKS))
