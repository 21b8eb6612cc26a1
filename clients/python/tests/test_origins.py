"""Which message is which, after snapshots took the place of others."""

from __future__ import annotations

import unittest
from typing import Any

from unburden.origins import trace

SNAPSHOT = "<state_snapshot>…</state_snapshot>"
MOVED = "(detailed result is stored in ./s/x.txt)"


def _call(name: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": name, "type": "function"}]}


def _result(name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": text}


GO = {"role": "user", "content": "go"}
TURNS = [_call("a"), _result("a", "x"), _call("b"), _result("b", "y")]


class Trace(unittest.TestCase):
    def test_nothing_left(self) -> None:
        sent = [_call("a"), _result("a", "long")]
        self.assertEqual(trace(sent, [sent[0], _result("a", MOVED)], compressed=False), [0, 1])

    def test_a_snapshot_in_the_system_message(self) -> None:
        system = {"role": "system", "content": "be good"}
        sent = [system, GO, *TURNS]
        received = [{**system, "content": f"be good\n{SNAPSHOT}"}, *sent[4:]]
        self.assertEqual(trace(sent, received, compressed=True), [0, 4, 5])

    def test_an_added_system_message(self) -> None:
        sent = [GO, *TURNS]
        received = [{"role": "system", "content": SNAPSHOT}, *sent[3:]]
        self.assertEqual(trace(sent, received, compressed=True), [None, 3, 4])

    def test_an_added_user_message(self) -> None:
        sent = [GO, *TURNS]
        for text in (SNAPSHOT, f"{SNAPSHOT} {MOVED}", "(The messages before this one are summarised …)"):
            received = [{"role": "user", "content": text}, *sent[3:]]
            self.assertEqual(trace(sent, received, compressed=True), [None, 3, 4])

    def test_a_result_that_moved_in_the_same_call(self) -> None:
        sent = [GO, *TURNS]
        received = [{"role": "system", "content": SNAPSHOT}, sent[3], _result("b", MOVED)]
        self.assertEqual(trace(sent, received, compressed=True), [None, 3, 4])

    def test_of_equal_messages_the_newest_stays(self) -> None:
        again = {"role": "user", "content": "go on"}
        sent = [again, _call("a"), _result("a", "x"), again]
        self.assertEqual(trace(sent, [{"role": "system", "content": SNAPSHOT}, again], True), [None, 3])

    def test_gemini_results_of_another_shape(self) -> None:
        def answer(response: Any) -> dict[str, Any]:
            parts = [{"functionResponse": {"id": "a", "name": "t", "response": response}}]
            return {"role": "user", "parts": parts}

        sent = [{"role": "user", "parts": [{"text": "go"}]}, answer({"name": "x", "rows": [{"id": "1"}]})]
        self.assertEqual(trace(sent, [answer({"result": MOVED})], compressed=True), [1])
