"""Answers about 250 triaged issues."""

from collections import Counter
from statistics import mean

from data import load

ISSUES = load("records/github-issue-triage-250.json")


def not_duplicates():
    return sum(issue["duplicate_of"] is None for issue in ISSUES)


def duplicates_within_the_list():
    numbers = {issue["number"] for issue in ISSUES}
    return sum(issue["duplicate_of"] in numbers for issue in ISSUES)


def most_duplicated():
    counts = Counter(i["duplicate_of"] for i in ISSUES if i["duplicate_of"] is not None)
    return sorted((row for row in counts.items() if row[1] >= 3), key=lambda row: row[0])


def severities_of_the_cli():
    counts = Counter((i["area"], i["severity"]) for i in ISSUES if i["area"] in ("cli", "sdk-core"))
    degrees = ("low", "medium", "high", "critical")
    rows = ((*keys, n) for keys, n in counts.items())
    return sorted(rows, key=lambda row: (row[0], degrees.index(row[1])))


def severe_bugs():
    severe = ("high", "critical")
    return sum(issue["kind"] == "bug" and issue["severity"] in severe for issue in ISSUES)


def medium_or_worse():
    return sum(issue["severity"] in ("medium", "high", "critical") for issue in ISSUES)


def without_cluster():
    return sum(issue["cluster"] == "" for issue in ISSUES)


def largest_clusters():
    counts = Counter(issue["cluster"] for issue in ISSUES if issue["cluster"])
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:3]


def title_of_one_issue():
    return [issue["title"] for issue in ISSUES if issue["number"] == 9983]


def for_people():
    return sum(issue["human_attention"] == "yes" for issue in ISSUES)


def already_fixed():
    return sum(issue["verdict"] == "already-fixed" for issue in ISSUES)


def titles_with_cline_in_capitals():
    return sum("CLI" in issue["title"] for issue in ISSUES)


def average_evidence():
    return round(mean(len(issue["evidence"]) for issue in ISSUES), 1)


def third_page_of_issues():
    return sorted((issue["number"] for issue in ISSUES), reverse=True)[20:30]


def average_number_by_verdict():
    verdicts = sorted({issue["verdict"] for issue in ISSUES})[:3]
    return [
        (v, round(mean(i["number"] for i in ISSUES if i["verdict"] == v), 1)) for v in verdicts
    ]


def issues_without_reproduction():
    return sum(issue["repro"] is None for issue in ISSUES)
