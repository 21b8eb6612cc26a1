"""Answers about 300 earthquakes (GeoJSON features)."""

from collections import defaultdict
from datetime import datetime, timezone
from statistics import mean, median

from data import load

FEATURES = load("records/usgs-earthquakes-300.json")
QUAKES = [feature["properties"] for feature in FEATURES]


def of_magnitude_four():
    return sum(quake["mag"] >= 4 for quake in QUAKES)


def not_felt():
    return sum(quake["felt"] is None for quake in QUAKES)


def strongest_networks():
    networks = defaultdict(list)
    for quake in QUAKES:
        networks[quake["net"]].append(quake["mag"])
    rows = [(net, round(mean(of), 2)) for net, of in networks.items() if len(of) >= 30]
    return sorted(rows, key=lambda row: -row[1])[:3]


def on_the_sixth():
    days = (datetime.fromtimestamp(quake["time"] / 1000, timezone.utc).day for quake in QUAKES)
    return sum(day == 6 for day in days)


def deepest():
    rows = [(feature["id"], feature["geometry"]["coordinates"][2]) for feature in FEATURES]
    return sorted(rows, key=lambda row: -row[1])[:2]


def in_california():
    return sum(quake["place"].endswith(("CA", "California")) for quake in QUAKES)


def most_felt():
    felt = [(q["felt"], f["id"]) for q, f in zip(QUAKES, FEATURES) if q["felt"] is not None]
    return [row[1] for row in sorted(felt, reverse=True)[:3]]


def nearest_stations():
    near = [(q["dmin"], f["id"]) for q, f in zip(QUAKES, FEATURES) if q["dmin"] is not None]
    return [row[1] for row in sorted(near)[:3]]


def median_magnitude_by_type():
    types = defaultdict(list)
    for quake in QUAKES:
        types[quake["magType"]].append(quake["mag"])
    return [(name, round(median(of), 3)) for name, of in sorted(types.items()) if len(of) > 20]


def explosions():
    return sum(quake["type"] == "explosion" for quake in QUAKES)


def updated_within_the_hour():
    return sum(quake["updated"] - quake["time"] <= 3_600_000 for quake in QUAKES)


def few_stations():
    return sum(quake["nst"] is not None and quake["nst"] < 10 for quake in QUAKES)


def listed_quakes():
    return len({"ci37868143", "ak18384056", "us99999999"} & {feature["id"] for feature in FEATURES})
