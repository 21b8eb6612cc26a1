"""Faults that the stub makes of requests: rules that a test sets, each for some of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# The effect of a rule.
#   fail    answers with `status` and does nothing
#   drop    closes the connection and does nothing
#   lose    does the work and closes the connection
#   wait    waits `seconds`, does the work, answers
#   late    does the work, waits `seconds`, answers
#   stall   closes the connection, and does the work `seconds` later
#   cut     does the work, sends half of the answer's body and closes the connection
#   die     the process ends before the work
#   die_after   the process ends after the work, before the answer
DOES = ("fail", "drop", "lose", "wait", "late", "stall", "cut", "die", "die_after")
KINDS = ("put", "get", "head", "list", "delete")


@dataclass
class Rule:
    """Of the requests of these kinds whose keys match: passes over the first `skip`, then takes
    each `every`-th, at most `times` of them."""

    do: str
    kinds: tuple[str, ...] = KINDS
    key: str = ""
    skip: int = 0
    every: int = 1
    times: int | None = None
    status: int = 503
    seconds: float = 0.0
    # True: only puts with a condition.
    conditional: bool = False
    seen: int = field(default=0, compare=False)
    done: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        assert self.do in DOES, self.do
        assert set(self.kinds) <= set(KINDS), self.kinds

    def takes(self, kind: str, key: str, is_conditional: bool) -> bool:
        """Counts a request; True if the rule is for it."""
        if kind not in self.kinds or not re.search(self.key, key):
            return False
        if self.conditional and not is_conditional:
            return False
        self.seen += 1
        if self.seen <= self.skip or (self.seen - self.skip - 1) % self.every:
            return False
        if self.times is not None and self.done >= self.times:
            return False
        self.done += 1
        return True


class Rules:
    """The rules in force, in order: the first that takes a request is applied to it."""

    def __init__(self) -> None:
        self.all: list[Rule] = []

    def set(self, rules: Iterable[dict[str, Any]]) -> None:
        """Replaces all of them."""
        self.all = [Rule(**{**rule, "kinds": tuple(rule.get("kinds", KINDS))}) for rule in rules]

    def of(self, kind: str, key: str, is_conditional: bool) -> Rule | None:
        """The rule for a request."""
        return next((rule for rule in self.all if rule.takes(kind, key, is_conditional)), None)

    def done(self) -> int:
        """How many requests something was done to."""
        return sum(rule.done for rule in self.all)
