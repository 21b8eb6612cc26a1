"""All kinds of harm by family, with what they need in place."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from attack import Evil
from client import Answer, ask
from evil_lines import holds, lines
from evil_posts import Minted, chats, histories, log, offload, references, results, turn, user
from evil_reads import mcp, others, reads, records
from good_chat import Chat
from home import Home
from planted import clears, plant, plants
from service import Service
from tally import Bench

# Of each family, one of these shows that the service worked on it.
WORKED = {
    "histories": {"200"},
    "results": {"200"},
    "references": {"200"},
    "reads": {"200"},
    "records": {"200", "422"},
    "mcp": {"200"},
    "chats": {"200"},
    "others": {"404", "422"},
    "holds": {"held", "unread", "408"},
    "lines": {"held", "400", "401", "413"},
}
# MiB of a planted file.
PLANTED = (30, 150)
PATIENCE = 60.0
MIB = 1024 * 1024
# Six bytes in JSON.
CONTROL = "\x01"
# Done many times at once in the end: a file that is spelled in six times its bytes, one
# line, whole files, and answers that nobody takes.
BURSTS = (
    "read_file hole",
    "read_file controls",
    "read_tool_result lines",
    "grep one line",
    "rehydrate 1000 real",
    "sort_by",
    "mcp many objects",
    "read_file unread",
    "rehydrate unread",
    "grep unread",
    "mcp unread",
)


def evils(bench: Bench, service: Service, good: Home, evil: Home) -> dict[str, list[Evil]]:
    """Each family by its name; the last one is all of them."""
    planted = plant(evil, bench.pick(*PLANTED))
    minted, chat = _minted(service, evil), _victim(service, good)
    families = {
        "histories": list(histories(evil, bench.full)),
        "results": list(results(evil, bench.full)),
        "references": list(references(evil, minted, bench.full)),
        "reads": list(reads(evil, planted, minted)),
        "records": list(records(evil, planted)),
        "mcp": list(mcp(evil, planted)),
        "chats": [*chats(evil), *plants(evil)],
        "others": list(others(evil, good, chat)),
        "holds": list(holds(evil, planted, minted)),
        "lines": list(lines(evil)),
    }
    assert set(families) == set(WORKED)
    # Side by side: the kinds of all families in turn.
    longest = max(len(family) for family in families.values())
    rows = [[family[n % len(family)] for family in families.values()] for n in range(longest)]
    for family in families.values():
        family.append(clears(evil))
    return families | {"all": [evil for row in rows for evil in row]}


def bursts(families: dict[str, list[Evil]]) -> list[Evil]:
    """Of each kind that is done at once, one."""
    kinds = {evil.kind: evil for family in families.values() for evil in family}
    return [kinds[name] for name in BURSTS]


def one(service: Service, request: bytes) -> Answer:
    """A request of the check's own."""
    return asyncio.run(ask(service.address, request, PATIENCE))


def _minted(service: Service, evil: Home) -> Minted:
    """A real reference and a real snapshot of the attacker's."""
    store = str(evil.folder / "minted")
    turns = [user("go"), *turn(1, log(100_000)), user("on")]
    moved = _messages(service, evil, offload(store, turns, preview_tokens=0))
    talk = [{"role": "system", "content": "Be brief."}]
    talk += [user(f"{n}: {log(3000, n)}") for n in range(30)]
    short = _messages(service, evil, offload(store, talk, "compress", chat_id="c"))
    block = short[0]["content"].removeprefix("Be brief.").strip()
    assert "(Original" in block, block[-300:]
    turns = [user("go"), *turn(2, CONTROL * (2 * MIB)), user("on")]
    body = json.dumps(offload(store, turns)).encode()
    stored = one(service, evil.post("/context_offload", body))
    assert stored.status == 200, stored
    return Minted(moved[2]["content"], block, f"{store}/tool_call_2.txt")


def _messages(service: Service, home: Home, body: dict[str, Any]) -> Any:
    answer = one(service, home.post("/context_offload", body))
    assert answer.status == 200, answer
    return json.loads(answer.whole)["messages"]


def _victim(service: Service, good: Home) -> Chat:
    """A chat of the good tenant's that the attacker knows all names of."""
    chat = Chat(good, 999_999)
    for request, came in ((chat.rows, chat.rows_came), (chat.post, chat.posted)):
        answer = one(service, request())
        assert answer.status == 200, answer
        wrong = came(json.loads(answer.whole))
        assert not wrong, wrong
    return chat
