"""The filesystem server, which has a `read_file` of its own."""

import json
import re
import time
from pathlib import Path

from answers import Matches, told
from behind.bench import (
    ADDED,
    Bench,
    described,
    outcome,
    spelled,
    stored_text,
)
from client import Client, Sdk, over_stdio

RECORDS, PLANTED = 20_000, 13_337


def one_record(n: int) -> str:
    title = "the planted needle" if n == PLANTED else f"ticket {n} about the pump"
    return (
        f'{{"id": "R-{n}", "score": {n % 90}.10, "serial": {10**6 + n}9007199254740993, '
        f'"owner": "{("ada", "lin", "sol")[n % 3]}", "title": "{title}", "tags": ["a", {n % 7}]}}'
    )


def array_of_records() -> str:
    return "[" + ", ".join(map(one_record, range(RECORDS))) + "]"


def ten_megabytes() -> str:
    said = "the pumps of the cellar run and nothing else is to be said of them today, as ever"
    line = "{:06d} " + said + " and always\n"
    lines = [line.format(n) for n in range(100_000)]
    lines[77_777] = "077777 the key of the cellar lies under the third stone\n"
    return "".join(lines)


def the_list_is_the_servers_and_ours(_: Bench, plain: Client, through: Client) -> None:
    upstream, seen = plain.listed, through.listed
    ours = {f"unburden_{name}" if name in upstream else name for name in ADDED}
    assert set(seen) == set(upstream) | ours, set(seen) ^ (set(upstream) | ours)
    for name, tool in upstream.items():
        # What may become a descriptor fits no schema of the server's.
        wanted = {key: value for key, value in tool.items() if key != "outputSchema"}
        assert seen[name] == wanted, (name, seen[name])
    for name in ours:
        assert seen[name]["annotations"]["readOnlyHint"] is True
        # Hosts would show a model what it promises instead of the text.
        assert "outputSchema" not in seen[name], seen[name]


def small_results_are_the_same(bench: Bench, plain: Client, through: Client) -> None:
    folder = str(bench.files)
    for tool, arguments in (
        ("read_text_file", {"path": f"{folder}/small.txt"}),
        ("read_file", {"path": f"{folder}/small.txt"}),
        ("list_allowed_directories", {}),
        ("directory_tree", {"path": folder}),
        ("read_media_file", {"path": f"{folder}/dot.png"}),
        ("read_text_file", {"path": f"{folder}/gone.txt"}),
        ("read_text_file", {"path": "/etc/passwd"}),
        ("read_text_file", {"road": 1}),
    ):
        assert outcome(plain, tool, arguments) == outcome(through, tool, arguments), (
            tool,
            arguments,
        )


def records_become_a_file_of_records(bench: Bench, plain: Client, through: Client) -> None:
    text = array_of_records()
    path = f"{bench.files}/records.json"
    direct = plain.call("read_text_file", path=path)
    assert direct.text == text
    result = through.call("read_text_file", path=path)
    file = described(bench, result, text)
    # Its tokens are counted by their share, as counting a million takes a second.
    tokens = bench.count(text[: len(text) // 20]) * 20
    bench.score.say(
        f"records: about {tokens} tokens became {bench.count(result.text)}; {file.suffix}"
    )
    header, *lines = file.read_text().splitlines()
    assert (
        json.loads(header)["type"] == "lro_header"
        and json.loads(header)["operation"] == "read_text_file"
    )
    assert len(lines) == RECORDS
    assert [spelled(line) for line in lines] == spelled(text), "the data was altered"
    counted = through.call("lro_extract", file_path=str(file), group_by="owner")
    assert '"ada": 6667' in counted.text, counted.text
    needle = through.call(
        "lro_extract",
        file_path=str(file),
        where={"field": "title", "op": "contains", "value": "planted"},
    )
    assert (
        f'"R-{PLANTED}"' in needle.text and f"{10**6 + PLANTED}9007199254740993" in needle.text
    ), needle.text
    found = through.call("grep", pattern="planted needle", path=str(file))
    assert [match.line for match in Matches.of(told(found)).shown] == [PLANTED + 2], found.text


def the_descriptor_names_the_tools_as_they_are_here(
    bench: Bench, plain: Client, through: Client
) -> None:
    text = through.call("read_text_file", path=f"{bench.files}/records.json").text
    known = set(through.listed)
    named = set(
        re.findall(r"\b(?:unburden_)?(?:read_file|grep|lro_extract|read_tool_result)\b", text)
    )
    assert "lro_extract" in named and named <= known, named
    # Plain `read_file` is the server's own here and cannot read our pages.
    assert "read_file" not in named, text[:1500]


def ten_megabytes_become_a_file(bench: Bench, plain: Client, through: Client) -> None:
    text = ten_megabytes()
    # Without the proxy the TypeScript client drops the connection: 20 MB are too much for it.
    # So there is nothing to compare with but what was written.
    start = time.monotonic()
    result = through.call("read_text_file", path=f"{bench.files}/ten.txt")
    took = time.monotonic() - start
    file = described(bench, result, text)
    tokens, shown = len(text) // 4, bench.count(result.text)
    bench.score.say(f"{len(text)} bytes: about {tokens} tokens became {shown} in {took:.1f} s")
    assert stored_text(file) == text, "the file is not the text"
    found = told(through.call("grep", pattern="key of the cellar", path=str(file)))
    (match,) = Matches.of(found).shown
    page = told(
        through.call(
            "unburden_read_file", absolute_path=str(file), start_line=match.line, limit=1
        )
    )
    assert "077777 the key of the cellar lies under the third stone" in page, page
    assert len(page) < 300, page


def fill(folder: Path) -> None:
    """The files that are read through the proxy and without it."""
    folder.mkdir()
    (folder / "small.txt").write_text("Grüße aus dem Keller\r\n\u2028end")
    (folder / "dot.png").write_bytes(bytes.fromhex("89504e470d0a1a0a0000000d49484452"))
    (folder / "records.json").write_text(array_of_records())
    (folder / "medium.json").write_text("[" + ", ".join(map(one_record, range(500))) + "]")
    (folder / "ten.txt").write_text(ten_megabytes())


def behind_filesystem(bench: Bench, sdk: Sdk) -> None:
    """Text and records, small and large, and what the options leave alone."""
    command, label = bench.servers.filesystem(bench.files), f"filesystem, {sdk.name}"
    through_proxy = over_stdio(bench.proxy(command=command))
    with (
        bench.client(sdk, over_stdio(command)) as plain,
        bench.client(sdk, through_proxy) as through,
    ):
        for check in (
            the_list_is_the_servers_and_ours,
            small_results_are_the_same,
            records_become_a_file_of_records,
            the_descriptor_names_the_tools_as_they_are_here,
            ten_megabytes_become_a_file,
        ):
            bench.check(label, check, bench, plain, through)
        if sdk.driver[0] == "node":
            bench.check(label, what_is_denied_passes_unaltered, bench, sdk, plain, command)
    bench.score.say(f"proxy, {label}")


def what_is_denied_passes_unaltered(
    bench: Bench, sdk: Sdk, plain: Client, command: list[str]
) -> None:
    path = f"{bench.files}/medium.json"
    direct = plain.call("read_text_file", path=path).raw
    for options, altered, schema in (
        (["--deny", "read_text_file"], False, True),
        (["--allow", "list_directory"], False, True),
        (["--allow", "read_text_file"], True, False),
        (["--threshold", "100000000"], False, False),
        (["--off"], False, True),
    ):
        with bench.client(sdk, over_stdio(bench.proxy(*options, command=command))) as through:
            same = through.call("read_text_file", path=path).raw == direct
            assert same is not altered, options
            assert ("outputSchema" in through.listed["read_text_file"]) is schema, options
            if options == ["--off"]:
                assert through.listed == plain.listed
