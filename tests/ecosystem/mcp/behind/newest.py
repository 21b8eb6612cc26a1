"""A server of the newest generation: no sessions, and questions that take a second round."""

import json
from pathlib import Path

from behind.bench import (
    DESCRIPTOR,
    Bench,
    described,
    spelled,
    stored_path,
    stored_text,
    the_list_has_ours_in_it,
)
from client import Client, Sdk, over_http, over_stdio
from upstreams import OverHttp, recorded


def the_newest_generation_is_kept(_: Bench, plain: Client, through: Client) -> None:
    assert plain.info == through.info and through.info["version"] == "2026-07-28", through.info


def an_inventory_becomes_a_file(bench: Bench, plain: Client, through: Client) -> None:
    assert plain.call("inventory", count=3).raw == through.call("inventory", count=3).raw
    direct = plain.call("inventory", count=2_000)
    result = through.call("inventory", count=2_000)
    file = described(bench, result, direct.text)
    header, *lines = file.read_text().splitlines()
    assert list(map(spelled, lines)) == spelled(direct.text)["items"]
    assert "total" in header, "what stood around the records is kept"
    one = through.call(
        "lro_extract", file_path=str(file), where={"field": "id", "op": "=", "value": "I-1234"}
    )
    assert '"price":154.25' in one.text.replace(" ", ""), one.text


def only_the_text_of_a_resource_changes(bench: Bench, plain: Client, through: Client) -> None:
    assert plain.call("manual", pages=2).raw == through.call("manual", pages=2).raw
    direct, result = (client.call("manual", pages=2_000).raw for client in (plain, through))
    text = direct["content"][1]["resource"].pop("text")
    descriptor = result["content"][1]["resource"].pop("text")
    assert direct == result, "the picture, the word, the address, annotations and the rest stay"
    assert bench.count(descriptor) < DESCRIPTOR
    assert stored_text(stored_path(bench, descriptor)) == text


def all_steps_of_progress_pass(_: Bench, __: Client, through: Client) -> None:
    through.events.clear()
    through.ask("call", name="steps", arguments={}, progress=True)
    seen = [event["params"]["progress"] for event in through.events if event["event"] == "progress"]
    assert seen == [1, 2, 3], seen


def a_question_takes_its_second_round(_: Bench, __: Client, through: Client) -> None:
    through.events.clear()
    assert "Hello Ada of the client" in through.call("greet").text
    assert [event["event"] for event in through.events] == ["elicitation"]


def every_request_declares_the_proxy(record: Path) -> None:
    messages = [json.loads(line) for line in record.read_text().splitlines()]
    calls = [
        message["params"]["_meta"] for message in messages if message.get("method") == "tools/call"
    ]
    assert len(calls) > 3
    for meta in calls:
        assert meta["io.modelcontextprotocol/clientInfo"]["proxy"] is True, meta
        capabilities = meta["io.modelcontextprotocol/clientCapabilities"]
        assert capabilities["experimental"]["io.github.unburden/proxy"]["version"], meta


def behind_newest(bench: Bench, sdk: Sdk, url: OverHttp | None) -> None:
    """As a child of the proxy, or at `url`."""
    label = f"the newest generation over {'HTTP' if url else 'stdio'}, {sdk.name}"
    record = bench.root / "record-newest"
    if url:
        direct, proxy = over_http(url.direct), over_stdio(bench.proxy(url=url.tapped))
    else:
        command = bench.servers.newest()
        direct, proxy = (
            over_stdio(command),
            over_stdio(bench.proxy(command=recorded(command, record))),
        )
    with bench.client(sdk, direct) as plain, bench.client(sdk, proxy) as through:
        for check in (
            the_newest_generation_is_kept,
            the_list_has_ours_in_it,
            an_inventory_becomes_a_file,
            only_the_text_of_a_resource_changes,
            all_steps_of_progress_pass,
            a_question_takes_its_second_round,
        ):
            bench.check(label, check, bench, plain, through)
    if not url:
        bench.check(label, every_request_declares_the_proxy, record)
    bench.score.say(f"proxy, {label}")
