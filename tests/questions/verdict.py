"""Whether an answer is right, says what to do instead, or is wrong without a word.

An error or a note that does not say what to do is a word, too: it stops a model, and helps little.

An answer is judged by its text, as a model sees it, and over HTTP by its metadata too.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Any

RIGHT = "right"
TOLD = "told the way"
STUCK = "a word, no way"
SILENT = "wrong, no word"
# A line of the answer that is no record and has a note.
_NOTE = re.compile(r"""(?m)^(?![{\["]).*\bNote: """)


@dataclass(frozen=True)
class Answer:
    """`metadata` is None where the interface shows none (MCP)."""

    text: str
    refused: bool
    metadata: dict[str, Any] | None


def judge(call: dict[str, Any], answer: Answer, truth: Any, way: str | None) -> str:
    """`way` is a pattern for the words that lead on; without it only the right answer will do.

    >>> seven = Answer("7 of 9 records match.", False, None)
    >>> all_of_them = Answer("9 of 9 records match.", False, None)
    >>> judge({"count": True}, seven, 7, None), judge({"count": True}, all_of_them, 7, None)
    ('right', 'wrong, no word')
    >>> near = Answer("0 of 9 records match; the nearest: Microsoft (37)", False, {"count": 0})
    >>> judge({"count": True}, near, 37, "Microsoft"), judge({"count": True}, near, 37, "Apple")
    ('told the way', 'wrong, no word')
    >>> table = Answer("cabin | n\\neconomy | 98\\nfirst | 3\\n[2 rows]", False, None)
    >>> judge({"sql": ""}, table, [("economy", 98), ("first", 3)], None)
    'right'
    >>> judge({"sql": ""}, table, [("first", 3), ("economy", 98)], None)
    'wrong, no word'
    >>> judge({"sql": ""}, table, [("economy", 98)], None)
    'wrong, no word'
    >>> judge({"sql": ""}, Answer("p95\\n95.5\\n[1 row]", False, {"rows": [[95.5]]}), 95, None)
    'wrong, no word'
    >>> judge({"where": {}}, Answer("no field `x`", True, {}), 7, "nearest")
    'a word, no way'
    """
    if not answer.refused and _is_right(call, answer, truth):
        return RIGHT
    if way and re.search(way, answer.text):
        return TOLD
    return STUCK if answer.refused or _NOTE.search(answer.text) else SILENT


def _is_right(call: dict[str, Any], answer: Answer, truth: Any) -> bool:
    metadata = answer.metadata
    if isinstance(truth, (list, set)):
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in truth]
        ordered = isinstance(truth, list)
        in_metadata = metadata is None or _same_rows(_rows(metadata), rows, ordered)
        return in_metadata and _text_has_rows(answer.text, rows, ordered)
    in_metadata = metadata is None or _metadata_has(call, metadata, truth)
    return in_metadata and _text_has(call, answer.text, truth)


def _same(found: Any, right: Any) -> bool:
    if isinstance(found, bool) or isinstance(right, bool):
        return found is right
    try:
        # A large integer must be exact, which a float is not.
        if isinstance(right, int):
            return int(str(found)) == right
        return math.isclose(float(found), float(right), rel_tol=1e-9)
    except (TypeError, ValueError):
        pass
    try:
        return float(found) == float(right)
    except (TypeError, ValueError):
        return str(found) == str(right)


def _rows(metadata: dict[str, Any]) -> list[list[Any]]:
    """The rows of SQL, the groups, or the values of each record."""
    if isinstance(metadata.get("rows"), list):
        return metadata["rows"]
    if metadata.get("groups"):
        return [[group["value"], group["count"]] for group in metadata["groups"]]
    records = metadata.get("records") or []
    if len(records) == 1 and isinstance(records[0], list):  # a filter whose output is one array
        records = records[0]
    return [_leaves(record) for record in records]


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (dict, list)):
        members = value.values() if isinstance(value, dict) else value
        return [leaf for member in members for leaf in _leaves(member)]
    return [value]


def _same_rows(found: list[list[Any]], right: list[Any], ordered: bool) -> bool:
    if not ordered:
        found, right = sorted(found, key=str), sorted(right, key=str)
        found = [list(map(str, row)) for row in found]
        right = [list(map(str, row)) for row in right]
    return len(found) == len(right) and all(
        len(a) == len(b) and all(map(_same, a, b)) for a, b in zip(found, right)
    )


def _lists_matches(call: dict[str, Any]) -> bool:
    """A jq filter that lets matching records through: their number is the answer."""
    return "select(" in str(call.get("query")) and not re.search("length|add", call["query"])


def _metadata_has(call: dict[str, Any], metadata: dict[str, Any], truth: Any) -> bool:
    rows = _rows(metadata)
    if len(rows) == 1 and len(rows[0]) == 1 and _same(rows[0][0], truth):
        return True
    if "sql" in call or ("query" in call and not _lists_matches(call)):
        return False
    count = metadata.get("count")
    if count is None and "pattern" in call:  # grep: how many lines match, is in its text only
        return True
    return _same(count, truth)


def _text_has(call: dict[str, Any], text: str, truth: Any) -> bool:
    if "pattern" in call:
        found = re.search(r"Found ([\d,]+) match", text)
        return bool(found) and _same(found[1].replace(",", ""), truth)
    if any(_same(line.strip().strip('"'), truth) for line in text.splitlines()):
        return True
    if "select" in call and any(_leaves(record) == [truth] for record in _records(text)):
        return True
    if "sql" in call:
        return False
    if _lists_matches(call):
        shown = re.search(r"of ([\d,]+) shown", text)
        counted = shown[1].replace(",", "") if shown else len(_records(text))
        return _same(counted, truth)
    if "query" in call:
        return False
    counted = re.search(r"([\d,]+) of [\d,]+", text)
    return bool(counted) and _same(counted[1].replace(",", ""), truth)


def _records(text: str) -> list[Any]:
    records = []
    for line in text.splitlines():
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


def _text_has_rows(text: str, rows: list[Any], ordered: bool) -> bool:
    """Whether each row has a line of its own with its cells in order."""
    lines = [part for line in text.splitlines() for part in _unescaped(line)]
    if not ordered:  # a cell may be the end of another
        rows = sorted(rows, key=lambda row: -len(str(row)))
    for row in rows:
        at = next((at for at, line in enumerate(lines) if _line_has(line, row)), None)
        if at is None:
            return False
        lines = lines[at + 1 :] if ordered else lines[:at] + lines[at + 1 :]
    said = re.search(r"\[([\d,]+) rows?\]", text)
    return not said or int(said[1].replace(",", "")) == len(rows)


def _unescaped(line: str) -> list[str]:
    """Without the escapes that a stored record may have; an array of rows becomes a line each."""
    try:
        value = json.loads(line)
    except ValueError:
        return [line]
    lines = [json.dumps(value, ensure_ascii=False)]
    if isinstance(value, list):
        lines += [json.dumps(element, ensure_ascii=False) for element in value]
    return lines


def _line_has(line: str, row: Any) -> bool:
    at = 0
    for cell in row:
        if isinstance(cell, (int, float)):
            numbers = re.finditer(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", line[at:])
            found = next((match for match in numbers if _same(match[0], cell)), None)
            if not found:
                return False
            at += found.end()
        else:
            found_at = line.find(str(cell), at)
            if found_at < 0:
                return False
            at = found_at + len(str(cell))
    return True
