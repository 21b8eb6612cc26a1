"""Hostile input from outside, through every door."""

from __future__ import annotations

import sys

from bombs import bombs
from command import command
from confinement import confinement
from fills import fills
from filters import filters
from forged import forged
from memory import memory
from race import race
from regexes import regexes
from special import special

CHECKS = {
    "confinement": confinement,
    "race": race,
    "special": special,
    "regexes": regexes,
    "filters": filters,
    "memory": memory,
    "fills": fills,
    "bombs": bombs,
    "forged": forged,
}

if __name__ == "__main__":
    sys.exit(command("tests/hostile/run", __doc__, CHECKS))
