"""The door over HTTP: clients beside each other, and who may come in."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from client import Client, Refused, Sdk, over_http
from program import Served
from score import Score

SECRET = "the-token-of-this-test"


def _own_words(client: Client, store: Path, word: str) -> None:
    """Moves a result that only this client has, and finds its own word and no other's."""
    text = "".join(f"line {n} of {word}\n" for n in range(3_000))
    call = {"id": "call_same", "type": "function", "function": {"name": "scan", "arguments": "{}"}}
    history = [
        {"role": "user", "content": word},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_same", "content": text},
        {"role": "user", "content": "go on"},
    ]
    client.tools()
    moved = client.call(
        "context_offload", messages=history, store_dir=str(store), max_total_tokens=1
    )
    assert moved.data["report"]["outcome"] == "compacted"
    for line in range(0, 3_000, 300):
        found = client.call(
            "read_tool_result",
            result_id="call_same",
            store_dir=str(store),
            lines=f"{line + 1}-{line + 1}",
        )
        assert found.text.endswith(f"\n\n---\n\nline {line} of {word}\n"), found.text[-200:]


def two_clients_at_once(score: Score, url: str, root: Path, sdks: list[Sdk]) -> None:
    """Clients of different make, the same call id, stores of their own."""
    with (
        score.check("four clients at once, each with its own store"),
        ThreadPoolExecutor(4) as pool,
    ):
        clients = [Client(sdk, over_http(url), sdk.generations[-1]) for sdk in sdks]
        words = [f"client-{n}" for n in range(len(clients))]
        stores = [root / f"at-once-{word}" for word in words]
        try:
            for done in [
                pool.submit(_own_words, *row) for row in zip(clients, stores, words, strict=True)
            ]:
                done.result()
        finally:
            for client in clients:
                client.close()


def a_token_is_demanded(score: Score, binary: Path, root: Path, sdks: list[Sdk]) -> None:
    """Who has no token, or another, does not come in; through the SDK's headers it works."""
    file = root / "token"
    file.write_text(SECRET + "\n")
    with Served(binary, root, "--token-file", str(file)) as served, ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(_let_in, score, served.url, sdk) for sdk in sdks]
        runs += [pool.submit(_refused, score, served.url, sdk) for sdk in sdks]
        runs.append(
            pool.submit(_refused, score, served.url, sdks[2], Authorization="Bearer another")
        )
        for done in runs:
            done.result()


def _refused(score: Score, url: str, sdk: Sdk, **headers: str) -> None:
    with score.check(f"{sdk.name}: {'a wrong' if headers else 'no'} token is refused"):
        try:
            Client(sdk, over_http(url, **headers), sdk.generations[-1]).close()
        except Refused as error:
            # The second major of Python keeps the status to itself.
            words = ("401", "nauthorized", "Server returned an error response")
            assert any(word in str(error) for word in words), error
        else:
            raise AssertionError("it came in")


def _let_in(score: Score, url: str, sdk: Sdk) -> None:
    with score.check(f"{sdk.name}: the token lets it in"):
        client = Client(sdk, over_http(url, Authorization=f"Bearer {SECRET}"), sdk.generations[-1])
        try:
            assert len(client.tools()) == 5
            assert client.call("grep", pattern="x", path="/nowhere").failed
        finally:
            client.close()
