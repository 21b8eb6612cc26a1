"""More than it can do, clients that are slow or leave, and a tenant that harms another."""

from __future__ import annotations

import sys

from command import command
from drain import drain
from heavy import heavy
from overload import overload
from slow import slow
from tenant import tenant

CHECKS = {
    "overload": overload,
    "heavy": heavy,
    "slow": slow,
    "drain": drain,
    "tenant": tenant,
}

if __name__ == "__main__":
    sys.exit(command("tests/load/run", __doc__, CHECKS))
