"""SIGTERM under load, and with a request that never ends.

Promised: what was accepted is answered, then the process ends with status 0; it waits no longer
than the drain limit. A request counts as accepted when its `100 Continue` came: the service asks
for its body.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field

from bodies import Chats
from client import receive
from service import Address, Service
from tally import Bench

CLIENTS = 16
# Seconds of load before the signal; the limits of the two parts.
LOAD, DRAIN, SHORT_DRAIN = 2.0, 15, 3
EXPECT = "Expect: 100-continue\r\n"


@dataclass
class Drained:
    """What became of the requests of a round."""

    accepted: int = 0
    after_signal: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def drain(bench: Bench) -> None:
    """Rounds of load, then one request without an end."""
    tally, slowest, all_rounds = bench.tally, 0.0, Drained()
    rounds = bench.pick(3, 20)
    for number in range(rounds):
        drained, seconds, status = _round(bench, number)
        slowest = max(slowest, seconds)
        all_rounds.accepted += drained.accepted
        all_rounds.after_signal += drained.after_signal
        all_rounds.lost += drained.lost
        tally.hold(status == 0, f"round {number}: exit status {status}")
        tally.hold(drained.after_signal > 0, f"round {number}: no answer was still due")
        documented = set(drained.statuses) <= {200, 503}
        tally.hold(documented, f"round {number}: {drained.statuses}")
        tally.hold(seconds <= DRAIN, f"round {number}: {seconds:.1f} s of {DRAIN}")
    tally.note("rounds", rounds)
    tally.note("accepted", all_rounds.accepted)
    tally.note("answered after the signal", all_rounds.after_signal)
    tally.note("lost", len(all_rounds.lost))
    tally.note("slowest end s", f"{slowest:.2f}")
    tally.hold(not all_rounds.lost, f"accepted, never answered: {all_rounds.lost[:4]}")
    _endless(bench)


def _round(bench: Bench, number: int) -> tuple[Drained, float, int | None]:
    with Service(bench.program, bench.folder, server__drain_seconds=DRAIN) as service:
        return asyncio.run(_load(service, number))


async def _load(service: Service, number: int) -> tuple[Drained, float, int | None]:
    drained, stop = Drained(), asyncio.Event()
    chats = Chats(number)
    clients = [_client(service.address, chats, drained, stop) for _ in range(CLIENTS)]
    tasks = [asyncio.create_task(client) for client in clients]
    await asyncio.sleep(LOAD)
    began = time.monotonic()
    stop.set()
    service.process.send_signal(signal.SIGTERM)
    seconds, status = await asyncio.to_thread(_ended, service, began, DRAIN + 5)
    await asyncio.wait_for(asyncio.gather(*tasks), timeout=30)
    return drained, seconds, status


def _ended(service: Service, began: float, patience: float) -> tuple[float, int | None]:
    try:
        status: int | None = service.process.wait(timeout=patience)
    except subprocess.TimeoutExpired:
        status = None
    return time.monotonic() - began, status


async def _client(address: Address, chats: Chats, drained: Drained, stop: asyncio.Event) -> None:
    while not stop.is_set():
        head, body = chats.request().split(b"\r\n\r\n", 1)
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        client.setblocking(False)
        try:
            await _accepted(client, address, head)
        except OSError:
            # Who was not let in may be refused.
            client.close()
            continue
        drained.accepted += 1
        try:
            status = await _answered(client, body)
            drained.statuses[status] = drained.statuses.get(status, 0) + 1
            drained.after_signal += stop.is_set()
        except OSError as error:
            drained.lost.append(repr(error))
        finally:
            client.close()


async def _accepted(client: socket.socket, address: Address, head: bytes) -> None:
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, address)
    await loop.sock_sendall(client, head + b"\r\n" + EXPECT.encode() + b"\r\n")
    said = b""
    while not said.endswith(b"\r\n\r\n"):
        data = await loop.sock_recv(client, 4096)
        if not data:
            raise ConnectionAbortedError("the line ended")
        said += data
    if not said.startswith(b"HTTP/1.1 100 "):
        raise ConnectionAbortedError("refused")


async def _answered(client: socket.socket, body: bytes) -> int:
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(client, body)
    head, _ = await receive(client, bytearray())
    return int(head.split(b" ", 2)[1])


def _endless(bench: Bench) -> None:
    """A body that goes on by a byte now and then, for longer than the service may wait."""
    with Service(bench.program, bench.folder, server__drain_seconds=SHORT_DRAIN) as service:
        head = b"POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        with socket.create_connection(service.address) as client:
            client.sendall(head)
            time.sleep(0.5)
            client.sendall(b"{")
            began = time.monotonic()
            service.process.send_signal(signal.SIGTERM)
            while service.process.poll() is None and time.monotonic() - began < SHORT_DRAIN + 10:
                time.sleep(0.25)
                _drip(client)
            seconds = time.monotonic() - began
        status = service.process.poll()
    bench.tally.note("with one that never ends s", f"{seconds:.2f} of {SHORT_DRAIN}")
    bench.tally.hold(status == 0, f"with one that never ends: exit status {status}")
    inside = SHORT_DRAIN - 0.5 <= seconds <= SHORT_DRAIN + 1
    bench.tally.hold(inside, f"ended after {seconds:.2f} s, not after {SHORT_DRAIN}")


def _drip(client: socket.socket) -> None:
    try:
        client.sendall(b" ")
    except OSError:
        # The service has left; that is what is waited for.
        pass
