"""A server from PyPI whose results are no JSON."""

import sqlite3
from functools import partial

from answers import Matches, Page, follow, page_change, told
from behind.bench import Bench, described, outcome, stored_text, the_list_has_ours_in_it
from client import Client, Sdk, over_stdio


def rows_become_a_file(bench: Bench, plain: Client, through: Client) -> None:
    query = {"query": "SELECT * FROM parts ORDER BY id"}
    direct = plain.call("read_query", **query)
    result = through.call("read_query", **query)
    file = described(bench, result, direct.text)
    bench.score.say(
        f"rows: {bench.count(direct.text)} tokens became {bench.count(result.text)}; {file.suffix}"
    )
    assert stored_text(file) == direct.text
    found = told(through.call("grep", pattern="the planted needle", path=str(file)))
    (match,) = Matches.of(found).shown
    assert "the planted needle" in match.text, found
    for start in ({}, {"byte_offset": 0}):
        pages = list(
            follow(
                partial(through.call, "read_file"),
                {"absolute_path": str(file)} | start,
                page_change,
            )
        )
        assert all(bench.count(page) < 10_100 for page in pages)
        bodies = [Page.of(page).body for page in pages]
        assert len(bodies) > 5 and "".join(bodies) == file.read_text(), len(bodies)


def statements_and_small_queries_pass(_: Bench, plain: Client, through: Client) -> None:
    for tool, arguments in (
        ("list_tables", {}),
        ("describe_table", {"table_name": "parts"}),
        ("read_query", {"query": "SELECT COUNT(*) AS n FROM parts"}),
        ("read_query", {"query": "SELECT nothing FROM nowhere"}),
    ):
        assert outcome(plain, tool, arguments) == outcome(through, tool, arguments), (
            tool,
            arguments,
        )


def behind_sqlite(bench: Bench, sdk: Sdk) -> None:
    """A table of parts, one of them the needle."""
    database = bench.root / "parts.db"
    with sqlite3.connect(database) as link:
        link.execute("CREATE TABLE parts (id INTEGER, name TEXT, price REAL)")
        names = [f"part {n} für Pumpen" for n in range(5_000)]
        names[3_333] = "the planted needle"
        link.executemany(
            "INSERT INTO parts VALUES (?, ?, ?)", [(n, name, n / 8) for n, name in enumerate(names)]
        )
    command = bench.servers.sqlite(database)
    proxy = over_stdio(bench.proxy(command=command))
    with bench.client(sdk, over_stdio(command)) as plain, bench.client(sdk, proxy) as through:
        for check in (
            the_list_has_ours_in_it,
            statements_and_small_queries_pass,
            rows_become_a_file,
        ):
            bench.check(f"sqlite, {sdk.name}", check, bench, plain, through)
    bench.score.say("proxy, sqlite")
