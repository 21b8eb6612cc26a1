"""Answers about 47,549 administrative divisions."""

from collections import Counter

from data import load

PLACES = load("records/geonames-admin2-47549.json")


def places_of_the_united_states():
    return sum(place["code"].startswith("US.") for place in PLACES)


def countries_with_most_places():
    return Counter(place["code"].split(".")[0] for place in PLACES).most_common(3)


def how_many_countries():
    return len({place["code"].split(".")[0] for place in PLACES})


def commonest_names():
    return Counter(place["name"] for place in PLACES).most_common(3)


def washington_counties():
    return sum(place["name"] == "Washington County" for place in PLACES)


def code_of_zurich():
    return [place["code"] for place in PLACES if place["name"] == "Bezirk Zürich"]


def longest_name():
    return max((place["name"] for place in PLACES), key=len)


def places_with_sao():
    return sum("São" in place["name"] for place in PLACES)


def last_of_brazil():
    codes = sorted(place["code"] for place in PLACES if place["code"].startswith("BR."))
    return codes[::-1][10:15]


def known_codes():
    asked = {"CH.ZH.112", "DE.07.053", "US.AL.129", "XX.00.000"}
    return len(asked & {place["code"] for place in PLACES})
