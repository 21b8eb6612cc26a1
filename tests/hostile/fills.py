"""Texts that a tokenizer, a preview or a summary may take more than linear time for."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from pathlib import Path

from doors import history, offload
from server import Server
from tally import Bench

MIB = 1024 * 1024
# Four times the text may take so many times the work, and a little for what is constant.
WORSE = 7.0
CONSTANT = 0.6

_seed = random.Random(11)
_BLOCK = 64 * 1024


def _of(choices: str) -> str:
    return "".join(_seed.choices(choices, k=_BLOCK))


def _unicode() -> str:
    points = [_seed.randrange(0xA0, 0x2FA20) for _ in range(_BLOCK)]
    return "".join(chr(p) for p in points if not 0xD800 <= p < 0xE000)


FILLS: dict[str, Callable[[], str]] = {
    "spaces": lambda: " ",
    "line feeds": lambda: "\n",
    "CRLF": lambda: "\r\n",
    "tabs": lambda: "\t",
    "spaces and line feeds": lambda: " \n",
    "one letter": lambda: "a",
    "one capital": lambda: "A",
    "mixed case": lambda: _of("aB"),
    "letters": lambda: _of("abcdefghijklmnopqrstuvwxyz"),
    "one digit": lambda: "0",
    "digits": lambda: _of("0123456789"),
    "punctuation": lambda: _of("!?.,;:-_()[]{}<>/\\|@#$%^&*~`'\"+="),
    "one dash": lambda: "-",
    "apostrophes": lambda: "'s't'll",
    "CJK": lambda: _of("上下文卸载的是不了人我在有他这为之大来以个中们"),
    "one CJK": lambda: "上",
    "emoji with joiners": lambda: "👩‍👩‍👧‍👦🏳️‍🌈",
    "combining marks": lambda: "e" + "\u0301" * 200,
    "only combining marks": lambda: "\u0301",
    "joiners": lambda: "\u200d",
    "bytes as latin1": lambda: bytes(_seed.randrange(256) for _ in range(_BLOCK)).decode("latin1"),
    "any unicode": _unicode,
    "base64": lambda: base64.b64encode(_seed.randbytes(_BLOCK)).decode(),
    "hex": lambda: _seed.randbytes(_BLOCK).hex(),
    "NUL": lambda: "\x00",
    "replacement characters": lambda: "\ufffd",
    "right to left": lambda: _of("אבגדהוזחטיכלמנסעפצקרשת \u202e"),
    "code without breaks": lambda: "a[i]=b(c,d);if(x){y++}else{z--}",
    "escapes": lambda: '\\"\\\\\\n',
    "words": lambda: _of("abcdefgh  \n"),
    "errors": lambda: "error: exit code 1\n",
    "brackets": lambda: "[{(",
    "special tokens": lambda: "<|endoftext|><|im_start|>",
}


def fills(bench: Bench) -> None:
    """Each fill at two sizes through the routes that count, preview and summarise."""
    root = Path(bench.folder) / "root"
    root.mkdir()
    large = bench.pick(MIB // 2, 40 * MIB)
    slowest = (1e9, "")
    names = list(FILLS) if bench.full else list(FILLS)[::2][:13]
    bench.tally.note("fills", len(names))
    bench.tally.note("MiB", large / MIB)
    # By its signs a fill of brackets alone may weigh 9 GB: the question here is its time.
    environment = {
        "UNBURDEN_STORE__DURABILITY": "relaxed",
        "UNBURDEN_SERVER__MEMORY_BYTES": str(16 * 1024 * MIB),
    }
    with Server(bench.program, str(root), cwd=str(root), environment=environment) as server:
        for name in names:
            unit = FILLS[name]()
            for route in ("/count_tokens", "/context_offload"):
                small = _work(bench, server, route, name, unit, large // 4)
                whole = _work(bench, server, route, name, unit, large)
                bound = small * WORSE + CONSTANT
                what = f"{route} {name}: {small:.2f} s of work, {whole:.2f} s for four times that"
                bench.tally.hold(whole <= bound, what)
                slowest = min(slowest, (large / MIB / max(whole, 0.01), f"{name} {route}"))
            if server.process.poll() is not None:
                bench.tally.fail(f"{name}: the server ended")
                return
        bench.tally.note("slowest MiB/s of work", f"{slowest[0]:.1f} ({slowest[1]})")
        bench.tally.note("peak MiB", round(server.peak_mib()))
        bench.tally.hold("panic" not in server.said(), "a panic: " + server.said()[-400:])


def _work(bench: Bench, server: Server, route: str, name: str, unit: str, size: int) -> float:
    """Seconds of work for a result of `size` bytes on the wire, at most."""
    each = max(len(json.dumps(unit)) - 2, len(unit.encode()))
    messages = history("call_1", unit * max(1, size // each))
    request = offload("store", messages, include_files=False)
    request |= {"context_manage_mode": "auto"} if route == "/context_offload" else {}
    before = server.cpu_seconds()
    reply = server.post(route, request)
    bench.tally.add("requests")
    what = f"{route} {name} of {size} bytes: {reply.status} {reply.body[:300]!r}"
    bench.tally.hold(reply.status == 200, what)
    return server.cpu_seconds() - before
