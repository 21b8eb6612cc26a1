"""Answers about 400 Chinese poems; 27 of them have tags."""

from collections import Counter

from data import load

POEMS = load("records/chinese-poems-400.json")


def poems_of_gao_shi():
    return sum(poem["author"] == "高適" for poem in POEMS)


def poems_with_a_bright_moon():
    return sum(any("明月" in line for line in poem["paragraphs"]) for poem in POEMS)


def long_poems():
    return sum(len(poem["paragraphs"]) > 10 for poem in POEMS)


def poems_without_tags():
    return sum("tags" not in poem for poem in POEMS)


def commonest_tags():
    counts = Counter(tag for poem in POEMS for tag in poem.get("tags", []))
    return {row for row in counts.items() if row[1] >= 5}


def titles_of_two_characters():
    return sum(len(poem["title"]) == 2 for poem in POEMS)


def poems_of_farewell():
    return sum(poem["title"].startswith("送") for poem in POEMS)


def authors_of_one_poem():
    return sum(n == 1 for n in Counter(poem["author"] for poem in POEMS).values())


def author_of_the_lament():
    return [poem["author"] for poem in POEMS if poem["title"] == "鄭國夫人挽歌詞"]


def average_characters():
    lines = [line for poem in POEMS for line in poem["paragraphs"]]
    return round(sum(map(len, lines)) / len(lines), 2)
