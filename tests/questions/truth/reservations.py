"""Answers about 300 airline reservations, each with flights, passengers and payments."""

from collections import Counter, defaultdict
from statistics import mean

from data import load

RESERVATIONS = load("records/taubench-reservations-300.json")


def paid(reservation):
    return sum(payment["amount"] for payment in reservation["payment_history"])


def segments():
    return [flight for reservation in RESERVATIONS for flight in reservation["flights"]]


def people():
    return [person for reservation in RESERVATIONS for person in reservation["passengers"]]


def with_segment(matches):
    return sum(any(map(matches, reservation["flights"])) for reservation in RESERVATIONS)


def leaving_phoenix_on_a_day():
    return with_segment(lambda f: f["origin"] == "PHX" and f["date"] == "2024-05-20")


def dear_from_new_york():
    return with_segment(lambda f: f["origin"] == "JFK" and f["price"] > 500)


def never_in_phoenix():
    return len(RESERVATIONS) - with_segment(lambda f: f["origin"] == "PHX")


def with_isabella_khan():
    name = ("Isabella", "Khan")
    return sum(
        any((p["first_name"], p["last_name"]) == name for p in r["passengers"])
        for r in RESERVATIONS
    )


def parties_of_three_or_more():
    return sum(len(reservation["passengers"]) >= 3 for reservation in RESERVATIONS)


def paid_by_cabin():
    cabins = Counter()
    for reservation in RESERVATIONS:
        cabins[reservation["cabin"]] += paid(reservation)
    return cabins.most_common()


def average_price_of_a_segment():
    return round(mean(segment["price"] for segment in segments()), 2)


def busiest_flight_numbers():
    counts = Counter(segment["flight_number"] for segment in segments())
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:3]


def back_where_they_began():
    return sum(r["flights"][-1]["destination"] == r["origin"] for r in RESERVATIONS)


def insured():
    return sum(reservation["insurance"] == "yes" for reservation in RESERVATIONS)


def frequent_users():
    counts = Counter(reservation["user_id"] for reservation in RESERVATIONS)
    return sorted(row for row in counts.items() if row[1] >= 4)


def booked_on_a_day():
    return sum(r["created_at"][:10] == "2024-05-14" for r in RESERVATIONS)


def booked_up_to_a_day():
    return sum(r["created_at"][:10] <= "2024-05-07" for r in RESERVATIONS)


def born_before_1960():
    return sum(person["dob"] < "1960" for person in people())


def known_reservations():
    asked = {"4WQ150", "VAAOXJ", "PGAGLM", "ZZZZZZ"}
    return len(asked & {reservation["reservation_id"] for reservation in RESERVATIONS})


def dearest_of_each_cabin():
    cabins = defaultdict(list)
    for r in RESERVATIONS:
        cabins[r["cabin"]].append((paid(r), r["reservation_id"]))
    return [(cabin, max(of)[1], max(of)[0]) for cabin, of in sorted(cabins.items())]


def reservation_of_a_flight():
    return [
        r["reservation_id"]
        for r in RESERVATIONS
        if any(f["flight_number"] == "HAT170" for f in r["flights"])
    ]


def longest_journeys():
    return sum(len(reservation["flights"]) == 4 for reservation in RESERVATIONS)
