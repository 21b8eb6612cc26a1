"""Answers about the 160 orders that data.py makes."""

from collections import Counter
from datetime import datetime, timezone
from statistics import mean

from data import MADE, load

ORDERS = load(MADE)


def dear_orders():
    return sum(float(order["amount"]) > 99.5 for order in ORDERS)


def paid_in_all():
    return sum(float(order["amount"]) for order in ORDERS if order["paid"] == "true")


def dearest_orders():
    return [o["order"] for o in sorted(ORDERS, key=lambda order: -float(order["amount"]))[:3]]


def largest_quantity():
    return max(int(order["quantity"]) for order in ORDERS)


def unpaid_orders():
    return sum(order["paid"] == "false" for order in ORDERS)


def apps_of_version_ten():
    return sum(int(order["app"].split(".")[0]) >= 10 for order in ORDERS)


def apps_before_nine_two():
    return sum(tuple(map(int, order["app"].split("."))) < (9, 2) for order in ORDERS)


def orders_without_coupon_field():
    return sum("coupon" not in order for order in ORDERS)


def orders_without_coupon():
    return sum(not order.get("coupon") for order in ORDERS)


def placed_on_a_day():
    placed = (datetime.fromisoformat(order["placed"]) for order in ORDERS)
    return sum(p.astimezone(timezone.utc).date().isoformat() == "2025-03-10" for p in placed)


def first_of_the_orders():
    return [min(ORDERS, key=lambda order: datetime.fromisoformat(order["placed"]))["order"]]


def orders_by_group():
    return sorted(Counter(order["group"] for order in ORDERS).items())


def average_unit_price():
    return round(mean(order["unit price"] for order in ORDERS), 2)


def returned_mediums():
    return sum(any(x["size"] == "M" and x["returned"] for x in o["lines"]) for o in ORDERS)


def orders_of_yamada():
    return sum(order["customer"]["name"] == "山田 太郎" for order in ORDERS)


def orders_of_pat():
    return sum(order["customer"]["name"] == "Pat O'Brien" for order in ORDERS)


def average_score():
    return round(mean(o["score"] for o in ORDERS if isinstance(o["score"], int)), 3)


def pieces_by_size():
    pieces = Counter()
    for order in ORDERS:
        for line in order["lines"]:
            pieces[line["size"]] += line["pieces"]
    return sorted(pieces.items())


def known_orders():
    return len({"ORD-0001", "ORD-0042", "ORD-0999"} & {order["order"] for order in ORDERS})


def other_than_vip():
    return sum(order.get("coupon") != "VIP" for order in ORDERS)


def share_of_paid():
    return round(100 * sum(order["paid"] == "true" for order in ORDERS) / len(ORDERS), 2)


def amount_with_mediums():
    with_mediums = [o for o in ORDERS if any(line["size"] == "M" for line in o["lines"])]
    return sum(float(order["amount"]) for order in with_mediums)


def placed_in_the_evening():
    placed = (datetime.fromisoformat(order["placed"]) for order in ORDERS)
    return sum(time.astimezone(timezone.utc).hour >= 18 for time in placed)


def quantity_between():
    return sum(5 < int(order["quantity"]) < 9 for order in ORDERS)


def without_lines():
    return sum(not order["lines"] for order in ORDERS)


def known_customers():
    return sum(order["customer"]["country"] in ("TR", "JP") for order in ORDERS)
