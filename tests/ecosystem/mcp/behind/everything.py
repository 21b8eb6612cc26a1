"""The server `everything`: what is no result of a tool."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from answers import Matches, told
from behind.bench import (
    Bench,
    described,
    outcome,
    the_list_has_ours_in_it,
)
from client import Answered, Client, Sdk, over_http, over_stdio, settled
from upstreams import OverHttp, recorded

# Variables of the environment, each of them small.
STONES = 150


def everything_small_is_the_same(_: Bench, plain: Client, through: Client) -> None:
    for tool, arguments in (
        ("echo", {"message": "Grüße"}),
        ("get-sum", {"a": 1.5, "b": 2}),
        ("get-structured-content", {"location": "Chicago"}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-resource-links", {"count": 3}),
        ("echo", {"mess": 1}),
        ("no-such-tool", {}),
    ):
        assert outcome(plain, tool, arguments) == outcome(through, tool, arguments), (
            tool,
            arguments,
        )
    for what in ("prompts", "resources"):
        assert plain.ask(what) == through.ask(what), what


def progress_passes(_: Bench, __: Client, through: Client) -> None:
    arguments = {"duration": 0.6, "steps": 3}
    through.events.clear()
    through.ask("call", name="trigger-long-running-operation", arguments=arguments, progress=True)
    seen = [event["params"]["progress"] for event in through.events if event["event"] == "progress"]
    # The TypeScript SDK forgets the last step when the result follows at once, proxy or not.
    assert seen[:2] == [1, 2] and seen[2:] in ([], [3]), seen


def logging_passes(_: Bench, __: Client, through: Client) -> None:
    through.events.clear()
    through.ask("level", level="debug")
    assert not through.call("toggle-simulated-logging").failed
    end = time.monotonic() + 12
    while not any(event["event"] == "log" for event in through.events):
        assert time.monotonic() < end, "no log message came"
        time.sleep(0.05)
    through.call("toggle-simulated-logging")


def sampling_passes_both_ways(_: Bench, __: Client, through: Client) -> None:
    through.events.clear()
    result = through.call("trigger-sampling-request", prompt="say something", maxTokens=7)
    (asked,) = [event["params"] for event in through.events if event["event"] == "sampling"]
    assert asked["maxTokens"] == 7 and "say something" in json.dumps(asked["messages"]), asked
    assert "sampled by the client" in result.text, result.text


def elicitation_passes_both_ways(_: Bench, __: Client, through: Client) -> None:
    through.events.clear()
    result = through.call("trigger-elicitation-request")
    assert any(event["event"] == "elicitation" for event in through.events)
    assert "Ada of the client" in json.dumps(result.raw["content"]), result.raw


def a_call_that_is_given_up_holds_up_nothing(_: Bench, __: Client, through: Client) -> None:
    slow = {"name": "trigger-long-running-operation", "arguments": {"duration": 30, "steps": 1}}
    waiting = through.begin("call", **slow, give_up=0.5)
    start = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: through.call("echo", message=f"{n}").text, range(16))) == [
            f"Echo: {n}" for n in range(16)
        ]
    assert time.monotonic() - start < 10, "the slow call held up the others"
    try:
        raise AssertionError(settled(waiting))
    except Answered as error:
        assert error.code is None or error.code == -32001, error


def a_large_environment_becomes_a_file(bench: Bench, plain: Client, through: Client) -> None:
    direct = plain.call("get-env")
    result = through.call("get-env")
    file = described(bench, result, direct.text)
    search = partial(through.call, "grep", path=str(file), literal=True)
    found = told(search(pattern="under-the-third-stone"))
    assert Matches.of(found).shown, found
    assert "under-the-third-stone" in direct.text
    # What the command line does not name stays with the proxy.
    kept = told(search(pattern="kept-from-the-server"))
    assert "kept-from-the-server" in direct.text and Matches.of(kept).total == 0, kept


def behind_everything(bench: Bench, sdk: Sdk, url: OverHttp | None) -> None:
    """As a child of the proxy, or at `url`."""
    label = f"everything over {'HTTP' if url else 'stdio'}, {sdk.name}"
    command = bench.servers.everything()
    record = bench.root / f"record-{sdk.name.replace(' ', '')}"
    if url:
        header = ["--header", "X-Passed: through"]
        direct, proxy = over_http(url.direct), over_stdio(bench.proxy(*header, url=url.tapped))
    else:
        direct, proxy = (
            over_stdio(command),
            over_stdio(
                bench.proxy(
                    *(f"--env=STONE_{n}" for n in range(STONES)),
                    command=recorded(command, record),
                )
            ),
        )
    for target in (direct, proxy):
        many = {f"STONE_{n}": f"{n} " * 40 + "under-the-third-stone" for n in range(STONES)}
        many["UNBURDEN_LLM__API_KEY"] = "kept-from-the-server"
        target["env"] = target.get("env", {}) | many
    checks = [
        the_list_has_ours_in_it,
        everything_small_is_the_same,
        progress_passes,
        logging_passes,
        sampling_passes_both_ways,
        elicitation_passes_both_ways,
        a_call_that_is_given_up_holds_up_nothing,
    ]
    with bench.client(sdk, direct) as plain, bench.client(sdk, proxy) as through:
        for check in checks + ([] if url else [a_large_environment_becomes_a_file]):
            bench.check(label, check, bench, plain, through)
    if url:
        bench.check(label, the_server_sees_the_proxy_in_the_headers, bytes(url.sent))
    else:
        bench.check(label, the_server_sees_the_proxy_in_the_handshake, record)
    bench.score.say(f"proxy, {label}")


def the_server_sees_the_proxy_in_the_handshake(record: Path) -> None:
    messages = [json.loads(line) for line in record.read_text().splitlines()]
    (begun,) = [message["params"] for message in messages if message.get("method") == "initialize"]
    assert begun["clientInfo"]["proxy"] is True and begun["clientInfo"]["name"], begun
    declared = begun["capabilities"]["experimental"]["io.github.unburden/proxy"]
    assert declared["version"], declared
    assert "sampling" in begun["capabilities"], "the client's own capabilities stay"


def the_server_sees_the_proxy_in_the_headers(sent: bytes) -> None:
    heads = [
        head.lower()
        for head in re.findall(rb"(?:POST|GET|DELETE) /mcp HTTP/1\.1\r\n.*?\r\n\r\n", sent, re.S)
    ]
    assert len(heads) > 10
    assert all(
        b"\r\nx-mcp-proxy: unburden/" in head and b"\r\nx-passed: through" in head for head in heads
    )
    assert sum(b"\r\nmcp-session-id: " in head for head in heads) > 10
    assert any(head.startswith(b"get ") for head in heads) and any(
        head.startswith(b"delete ") for head in heads
    )
    assert b'"proxy":true' in sent.replace(b" ", b"")
