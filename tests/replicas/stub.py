"""An S3 server that can be told to be a bad one.

    python3 stub.py [--folder DIR] [--port N]

Path style, one bucket a name, signatures not checked: GET with Range, HEAD, PUT with If-None-Match
and If-Match, copy, DELETE, deletion of many, ListObjectsV2. The first line on standard output is
its URL. What it does to requests is set over a side path:

    POST /-/set     members of Manner, as JSON
    POST /-/rules   a list of rules (stub_rules.py), as JSON
    POST /-/reset   counts from zero
    GET  /-/counts  requests of each kind, bytes in and out, and how many rules were applied

With a folder its objects survive its death; the process ends when its standard input does."""

import argparse
import asyncio
import contextlib
import json
import os
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.etree import ElementTree

import stub_words as words
from stub_bucket import Bucket
from stub_rules import Rule, Rules
from stub_words import Reply

_MOST_KEYS = 1_000


@dataclass
class Manner:
    """How the server is apart from its rules."""

    # False: a conditional put looks, waits `gap` seconds and writes.
    atomic: bool = True
    gap: float = 0.02
    # Seconds that each answer takes at least.
    delay: float = 0.0
    # Seconds by which listings, and reads, are behind.
    stale_lists: float = 0.0
    stale_reads: float = 0.0
    # Keys of a page.
    page: int = _MOST_KEYS


@dataclass(frozen=True)
class Request:
    """A request that came whole."""

    method: str
    bucket: str
    key: str
    asked: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        """The kind that it counts as."""
        if self.method == "POST":
            return "delete"
        if self.method == "GET" and not self.key:
            return "list"
        return self.method.lower()

    @property
    def conditions(self) -> tuple[str | None, str | None]:
        """If-None-Match and If-Match."""
        return self.headers.get("if-none-match"), self.headers.get("if-match")


class Stub:
    """The server."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._buckets: dict[str, Bucket] = {}
        self._rules = Rules()
        self._manner = Manner()
        self._counts: Counter[str] = Counter()
        self._stalled: set[asyncio.Task[None]] = set()

    def _bucket(self, name: str) -> Bucket:
        if name not in self._buckets:
            self._buckets[name] = Bucket(self._folder / name if self._folder else None)
        return self._buckets[name]

    async def connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answers one request after the other."""
        gone = (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError)
        with contextlib.suppress(*gone):
            while (request := await _read(reader)) is not None:
                if request.bucket == "-":
                    writer.write(self._control(request).bytes())
                    await writer.drain()
                elif not await self._answer(request, writer):
                    break
        writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """Answers; False where the connection is to be closed."""
        kind = request.kind
        self._counts[kind] += 1
        self._counts["in"] += len(request.body)
        rule = self._rules.of(kind, request.key, any(request.conditions))
        if self._manner.delay:
            await asyncio.sleep(self._manner.delay)
        reply = await self._ruled(request, rule)
        if reply is None:
            return False
        said = reply.bytes()
        is_cut = bool(rule and rule.do == "cut" and len(reply.body) > 1)
        self._counts["out"] += len(reply.body)
        writer.write(said[: -len(reply.body) // 2] if is_cut else said)
        await writer.drain()
        return not is_cut

    async def _ruled(self, request: Request, rule: Rule | None) -> Reply | None:
        """The answer, after what the rule does; None where there is none."""
        do = rule.do if rule else ""
        if rule and do == "fail":
            return words.failure(rule.status)
        if do == "drop":
            return None
        if do == "die":
            os._exit(137)
        if rule and do == "stall":
            task = asyncio.create_task(self._later(request, rule.seconds))
            self._stalled.add(task)
            task.add_done_callback(self._stalled.discard)
            return None
        if rule and do == "wait":
            await asyncio.sleep(rule.seconds)
        reply = await self._work(request)
        if do == "die_after":
            os._exit(137)
        if rule and do == "late":
            await asyncio.sleep(rule.seconds)
        return None if do == "lose" else reply

    async def _later(self, request: Request, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._work(request)

    async def _work(self, request: Request) -> Reply:
        bucket, key, kind = self._bucket(request.bucket), request.key, request.kind
        if kind == "list":
            return self._list(request, bucket)
        if kind in ("get", "head"):
            held = bucket.get(key, self._manner.stale_reads)
            if held is None:
                reply = words.failure(404)
                return Reply(404, b"", reply.headers) if kind == "head" else reply
            return words.content(held, request.headers.get("range"), kind == "head")
        if request.method == "POST":
            return self._delete_many(request, bucket)
        if kind == "delete":
            bucket.delete(key)
            return Reply(204)
        if kind == "put":
            return await self._put(request, bucket)
        return words.failure(501)

    async def _put(self, request: Request, bucket: Bucket) -> Reply:
        if not request.key:
            return Reply(200)
        if "partNumber" in request.asked:
            return words.failure(501)
        if refused := bucket.refusal(request.key, *request.conditions):
            return words.failure(refused)
        if not self._manner.atomic and any(request.conditions):
            await asyncio.sleep(self._manner.gap)
        if source := request.headers.get("x-amz-copy-source"):
            name, _, key = unquote(source).lstrip("/").partition("/")
            held = self._bucket(name).get(key)
            return words.copied(bucket.put(request.key, held.body)) if held else words.failure(404)
        held = bucket.put(request.key, request.body)
        return Reply(200, b"", (("ETag", f'"{held.etag}"'),))

    def _list(self, request: Request, bucket: Bucket) -> Reply:
        asked = request.asked
        token = asked.get("continuation-token")
        after = bytes.fromhex(token).decode() if token else asked.get("start-after", "")
        most = min(int(asked.get("max-keys", _MOST_KEYS)), self._manner.page)
        by = (asked.get("prefix", ""), asked.get("delimiter", ""), after, most)
        page = bucket.page(*by, self._manner.stale_lists)
        return words.listing(request.bucket, page, asked)

    def _delete_many(self, request: Request, bucket: Bucket) -> Reply:
        root = ElementTree.fromstring(request.body)
        keys = [item.text or "" for item in root.iter() if item.tag.rsplit("}")[-1] == "Key"]
        for key in keys:
            bucket.delete(key)
        return words.deleted(keys)

    def _control(self, request: Request) -> Reply:
        said = json.loads(request.body) if request.body else {}
        match request.key:
            case "set":
                self._manner = Manner(**{**vars(self._manner), **said})
            case "rules":
                self._rules.set(said)
            case "reset":
                self._counts.clear()
            case "counts":
                counts = {**self._counts, "done": self._rules.done()}
                return Reply(200, json.dumps(counts).encode())
            case _:
                return Reply(404)
        return Reply(200)


async def _read(reader: asyncio.StreamReader) -> Request | None:
    """The next request; None at the end of the connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.split(":", 1) for line in lines if line)
    headers = {name.lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    url = urlsplit(target)
    bucket, _, key = unquote(url.path).lstrip("/").partition("/")
    asked = dict(parse_qsl(url.query, keep_blank_values=True))
    return Request(method, bucket, key, asked, headers, body)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    asked = parser.parse_args()
    stub = Stub(asked.folder)
    server = await asyncio.start_server(stub.connection, "127.0.0.1", asked.port, limit=1 << 16)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
