"""The tests' own negative control: losses planted by hand in a good store must all be seen.

Promised: nothing; a checker that sees no planted loss proves nothing about the others."""

from collections.abc import Callable, Iterator
from pathlib import Path

import receipts
import store
from bench import Bench, Verdict
from service import Service
from traffic import post

NEEDS: tuple[Callable[[], str | None], ...] = ()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flip(path: Path) -> None:
    held = bytearray(path.read_bytes())
    held[-9] ^= 1
    path.write_bytes(held)


def _swap(path: Path) -> None:
    path.write_bytes(b"")


PLANTS: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("cut", _cut),
    ("flipped", _flip),
    ("empty", _swap),
    ("missing", Path.unlink),
)


def run(bench: Bench) -> Iterator[Verdict]:
    """Plants each loss in a file of each kind."""
    root = bench.fresh("planted")
    kept = receipts.Receipts()
    with Service(bench.program, root) as service:
        for n in range(16):
            _, receipt = post(service, f"plant{n}", root / "store")
            if receipt:
                kept.add(receipt)
        faults = [fault for receipt in kept.all for fault in receipts.lost(service, receipt)]
        faults += store.look(root / "store").torn
        planted = seen = 0
        for kind in (".txt", ".jsonl", ".json"):
            owner, path = next(
                (receipt, Path(path))
                for receipt in kept.all
                for path, _ in receipt.paths
                if path.endswith(kind)
            )
            held = path.read_bytes()
            for what, plant in PLANTS:
                plant(path)
                planted += 1
                noted = bool(receipts.lost(service, owner))
                torn = bool(store.look(root / "store").torn) or what == "missing"
                seen += noted and torn
                if not (noted and torn):
                    faults.append(f"{what} {path.name}: read back {noted}, on disk {torn}")
                path.write_bytes(held)
    count = kept.references()
    yield Verdict(f"{seen} of {planted} planted losses seen, {count} references", faults)
