"""Answers about 220 known exploited vulnerabilities."""

from collections import Counter
from datetime import date
from statistics import mean

from data import load

KEV = load("records/cisa-kev-220.json")


def microsoft_entries():
    return sum(entry["vendorProject"] == "Microsoft" for entry in KEV)


def sharepoint_entries():
    return sum(entry["product"] == "SharePoint" for entry in KEV)


def known_ransomware():
    return sum(entry["knownRansomwareCampaignUse"] == "Known" for entry in KEV)


def which_are_listed():
    asked = {"CVE-2024-8068", "CVE-2025-48384", "CVE-1999-0001"}
    return len(asked & {entry["cveID"] for entry in KEV})


def command_injections():
    return sum("CWE-78" in entry["cwes"] for entry in KEV)


def without_weakness():
    return sum(entry["cwes"] == [] for entry in KEV)


def commonest_weaknesses():
    counts = Counter(cwe for entry in KEV for cwe in entry["cwes"])
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:3]


def added_in_may():
    return sum(entry["dateAdded"][:7] == "2025-05" for entry in KEV)


def added_in_the_last_days():
    return sum(entry["dateAdded"] >= "2025-08-18" for entry in KEV)


def days_to_fix(entry):
    return (date.fromisoformat(entry["dueDate"]) - date.fromisoformat(entry["dateAdded"])).days


def urgent_entries():
    return sum(days_to_fix(entry) < 21 for entry in KEV)


def average_days_to_fix():
    return round(mean(map(days_to_fix, KEV)), 2)


def entries_per_quarter():
    quarters = (f"{e['dateAdded'][:4]}-Q{(int(e['dateAdded'][5:7]) + 2) // 3}" for e in KEV)
    return sorted(Counter(quarters).items())


def the_git_advisory():
    return [e["cveID"] for e in KEV if "GHSA-vwqx-4fm8-6qc9" in e["notes"]]


def frequent_vendors():
    counts = Counter(entry["vendorProject"] for entry in KEV)
    rows = [row for row in counts.items() if row[1] >= 6]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def how_many_vendors():
    return len({entry["vendorProject"] for entry in KEV})


def use_after_free():
    return sum("use-after-free" in entry["vulnerabilityName"].lower() for entry in KEV)


def entries_by_year_of_number():
    return Counter(entry["cveID"][4:8] for entry in KEV).most_common(3)


def lines_with_deserialization():
    return sum("deserialization" in str(list(entry.values())).lower() for entry in KEV)


def first_quarter():
    return sum("2025-01" <= entry["dateAdded"][:7] <= "2025-03" for entry in KEV)
