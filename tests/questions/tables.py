"""The numbers of a run as tables, and the calls that failed."""

import json
import re
import statistics
from collections import Counter

import data
import doors
from outcome import Outcome
from question import ALSO, FIRST, LITERAL, SLIP, Question
from service import Service
from verdict import RIGHT, SILENT, STUCK, TOLD

VERDICTS = (RIGHT, TOLD, STUCK, SILENT)


def table_of_calls(service: Service, stores: list, outcomes: list[Outcome]) -> None:
    print(f"{'':<24}{'sent':>6}" + "".join(f"{verdict:>17}" for verdict in VERDICTS), end="")
    print("   calls  tokens of an answer: median, largest")
    for interface, store in zip(doors.INTERFACES, doors.chosen(stores)):
        for group in (FIRST, ALSO, SLIP, LITERAL):
            of = [
                outcome
                for outcome in outcomes
                if (outcome.interface, outcome.store, outcome.group) == (interface, store, group)
            ]
            if not of:
                continue
            verdicts = Counter(outcome.verdict for outcome in of)
            sizes = doors.tokens(service, [outcome.text for outcome in of])
            print(
                f"{interface:<5}{group:<19}{len(of):>6}"
                + "".join(f"{verdicts[verdict]:>17}" for verdict in VERDICTS)
                + f"{sum(outcome.calls for outcome in of):>8}"
                + f"{statistics.median(sizes):>12.0f}{max(sizes):>8}"
            )


def table_of_levels(service: Service, stores: list, outcomes: list[Outcome]) -> None:
    print(
        f"\n{'descriptor':<22}{'tokens: median':>15}{'largest':>9}{'shows all fields':>18}"
        f"{'first calls right':>19}{'tokens to an answer':>21}"
    )
    for store in stores:
        of = [o for o in outcomes if o.store is store and o.group == FIRST]
        names = list(store.descriptors)
        sizes = dict(zip(names, doors.tokens(service, list(store.descriptors.values()))))
        shown = sum(shows_fields(store, o.question) for o in of)
        calls = doors.tokens(service, [json.dumps(o.call, ensure_ascii=False) for o in of])
        answers = doors.tokens(service, [o.text for o in of])
        paths = [sizes[o.question.file] for o in of]
        right = sum(o.verdict == RIGHT for o in of)
        print(
            f"{store.level + ', ' + store.source:<22}{statistics.median(sizes.values()):>15.0f}"
            f"{max(sizes.values()):>9}{f'{shown} of {len(of)}':>18}{f'{right} of {len(of)}':>19}"
            f"{statistics.mean(map(sum, zip(paths, calls, answers))):>21.0f}"
        )


def shows_fields(store: doors.Store, question: Question) -> bool:
    """Whether the descriptor names every field that the first call names."""
    call, descriptor = json.dumps(question.call), store.descriptors[question.file]
    named = (field for field in data.fields(question.file) if _is_word(field, call))
    return all(_is_word(field, descriptor) for field in named)


def _is_word(word: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text))


def details(outcomes: list[Outcome], verdicts: tuple[str, ...]) -> None:
    for verdict in verdicts:
        of = [o for o in outcomes if o.verdict == verdict and not (verdict == SILENT and o.literal)]
        lines: dict[str, list[str]] = {}
        for o in of:
            call = json.dumps(o.call, ensure_ascii=False)
            said = " ".join(o.text.split())[:160]
            right = f"right: {str(o.question.truth)[:80]}; said: {said}"
            where = o.interface if o.group != FIRST else f"{o.interface} {o.store.level}"
            line = f"  {o.question.name} [{o.group}] {call}\n      {right}"
            lines.setdefault(line, []).append(where)
        if lines:
            print(f"\n{verdict}: {len(of)}")
        for line, where in lines.items():
            print(f"{line} ({len(where)}: {', '.join(sorted(set(where)))})")
