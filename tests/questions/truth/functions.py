"""Answers about 100 questions to a model, each with the function that it was offered."""

from collections import Counter

from data import load

ASKED = load("records/bfcl-irrelevance-100.json")


def questions_about_python():
    return sum("python" in asked["question"][0][0]["content"].lower() for asked in ASKED)


def functions_offered():
    return Counter(asked["function"][0]["name"] for asked in ASKED).most_common()


def with_three_required():
    return sum(len(asked["function"][0]["parameters"]["required"]) == 3 for asked in ASKED)
