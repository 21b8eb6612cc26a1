"""The client goes away.

Promised: the store step completes or leaves nothing published; every published name is whole, no
temporary file stays, the service lives and serves others.
Injected: sockets that close, or reset, after k bytes of a request or of its answer."""

import contextlib
import json
import socket
import struct
import time
from collections.abc import Iterator

import histories
import store
from bench import Bench, Verdict, settled
from receipts import Receipts, lost
from service import Gone, Service, together
from traffic import Traffic

NEEDS = ()

_RESET = struct.pack("ii", 1, 0)


def _request(name: str, folder: str) -> bytes:
    is_result = histories.number(name, 3) == 0
    path = "/offload_result" if is_result else "/context_offload"
    content = histories.large(name, folder) if is_result else histories.offload(name, folder)
    body = json.dumps(content).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def _abort(service: Service, data: bytes, sent: int, read: int, pause: float, reset: bool) -> None:
    host, port = service.address.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        client.sendall(data[:sent])
        if sent == len(data):
            if read:
                client.recv(read)
            else:
                time.sleep(pause)


class _Aborts:
    """Clients that leave at every point, beside one that stays."""

    def __init__(self, bench: Bench, service: Service, folder) -> None:
        self.random = bench.random("aborts")
        self.service, self.folder = service, folder
        self.where = {"request": 0, "work": 0, "answer": 0}

    def once(self, n: int) -> None:
        """One client leaves."""
        data = _request(f"a{n}x", str(self.folder))
        reset, pause = self.random.random() < 0.5, self.random.uniform(0, 0.12)
        where = ("request", "work", "answer")[n % 3]
        self.where[where] += 1
        sent = self.random.randrange(len(data)) if where == "request" else len(data)
        read = self.random.choice((1, 20, 200, 3_000)) if where == "answer" else 0
        # The service may close first, which is its right.
        with contextlib.suppress(OSError):
            _abort(self.service, data, sent, read, pause, reset)


def run(bench: Bench) -> Iterator[Verdict]:
    """Aborts by four clients at a time; one good client goes on meanwhile."""
    root = bench.fresh("aborts")
    folder, kept, count = root / "store", Receipts(), bench.pick(60, 2_000)
    with Service(bench.program, root) as service:
        service.warm()
        aborts = _Aborts(bench, service, folder)
        traffic = Traffic(service, folder, "good", kept, clients=1)
        quarter = [range(k, count, 4) for k in range(4)]
        for thread in together(4, lambda k: [aborts.once(n) for n in quarter[k]]):
            thread.join(600)
        traffic.stop()
        faults = [*traffic.bad, *(f"{name} was not answered" for name in traffic.unanswered)]
        # What is under way ends; then nothing half is left.
        if not settled(lambda: not store.look(folder).temporary, 10):
            faults.append("temporary files stay though nobody writes")
        found = store.look(folder)
        faults += found.torn
        try:
            faults += [fault for receipt in kept.all for fault in lost(service, receipt)]
            faults += [] if service.get("/readyz")[0] == 200 else ["not ready afterwards"]
        except Gone as gone:
            faults.append(str(gone))
    places = ", ".join(f"{n} in the {where}" for where, n in aborts.where.items())
    if not traffic.answered:
        faults.append("the good client was never answered: nothing is proven")
    yield Verdict(
        f"{count:,} clients left ({places}), {found.whole:,} files whole, {len(found.torn)} torn, "
        f"a good client beside them: {traffic.answered} answers, {kept.references()} acknowledged",
        faults,
    )
