"""The figures as tables."""

from collections.abc import Iterable
from dataclasses import dataclass

from probe import KINDS, Probe


@dataclass(frozen=True)
class Asked:
    """One probe of one history, asked of what one variant left."""

    history: str
    variant: str
    probe: Probe
    answered: bool


def share(of: Iterable[Asked]) -> float | None:
    """The percentage of answered probes; None where there are none."""
    outcomes = [one.answered for one in of]
    return 100 * sum(outcomes) / len(outcomes) if outcomes else None


def by_kind(asked: list[Asked], tokens: dict[str, int], floors: dict[str, int]) -> None:
    """A line for each variant: tokens of all histories, answered %, % by kind."""
    print(f"{'variant':<15}{'tokens':>9}{'answered':>10}{'wanted':>8}", end="")
    print("".join(f"{kind:>15}" for kind in KINDS))
    for variant in tokens:
        of = [one for one in asked if one.variant == variant]
        wanted = f"{floors[variant]} %" if variant in floors else ""
        print(f"{variant:<15}{tokens[variant]:>9,}{_percent(share(of)):>10}{wanted:>8}", end="")
        kinds = ([one for one in of if one.probe.kind == kind] for kind in KINDS)
        print("".join(f"{_percent(share(kind)):>15}" for kind in kinds))


def by_history(asked: list[Asked], tokens: dict[tuple[str, str], int]) -> None:
    """A line for each history: answered of asked, and tokens, by variant."""
    variants = list(dict.fromkeys(one.variant for one in asked))
    print(f"\n{'answered of asked, tokens':<27}" + "".join(f"{name:>17}" for name in variants))
    for history in dict.fromkeys(one.history for one in asked):
        print(f"{history:<27}", end="")
        for variant in variants:
            of = [one for one in asked if (one.history, one.variant) == (history, variant)]
            right = sum(one.answered for one in of)
            size = tokens[history, variant]
            print(f"{f'{right}/{len(of)} {size:>7,}':>17}", end="")
        print()


def misses(asked: list[Asked]) -> None:
    """Each probe that some variant leaves unanswered, with the variants."""
    missed: dict[tuple[str, str], list[str]] = {}
    for one in asked:
        if not one.answered:
            line = f"[{one.probe.kind}] {one.probe.asked}"
            missed.setdefault((one.history, line), []).append(one.variant)
    print("\nunanswered:")
    for (history, line), variants in missed.items():
        print(f"  {history}: {line}\n      {', '.join(variants)}")


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} %"
