"""Answers about the orders of data.py, asked in jq."""

from collections import Counter
from statistics import mean

from data import MADE, load

ORDERS = load(MADE)


def how_many_orders():
    return len(ORDERS)


def first_order():
    return [ORDERS[0]["order"]]


def middle_price():
    prices = sorted(order["unit price"] for order in ORDERS)
    return prices[len(prices) // 2]


def dearest_price():
    return max(order["unit price"] for order in ORDERS)


def orders_from_japan():
    return sum(order["customer"]["country"] == "JP" for order in ORDERS)


def orders_of_each_group():
    return sorted(Counter(order["group"] for order in ORDERS).items())


def pieces_of_size_m():
    lines = [line for order in ORDERS for line in order["lines"]]
    return sum(line["pieces"] for line in lines if line["size"] == "M")


def countries():
    return len({order["customer"]["country"] for order in ORDERS})


def average_price():
    return round(mean(order["unit price"] for order in ORDERS), 4)


def prices_above_eighty():
    return sum(order["unit price"] > 80 for order in ORDERS)


def fields_of_an_order():
    return sorted({field for order in ORDERS for field in order})


def orders_with_three_lines():
    return sum(len(order["lines"]) == 3 for order in ORDERS)
