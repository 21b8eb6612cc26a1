"""Questions to `lro_extract` as agents ask them: does each call get the right answer?

    python3 tests/questions/main.py path/to/unburden [--list] [--only WORD]

`asked/` has the questions of each data set: the call that a model would write first (`call`), the
same call as others would write it (`also`: another spelling, another type, an unknown argument),
calls that are mistaken (`slips`), and calls that mean something else than the question in plain
SQL, jq or text (`literal`). All but the first may come with a pattern: an error or a note that
matches it names the way, and `call` is sent next. `truth/` computes each answer from the data by
plain Python. A wrong answer without a word is what must not happen; only `literal` may do it.

All calls are sent over HTTP and over MCP, and every first call at each descriptor level, to files
made by /offload_result (five levels) and from a history by /context_offload (three). The exit
status is 1 if an answer is wrong without a word, or if fewer first calls are right than FLOOR.
Needs only Python 3.11 and reads ../shared; without it only the orders of data.py are asked about.

A new question: an entry in `asked/`, and a function of the same name in `truth/`.
"""

import argparse
import doctest
import json
import re
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import doors  # noqa: E402
import question  # noqa: E402
import tables  # noqa: E402
import verdict  # noqa: E402
from outcome import Outcome, attempt  # noqa: E402
from question import FIRST, Question  # noqa: E402
from service import Service  # noqa: E402
from verdict import RIGHT, SILENT, STUCK, TOLD  # noqa: E402

# The share of first calls that must be right.
FLOOR = 0.98
JOINED = re.compile(r"\{(\w+/[\w.-]+\.json)\}")


def run(service: Service, root: Path, asked: list[Question]) -> tuple[list, list[Outcome]]:
    others = {name for question in asked for name in JOINED.findall(json.dumps(question.call))}
    names = sorted({question.file for question in asked} | others)
    stores = doors.stores(service, root, names)
    http, mcp = doors.chosen(stores)
    jobs = []
    for question in asked:
        for group, call, way in question.tries:
            jobs.append(("HTTP", http, question, group, call, way))
            jobs.append(("MCP", mcp, question, group, call, way))
        for store in stores:
            if store not in (http, mcp):
                jobs.append(("HTTP", store, question, FIRST, question.call, None))
    with ThreadPoolExecutor(4) as pool:
        return stores, list(pool.map(lambda job: attempt(service, *job), jobs))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--list", action="store_true", help="show also what was refused or told")
    parser.add_argument("--only", default="", help="questions with this word in their name")
    arguments = parser.parse_args()
    start = time.monotonic()
    if doctest.testmod(verdict).failed:
        return 1
    asked = question.read_all(arguments.only)
    with tempfile.TemporaryDirectory(prefix="unburden-questions-") as folder:
        root = Path(folder)
        service = Service(arguments.program.resolve(), root)
        try:
            stores, outcomes = run(service, root, asked)
            calls = sum(len(one.tries) for one in asked)
            files = len({one.file for one in asked})
            print(f"{len(asked)} questions over {files} data sets, {calls} calls\n")
            tables.table_of_calls(service, stores, outcomes)
            tables.table_of_levels(service, stores, outcomes)
            url = f"http://{service._address}/tools"
            with urllib.request.urlopen(url, timeout=60) as answer:
                tools = answer.read().decode()
            print(f"\ntool definitions: {doors.tokens(service, [tools])[0]} tokens")
        finally:
            service.close()
    tables.details(outcomes, (SILENT, STUCK, TOLD) if arguments.list else (SILENT,))
    first = [outcome for outcome in outcomes if outcome.group == FIRST]
    right = sum(outcome.verdict == RIGHT for outcome in first)
    silent = sum(outcome.verdict == SILENT and not outcome.literal for outcome in outcomes)
    print(
        f"\n{silent} wrong without a word; {right} of {len(first)} first calls right, "
        f"at least {FLOOR:.0%} wanted; {time.monotonic() - start:.0f} s"
    )
    return int(silent > 0 or right < FLOOR * len(first))


if __name__ == "__main__":
    sys.exit(main())
