"""Patterns that cost a search more than it can pay; each is answered or refused in time."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from patience import Patience
from server import Server
from tally import Bench

MIB = 1024 * 1024

# What a backtracking engine never ends with, what an automaton has no room for, what a
# parser recurses in, and what no engine of this kind takes.
PATTERNS: tuple[str, ...] = (
    "(a+)+$",
    "(a*)*b",
    "(a|a)*b$",
    "(a|aa)+c",
    "(a|a?)+$",
    "(.*a){25}",
    "(.*)*(.*)*(.*)*x",
    "([a-zA-Z]+)*[0-9]#",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    r"^(\w+\s?)*\$",
    r"(\d+)+[^\d]$",
    r"\w{200}",
    r"\w{60}z",
    r"\w{1000}",
    r"(?:\w{1,40}\s){3}q",
    r"\b\w{30}\bz",
    r"\b(?:a?){900}\b z",
    r"(?:\pL\pM*){40}\d{9}x",
    r"\p{L}{300}",
    r"[\p{L}\p{N}\p{S}]{250}",
    r"(?i)\p{Greek}{400}x",
    r"[^\p{Han}]{300}\p{Han}",
    r"\X{100}",
    "(?i)(?:k|s|ſ|K){300}",
    r"[\w&&[^a-y]]{50}",
    "(?:a{1000}){1000}",
    "(?:(?:(?:a{10}){10}){10}){10}",
    "a{4294967295}",
    "a{99999999999999999999}",
    "a{2000}b",
    "(?:a?){2000}b",
    "(?:a?){9000}b$",
    "(?:a?){500}a{500}",
    "(?:a|b|ab){900}c",
    "(?:a|aa){3000}b",
    "(?:.a?){450}b$",
    "(?:.{0,100}a){6}b$",
    "(?:[^x]a{0,40}){100}b",
    "a[ab]{300}c",
    ".*.*.*.*.*.*.*.*=.*",
    "[^x]*[^y]*[^z]*[^w]{40}#$",
    ".{1000}",
    "(?s).{5000}",
    "[a-z]{0,1000}[0-9]{0,1000}!",
    "|".join(f"w{n}" for n in range(180)),
    "|".join("abcdefghij"[n % 10] * (n % 90) for n in range(1000)),
    "a" * 1000,
    "a" * 2048,
    "a" * 65_536,
    "(" * 500 + ")" * 500,
    "(?:" * 300 + ")*" * 200,
    "(" * 65_536,
    "[" * 1000,
    "[" + "a-z" * 340 + "]{100}",
    "\\" * 999,
    "(?<a>x)" * 140,
    r"(?=a)b",
    r"(?!a)b",
    r"(?<=a)b",
    r"(?<!a)b",
    r"(a)\1",
    r"\k<a>",
    "(?>a+)b",
    "a++b",
    "(?R)",
    "(?(1)a|b)",
    r"\Qa\E",
    "",
    "\x00",
    "a\x00b",
    "\n",
    "a\\nb",
    "(?m)^$",
    "(?x) a # b",
    "*",
    "+a",
    "a**",
    "{",
    "a{2,1}",
    "[z-a]",
    r"\u{110000}",
    r"\x{D800}",
    "(?i)" * 250,
    "\ud7ff\ue000" * 100,
    "🦊{200}",
)


def regexes(bench: Bench) -> None:
    """Each pattern at each door that takes one."""
    folder = Path(bench.folder) / "root"
    folder.mkdir()
    _fill(bench, folder)
    bench.tally.note("patterns", len(PATTERNS))
    # The short form gives less time, so that it takes less; what is held is the same.
    deadline = bench.pick(150, 3000)
    environment = {
        "UNBURDEN_RELOAD__GREP_DEADLINE_MS": str(deadline),
        "UNBURDEN_EXTRACT__DEADLINE_MS": str(deadline),
    }
    with Server(bench.program, str(folder), cwd=str(folder), environment=environment) as server:
        patience = Patience(bench, server, deadline / 1000 + bench.pick(1000, 200) / 1000)
        for name, request in _doors(bench).items():
            for pattern in PATTERNS:
                route, body = request(pattern)
                patience.ask(f"{name} {pattern[:50]!r}", route, body)
        patience.note()
        bench.tally.note("peak MiB", round(server.peak_mib()))


def _fill(bench: Bench, folder: Path) -> None:
    seed = random.Random(7)
    words = [
        "".join(seed.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=seed.randint(1, 12)))
        for _ in range(3000)
    ]
    lines = [" ".join(seed.choices(words, k=14)) for _ in range(5 * MIB // 92)]
    (folder / "lines.txt").write_text("\n".join(lines) + "\n")
    size = bench.pick(2, 50) * MIB
    ab = "".join(seed.choices("ab", k=MIB))
    (folder / "one_line.txt").write_text((ab * (size // MIB))[:size])
    rows = [f'{{"id":{n},"text":"{line}"}}\n' for n, line in enumerate(lines[:2000])]
    (folder / "rows.jsonl").write_text("".join(rows))


def _doors(bench: Bench) -> dict[str, Callable[[str], tuple[str, dict[str, Any]]]]:
    doors: dict[str, Callable[[str], tuple[str, dict[str, Any]]]] = {
        "grep lines": lambda p: ("/grep", {"pattern": p, "path": "lines.txt", "limit": 50}),
        "grep one line": lambda p: ("/grep", {"pattern": p, "path": "one_line.txt", "limit": 50}),
        "matches": lambda p: (
            "/lro_extract",
            {
                "file_path": "rows.jsonl",
                "where": {"field": "text", "op": "matches", "value": p},
                "count": True,
            },
        ),
    }
    if bench.full:
        doors |= {
            "grep: of a result": lambda p: (
                "/read_tool_result",
                {"result_id": "./lines.txt", "lines": f"grep:{p}"},
            ),
            "jq test": lambda p: (
                "/lro_extract",
                {
                    "file_path": "rows.jsonl",
                    "query": "select(.text | test($p))",
                    "params": {"p": p},
                },
            ),
            "glob": lambda p: ("/grep", {"pattern": "a", "glob": p, "limit": 5}),
        }
    return doors
