"""Answers about 2,000 flights."""

from collections import Counter, defaultdict
from datetime import datetime
from statistics import mean, median, stdev

from data import load

FLIGHTS = load("records/flights-2000.json")
DELAYS = sorted(flight["delay"] for flight in FLIGHTS)


def flights_in_february():
    return sum(flight["date"][:7] == "2001/02" for flight in FLIGHTS)


def flights_on_a_day():
    return sum(flight["date"][:10] == "2001/01/03" for flight in FLIGHTS)


def flights_up_to_a_day():
    return sum(flight["date"][:10] <= "2001/01/15" for flight in FLIGHTS)


def flights_per_month():
    return sorted(Counter(flight["date"][:7] for flight in FLIGHTS).items())


def flights_per_weekday():
    days = (datetime.strptime(flight["date"], "%Y/%m/%d %H:%M") for flight in FLIGHTS)
    return sorted(Counter(str(day.isoweekday() % 7) for day in days).items())


def worst_origins():
    delays = defaultdict(list)
    for flight in FLIGHTS:
        delays[flight["origin"]].append(flight["delay"])
    busy = [(origin, round(mean(of), 2)) for origin, of in delays.items() if len(of) >= 40]
    return sorted(busy, key=lambda row: -row[1])[:5]


def median_distance():
    return median(flight["distance"] for flight in FLIGHTS)


def delay_at_the_95th_percentile():
    at = round(0.95 * (len(DELAYS) - 1))
    assert DELAYS[at - 1] == DELAYS[at] == DELAYS[at + 1], "every definition must agree"
    return DELAYS[at]


def spread_of_delays():
    return round(stdev(DELAYS), 1)


def busiest_routes():
    routes = Counter((flight["origin"], flight["destination"]) for flight in FLIGHTS)
    rows = [(*route, flights) for route, flights in routes.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))[:4]


def two_worst_of_each_month():
    rows = []
    for month in sorted({flight["date"][:7] for flight in FLIGHTS}):
        of = [flight for flight in FLIGHTS if flight["date"][:7] == month]
        worst = sorted(of, key=lambda flight: -flight["delay"])[:2]
        rows += [(month, flight["origin"], flight["delay"]) for flight in worst]
    return rows


def share_of_late_flights():
    return round(100 * sum(delay > 15 for delay in DELAYS) / len(DELAYS), 1)


def destinations_from_chicago():
    return len({flight["destination"] for flight in FLIGHTS if flight["origin"] == "ORD"})


def third_page_from_los_angeles():
    dates = sorted(flight["date"] for flight in FLIGHTS if flight["origin"] == "LAX")
    return dates[::-1][10:15]


def pairs_flown_both_ways():
    routes = {(flight["origin"], flight["destination"]) for flight in FLIGHTS}
    return sum(origin < to and (to, origin) in routes for origin, to in routes)


def miles_from_los_angeles():
    return sum(flight["distance"] for flight in FLIGHTS if flight["origin"] == "LAX")


def flights_from_chicago():
    return sum(flight["origin"] == "ORD" for flight in FLIGHTS)


def how_many_flights():
    return len(FLIGHTS)


def how_many_origins():
    return len({flight["origin"] for flight in FLIGHTS})


def first_origin():
    return FLIGHTS[0]["origin"]


def longest_delay():
    return DELAYS[-1]


def reservations_from_busy_airports():
    busy = Counter(flight["origin"] for flight in FLIGHTS)
    reservations = load("records/taubench-reservations-300.json")
    return sum(busy[reservation["origin"]] > 60 for reservation in reservations)


def flights_an_hour_late():
    return sum(delay > 60 for delay in DELAYS)
