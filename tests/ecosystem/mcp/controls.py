"""Faults that the checks must see, or a green run would mean nothing.

A fault stands between a client and the real server and spoils one thing in its answers.
"""

import sys
from pathlib import Path

from behind.bench import Bench
from behind.sqlite import behind_sqlite
from client import Client, Sdk, over_stdio
from reload import Reload
from score import Score
from tokens import Counter

# Each fault, and the check that must fail by it.
FAULTS = {
    "a word of a page is changed": "pages are the whole log",
    "a header skips lines": "pages are the whole log",
    "a page is structured content too": "pages are the whole log",
    "a match has the number of another line": "pages of matches are all matches",
    "a reference names a tool that is not there": "references name the calls that bring it back",
    "data loses a member that the schema demands": "a dry run writes nothing",
    "an error is no error": "errors are sentences",
    "a message of the history is changed": "moves what is large",
    "a tool is missing": "lists its tools",
    "an answer is too long": "no answer is above the ceiling",
    "an answer is cut and does not say so": "an answer without a ceiling is whole",
}
# What the other checks build on.
_ALWAYS = {"lists its tools", "moves what is large"}


def _spoilt(command: list[str], fault: str) -> list[str]:
    return [sys.executable, str(Path(__file__).parent / "drivers/spoil.py"), fault, *command]


def every_fault_is_seen(score: Score, count: Counter, binary: Path, root: Path, sdk: Sdk) -> None:
    """Runs checks under each fault: the named one must fail and the others pass."""
    for number, (fault, expected) in enumerate(FAULTS.items()):
        with score.check(f"control: {fault}"):
            target = over_stdio(_spoilt([str(binary), "mcp", "--root", str(root)], fault))
            inner = Score(quiet=True)
            client = Client(sdk, target, sdk.generations[-1])
            try:
                checks = Reload(inner, "spoilt", client, root / f"store-fault-{number}", count)
                checks.walk(sdk.generations[-1], {*_ALWAYS, expected})
            finally:
                client.close()
            assert inner.failed == [f"spoilt: {expected}"], f"failed: {inner.failed}"
            assert inner.passed >= len(_ALWAYS), "what has nothing to do with the fault passes"
    score.say("controls")


class _NoProxy(Bench):
    def proxy(
        self, *options: str, url: str | None = None, command: list[str] | None = None
    ) -> list[str]:
        return command or []


class _SpoiltProxy(Bench):
    def proxy(
        self, *options: str, url: str | None = None, command: list[str] | None = None
    ) -> list[str]:
        return super().proxy(*options, url=url, command=_spoilt(command or [], "a row is changed"))


def a_proxys_faults_are_seen(
    score: Score, count: Counter, binary: Path, home: Path, root: Path, sdks: list[Sdk]
) -> None:
    """Without a proxy, and with one that alters a row, the checks fail that have to."""
    list_check, rows = "the list has ours in it", "rows become a file"
    for bench_of, expected in ((_NoProxy, [list_check, rows]), (_SpoiltProxy, [rows])):
        with score.check(f"control: {bench_of.__name__}"):
            inner = Score(quiet=True)
            behind_sqlite(
                bench_of(inner, count, binary, home, root / bench_of.__name__, sdks), sdks[0]
            )
            assert inner.failed == [
                f"proxy, sqlite, {sdks[0].name}: {name}" for name in expected
            ], inner.failed
            assert inner.passed == 3 - len(expected)
    score.say("controls of the proxy")
