"""Bodies that cost a parser the most, twenty at once, in the memory of a small container.

Promised: each is answered or refused with a documented status, and nothing is killed for its
memory. The shapes are those of tests/hostile.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from bodies import post
from client import Answer, ask
from crowd import kinds
from group import MemoryGroup
from overload import LIMIT, MIB
from service import Service
from tally import Bench

PARALLEL = 20
PATIENCE = 150.0
# All at the body limit, and smaller ones of which some are let in.
SIZES = (64, 16, 4)
SHORT = ("tiny_messages", "records_small", "many_results")
# 400 and 422: some shapes are no JSON, or no messages.
DOCUMENTED = {"200", "400", "413", "422", "503"}


def heavy(bench: Bench) -> None:
    """Each shape in each size; a service of its own for each shape."""
    shapes = _shapes()
    names = list(shapes.SHAPES) if bench.full else list(SHORT)
    bench.tally.note("shapes", len(names))
    got: dict[int, list[Answer]] = {size: [] for size in SIZES}
    most = kills = 0
    for name in names:
        held, killed = _shape(bench, name, shapes.body, got)
        most, kills = max(most, held), kills + killed
    for size, answers in got.items():
        bench.tally.note(f"{size} MiB", kinds(answers))
    bench.tally.note("most held MiB", most)
    bench.tally.note("killed for memory", kills)
    let_in = any(answer.status == 200 for answers in got.values() for answer in answers)
    bench.tally.hold(let_in, "none was let in: this tells nothing")


def _shape(
    bench: Bench,
    name: str,
    body: Callable[[str, int, str], bytes],
    got: dict[int, list[Answer]],
) -> tuple[int, int]:
    group = MemoryGroup(LIMIT)
    try:
        with Service(bench.program, bench.folder, group) as service:
            for size in SIZES:
                request = post("/context_offload", body(name, size * MIB - 2048, "store"))
                answers = asyncio.run(_burst(service, request))
                got[size] += answers
                statuses = {answer.fault or str(answer.status) for answer in answers}
                where = f"{name} of {size} MiB: {kinds(answers)}"
                bench.tally.hold(statuses <= DOCUMENTED, where)
                retry = all(answer.retry for answer in answers if answer.status == 503)
                bench.tally.hold(retry, f"{where}: a 503 without Retry-After")
            held = service.kib("VmHWM") // 1024
            bench.tally.hold(service.alive(), f"{name}: the service does not answer")
            bench.tally.hold("panicked" not in service.said(), f"{name}: a panic")
        kills = group.kills()
        bench.tally.hold(kills == 0, f"{name}: {kills} killed for their memory")
        return held, kills
    finally:
        group.remove()


async def _burst(service: Service, request: bytes) -> list[Answer]:
    async def one() -> Answer:
        answer = await ask(service.address, request, PATIENCE)
        answer.whole = b""
        return answer

    return list(await asyncio.gather(*(one() for _ in range(PARALLEL))))


def _shapes() -> ModuleType:
    """`shapes.py` of the neighbour, whose other modules have names that ours have, too."""
    path = Path(__file__).parent.parent / "hostile" / "shapes.py"
    spec = importlib.util.spec_from_file_location("hostile_shapes", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
