"""Requests that are small on the wire and large inside, or that two readers read in two ways."""

from __future__ import annotations

import gzip
import json
import socket
import time
import zlib
from pathlib import Path

from server import Server
from tally import Bench

MIB = 1024 * 1024
LIMIT = 4 * MIB
SOON = 20.0
GROWTH_MIB = 200

# A frame of 64 MiB of zeros as zstd and brotli write it, for whom no library is needed: zstd
# in blocks of one repeated byte.
ZSTD_BLOCKS = 512


def bombs(bench: Bench) -> None:
    """Each on a connection of its own; then the server must still answer."""
    root = Path(bench.folder) / "root"
    root.mkdir()
    environment = {"UNBURDEN_SERVER__BODY_LIMIT_BYTES": str(LIMIT)}
    with Server(bench.program, str(root), cwd=str(root), environment=environment) as server:
        before = server.peak_mib()
        trial = Trial(bench, server)
        _encoded(trial)
        _large(trial)
        _headers(trial)
        _ambiguous(trial)
        bench.tally.note("peak growth MiB", round(server.peak_mib() - before))
        grown = server.peak_mib() - before
        bench.tally.hold(grown < GROWTH_MIB, f"the server grew by {grown} MiB")
        bench.tally.hold("panic" not in server.said(), "a panic: " + server.said()[-400:])


class Trial:
    """Raw bytes to the server, and what it says to them."""

    def __init__(self, bench: Bench, server: Server) -> None:
        self.tally = bench.tally
        self.server = server

    def send(self, what: str, *pieces: bytes, accepted: set[int], most: int = 1) -> bytes:
        """Statuses of the answers must be among those accepted; 0 is a closed connection."""
        started = time.monotonic()
        answer = self._exchange(pieces, most, 1.0 if 0 in accepted else SOON)
        took = time.monotonic() - started
        self.tally.add("requests")
        statuses = [int(row.split()[1]) for row in answer.split(b"\r\n") if row[:7] == b"HTTP/1."]
        for status in statuses or [0]:
            self.tally.hold(status in accepted, f"{what}: {status}: {answer[:300]!r}")
        self.tally.hold(len(statuses) <= most, f"{what}: {len(statuses)} answers: {statuses}")
        self.tally.hold(took < SOON, f"{what}: {took:.1f} s")
        self.tally.hold(self.server.alive(), f"{what}: the server does not answer")
        return answer

    def _exchange(self, pieces: tuple[bytes, ...], most: int, patience: float) -> bytes:
        """Sends all that the server takes, then reads until it says no more. What may be
        answered by nothing is not waited for long."""
        answer = b""
        with socket.create_connection(self.server.address, timeout=patience) as line:
            try:
                for piece in pieces:
                    line.sendall(piece)
            except OSError:
                self.tally.add("cut off while sending")
            try:
                while len(answer) < MIB and (more := line.recv(65536)):
                    answer += more
                    if _complete(answer):
                        line.settimeout(0.5 if most > 1 else 0.03)
            except OSError:
                pass
        return answer


def _complete(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    lengths = [row for row in head.lower().split(b"\r\n") if row.startswith(b"content-length:")]
    return bool(lengths) and len(body) >= int(lengths[0].split(b":")[1])


def _post(body: bytes, *headers: str, path: str = "/context_offload") -> bytes:
    rows = [f"POST {path} HTTP/1.1", "host: 127.0.0.1", *headers]
    return "\r\n".join(rows).encode("latin-1") + b"\r\n\r\n" + body


def _length(body: bytes) -> str:
    return f"content-length: {len(body)}"


def _request() -> bytes:
    message = {"role": "user", "content": "x" * 1000}
    return json.dumps({"messages": [message] * 20, "store_dir": "store"}).encode()


def _zstd() -> bytes:
    """A frame whose blocks each stand for 128 KiB of one byte."""
    block = (128 * 1024 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    last = (128 * 1024 << 3 | 1 << 1 | 1).to_bytes(3, "little") + b"a"
    return b"\x28\xb5\x2f\xfd" + b"\x00\x58" + block * ZSTD_BLOCKS + last


def _encoded(trial: Trial) -> None:
    """What is encoded is refused or taken for the bytes that it is; it is never expanded."""
    bomb = gzip.compress(b"a" * (64 * MIB))
    nested = gzip.compress(gzip.compress(bomb))
    good = gzip.compress(_request())
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = raw.compress(b"a" * (64 * MIB)) + raw.flush()
    # Brotli: a window of 24 bits, then a metablock that claims more than follows.
    brotli = bytes.fromhex("0f0080aaaaaaeaff74f8") + b"\x00" * 64
    bodies = {
        "gzip": (bomb, nested, good, good[:20], b""),
        "x-gzip": (good,),
        "deflate": (deflated, zlib.compress(_request())),
        "br": (brotli,),
        "zstd": (_zstd(),),
        "gzip, gzip": (nested,),
        "identity, gzip": (good,),
        "compress": (good,),
        "nonsense": (good,),
    }
    for encoding, shapes in bodies.items():
        for body in shapes:
            for path in ("/context_offload", "/mcp"):
                request = _post(body, f"content-encoding: {encoding}", _length(body), path=path)
                trial.send(f"{encoding} to {path}", request, accepted={400, 406, 415, 422})
    chunked = _post(
        b"%x\r\n" % len(good) + good + b"\r\n0\r\n\r\n", "transfer-encoding: gzip, chunked"
    )
    trial.send("transfer-encoding gzip", chunked, accepted={0, 400, 415, 422, 501})


def _large(trial: Trial) -> None:
    """Bodies above the limit, announced, unannounced, and announced but never sent."""
    piece = b"a" * MIB
    whole = [piece] * (LIMIT // MIB + 1)
    over = f"content-length: {len(whole) * MIB}"
    trial.send("over the limit", _post(b"", over), *whole, accepted={413})
    chunks = [b"%x\r\n" % MIB + piece + b"\r\n"] * len(whole)
    chunked = _post(b"", "transfer-encoding: chunked")
    trial.send("over the limit, chunked", chunked, *chunks, b"0\r\n\r\n", accepted={413})
    endless = [b"%x\r\n" % MIB + piece + b"\r\n"] * 40
    trial.send("an endless body", chunked, *endless, accepted={0, 413})
    many = b"1\r\na\r\n" * (LIMIT // 8)
    trial.send("a chunk for each byte", chunked, many, b"0\r\n\r\n", accepted={0, 400, 413, 422})
    for length in (2**63 - 1, 2**62, 10**15):
        promised = _post(b"{}", f"content-length: {length}")
        trial.send(f"a promise of {length} bytes", promised, accepted={0, 400, 408, 413})
    for length in ("-1", "+1", "1e3", "0x10", "18446744073709551616", "9" * 400, "1 1", ""):
        wrong = _post(b"{}", f"content-length: {length}")
        trial.send(f"content-length {length[:30]!r}", wrong, accepted={0, 400, 413, 422})
    for size in ("ffffffffffffffff", "fffffffffffffffffffff", "-1", "7fffffffffffffff", "g", ""):
        broken = _post(size.encode() + b"\r\na", "transfer-encoding: chunked")
        trial.send(f"a chunk of {size!r}", broken, accepted={0, 400, 408, 413})
    extension = _post(b"2;" + b"x" * MIB + b"\r\n{}\r\n0\r\n\r\n", "transfer-encoding: chunked")
    trial.send("a chunk's extension of 1 MiB", extension, accepted={0, 400, 413, 422})
    trailers = b"".join(b"x-%d: y\r\n" % n for n in range(20_000))
    trailing = _post(b"2\r\n{}\r\n0\r\n" + trailers + b"\r\n", "transfer-encoding: chunked")
    trial.send("20,000 trailers", trailing, accepted={0, 400, 413, 422, 431})


def _headers(trial: Trial) -> None:
    """Headers and addresses without end."""
    refused = {0, 400, 404, 414, 431}
    many = [f"x-{n}: y" for n in range(5000)]
    trial.send("5,000 headers", _post(b"{}", *many, "content-length: 2"), accepted=refused)
    for size in (64 * 1024, MIB, 16 * MIB):
        long = _post(b"{}", "x-long: " + "y" * size, "content-length: 2")
        trial.send(f"a header of {size} bytes", long, accepted=refused | {422})
        trial.send(
            f"an address of {size} bytes",
            b"GET /" + b"a" * size + b" HTTP/1.1\r\nhost: x\r\n\r\n",
            accepted=refused,
        )
        trial.send(
            f"a query of {size} bytes",
            b"GET /tools?format=" + b"a" * size + b" HTTP/1.1\r\nhost: x\r\n\r\n",
            accepted=refused | {403, 422},
        )
    trial.send(
        "a request id of 1 MiB", _post(b"{}", "x-request-id: " + "y" * MIB), accepted=refused
    )
    for method in ("TRACE", "CONNECT", "PRI", "A" * 5000, "G\x00T", "get"):
        row = f"{method} /context_offload HTTP/1.1\r\nhost: x\r\n\r\n".encode()
        trial.send(f"method {method[:10]!r}", row, accepted={0, 400, 403, 404, 405, 414, 421, 431})
    for row in (b"GET / HTTP/9.9", b"GET /", b"GET", b"\x16\x03\x01\x02\x00", b"\x00" * 100):
        trial.send(f"{row[:20]!r}", row + b"\r\n\r\n", accepted={0, 400, 404, 505})
    twice = _post(b"{}", "host: evil.example", "content-length: 2")
    trial.send("two hosts", twice, accepted={0, 400, 403, 422})
    for address in ("//etc/passwd", "/..%2f..%2fetc/passwd", "http://evil.example/healthz", "*"):
        row = f"GET {address} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n".encode()
        trial.send(f"GET {address}", row, accepted={200, 400, 403, 404, 405})


def _ambiguous(trial: Trial) -> None:
    """Bodies whose end two readers see at two places: one of both must not see a request."""
    hidden = b"GET /version HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    chunked = b"0\r\n\r\n" + hidden
    pairs = {
        "length and chunks": (f"content-length: {len(chunked)}", "transfer-encoding: chunked"),
        "chunks and length": ("transfer-encoding: chunked", f"content-length: {len(chunked)}"),
        "two lengths": ("content-length: 0", f"content-length: {len(chunked)}"),
        "a list of lengths": (f"content-length: 0, {len(chunked)}",),
        "chunked twice": ("transfer-encoding: chunked", "transfer-encoding: chunked"),
        "chunked, identity": ("transfer-encoding: chunked, identity", "content-length: 5"),
        "xchunked": ("transfer-encoding: xchunked", f"content-length: {len(chunked)}"),
        "a space before the colon": ("transfer-encoding : chunked", "content-length: 5"),
        "a folded line": ("transfer-encoding:\r\n chunked", "content-length: 5"),
        "a tab": ("transfer-encoding:\tchunked", f"content-length: {len(chunked)}"),
        "a bare return": ("x: y\rtransfer-encoding: chunked", "content-length: 5"),
        "a NUL": ("transfer-encoding: chunked\x00", "content-length: 5"),
        "a bare feed": ("x: y\ntransfer-encoding: chunked", "content-length: 5"),
        "old and chunked": ("connection: keep-alive", "transfer-encoding: chunked"),
    }
    for what, headers in pairs.items():
        answer = trial.send(
            what, _post(chunked, *headers), accepted={0, 200, 400, 422, 501}, most=2
        )
        # With both a length and chunks a reader may take the chunks, and must then close.
        both = "content-length" in str(headers) and "transfer-encoding" in str(headers)
        if both or "two" in what or "list" in what:
            trial.tally.hold(b'"version"' not in answer, f"{what}: the hidden request was answered")
