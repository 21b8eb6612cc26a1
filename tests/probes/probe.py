"""A probe: a question that an agent who goes on has to know the answer of, and its evidence."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

KINDS = ("goal", "constraint", "fact", "file", "error-and-fix", "decision", "pending")
# The user's goals and constraints, which no compression may lose.
LASTING = ("goal", "constraint")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": None, "\u00a0": " "})


@dataclass(frozen=True)
class Probe:
    kind: str
    asked: str
    evidence: tuple[tuple[re.Pattern[str], ...], ...]
    """All of these groups stand in the text; any pattern of a group will do."""


@dataclass(frozen=True)
class ProbeSet:
    name: str
    history: str
    """The file's path in ../shared."""
    grows: bool
    """Whether it has the user's messages of many turns, for growing.py."""
    probes: tuple[Probe, ...]


def plain(text: str) -> str:
    """The text as evidence is compared with it: one line, without markup and escapes.

    >>> plain('Don’t **ever**\\\\n  touch `a.py`, \\\\"b\\\\"')
    'Don\\'t ever touch a.py, "b"'
    """
    text = text.translate(_PLAIN).replace("**", "")
    text = re.sub(r"\\[ntr](?![a-z])", " ", text).replace('\\"', '"')
    return re.sub(r"\s+", " ", text)


def pattern(evidence: str) -> re.Pattern[str]:
    """A regular expression behind `re:`, else the words themselves; case does not matter.

    >>> bool(pattern("1.5").search("105")), bool(pattern(r"re:1,?938").search("$1938 in all"))
    (False, True)
    """
    expression = evidence.removeprefix("re:")
    if expression == evidence:
        expression = re.escape(plain(evidence))
    return re.compile(expression, re.IGNORECASE)


def answered(probe: Probe, text: str) -> bool:
    """
    >>> asked = Probe("fact", "", ((pattern("red"), pattern("crimson")), (pattern("box"),)))
    >>> [answered(asked, text) for text in ("a crimson box", "a red bag", "a box")]
    [True, False, False]
    """
    return all(any(one.search(text) for one in group) for group in probe.evidence)


def read(path: Path) -> ProbeSet:
    of = tomllib.loads(path.read_text("utf-8"))
    probes = []
    for entry in of["question"]:
        assert entry["kind"] in KINDS, f"{path.name}: no kind {entry['kind']!r}"
        groups = tuple(tuple(map(pattern, group)) for group in entry["all"])
        probes.append(Probe(entry["kind"], entry["asked"], groups))
    return ProbeSet(path.stem, of["history"], of.get("grows", False), tuple(probes))
