"""Answers about 51 spans of a test run; their members have names such as `test.status`."""

from collections import Counter
from statistics import median

from data import load

SPANS = load("records/datadog-spans-51.json")
META = [span["meta"] for span in SPANS]


def new_tests():
    return sum(meta.get("test.is_new") == "true" for meta in META)


def spans_without_runtime_id():
    return sum("runtime-id" not in meta for meta in META)


def spans_of_a_module():
    return sum(meta.get("test_module_id") == "14233676766238277045" for meta in META)


def on_python_39_or_newer():
    return sum(
        tuple(map(int, meta["runtime.version"].split("."))) >= (3, 9) for meta in META
    )


def median_duration():
    return median(span["duration"] for span in SPANS)


def first_start():
    return min(span["start"] for span in SPANS)


def committed_at_an_instant():
    # 10:11:13+01:00
    return sum(m["git.commit.author.date"] == "2024-09-10T10:11:13+01:00" for m in META)


def spans_per_suite():
    return {(suite, n) for suite, n in Counter(m.get("test.suite") for m in META).items() if suite}


def skipped_tests():
    return {m["test.name"] for m in META if m["test.status"] == "skip" and "test.name" in m}


def the_second_parameter():
    return [m["test.name"] for m in META if "value2" in m.get("test.parameters", "")]


def slow_spans():
    return sum(span["duration"] > 1_000_000 for span in SPANS)
