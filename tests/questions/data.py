"""The data sets that are asked about: files of ../shared, and orders made here."""

import json
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"
MADE = "made/orders.json"


def present(name: str) -> bool:
    return name == MADE or (SHARED / name).is_file()


@cache
def load(name: str) -> list[dict[str, Any]]:
    return _orders() if name == MADE else json.loads((SHARED / name).read_text("utf-8"))


def _orders() -> list[dict[str, Any]]:
    """160 orders with what the shared files lack: numbers, versions and booleans in strings,
    instants in four zones, a field that is missing, null or empty, names that SQL reserves."""
    names = ["Zoë Müller", "山田 太郎", "Pat O'Brien", "Łukasz Żak", "Ann Lee"]
    hours = [0, 2, -5, 9]
    orders = []
    for n in range(160):
        placed = datetime(2025, 3, 1, tzinfo=timezone.utc) + timedelta(minutes=n * 313)
        order = {
            "order": f"ORD-{n:04d}",
            "placed": placed.astimezone(timezone(timedelta(hours=hours[n % 4]))).isoformat(),
            "amount": f"{n * 37 % 400 + n % 4 * 0.25:.2f}",
            "quantity": str(n * 7 % 23 + 1),
            "app": f"{8 + n % 5}.{n * 3 % 12}.{n % 3}",
            "paid": "false" if n % 3 == 0 else "true",
            "group": "AB"[n % 2],
            "unit price": n * 13 % 90 + 0.5,
            "score": [n % 10, "n/a", None][n % 3],
            "customer": {"name": names[n % 5], "country": ["TR", "JP", "IE", "PL"][n % 4]},
            "lines": [
                {"size": "SML"[(n + i) % 3], "returned": (n + 2 * i) % 5 == 0, "pieces": i + 1}
                for i in range(n % 4)
            ],
        }
        if n % 5:
            order["coupon"] = [None, "", "SPRING10", "VIP"][n % 5 - 1]
        orders.append(order)
    return orders


@cache
def fields(name: str) -> frozenset[str]:
    """The names of all members, at any depth."""
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            found.update(value)
        if isinstance(value, (dict, list)):
            for member in value.values() if isinstance(value, dict) else value:
                collect(member)

    collect(load(name)[:500])
    return frozenset(found)
