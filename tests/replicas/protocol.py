"""The answers of a server of S3, asked without the service.

The same of the stub and of real servers: a test against a stub that is unlike them proves nothing.
And that the stub is bad where it is told to be."""

import re
from collections import Counter

from s3 import BUCKET, S3, Side
from servers import Moto, Server, Store, Stub
from service import together
from tally import Bench, Tally

_RACERS = 64


def _race(s3: S3, key: str, word: str, **condition: str) -> tuple[Counter[int], bool]:
    """The statuses of writers of one key at once, and whether the key has a winner's bytes. A
    version is the hash of its bytes: `word` tells those of two races apart."""
    won: list[bytes] = []
    statuses: Counter[int] = Counter()

    def racer(number: int) -> None:
        body = f"{word} by {number}".encode()
        status, _ = s3.ask("PUT", f"/{BUCKET}/{key}", body, **condition)
        statuses[status] += 1
        if status == 200:
            won.append(body)

    for thread in together(_RACERS, racer):
        thread.join(60)
    return statuses, s3.get(key) in won


def _tag(s3: S3, prefix: str) -> str:
    _, listed = s3.ask("GET", f"/{BUCKET}?list-type=2&prefix={prefix}")
    found = re.search(rb"<ETag>(?:&quot;|&#34;|\")?([0-9a-f-]+)", listed)
    assert found, listed[:300]
    return f'"{found[1].decode()}"'


def _conditions(s3: S3, tally: Tally) -> None:
    def put(
        what: str, expected: int | tuple[int, ...], key: str, body: bytes, **headers: str
    ) -> None:
        status, said = s3.ask("PUT", f"/{BUCKET}/{key}", body, **headers)
        right = status in expected if isinstance(expected, tuple) else status == expected
        tally.hold(right, f"{what}: {status} instead of {expected}: {said[:100]!r}")

    put("create", 200, "c/one", b"one", If_None_Match="*")
    put("create what is there", 412, "c/one", b"two", If_None_Match="*")
    tag = _tag(s3, "c/one")
    put("replace another version", 412, "c/one", b"two", If_Match='"0123456789abcdef"')
    put("replace", 200, "c/one", b"two", If_Match=tag)
    put("replace what was replaced", 412, "c/one", b"three", If_Match=tag)
    tally.hold(s3.get("c/one") == b"two", "the object holds other bytes")
    status, part = s3.ask("GET", f"/{BUCKET}/c/one", Range="bytes=1-1")
    tally.hold((status, part) == (206, b"w"), f"a range: {status} {part!r}")
    s3.delete("c/one")
    # AWS says the first, others the second.
    put("replace what is gone", (404, 412), "c/one", b"two", If_Match=tag)
    tally.hold(s3.get("c/one") is None, "a deleted object is there")
    put("create what is gone", 200, "c/one", b"three", If_None_Match="*")


def _listings(s3: S3, tally: Tally) -> None:
    names = ["l/a", "l/b", "l/c/1", "l/c/2", "l/d", "l!x", "l/e!20f", "l/z.jsonl"]
    for name in names:
        s3.put(name, name.encode())
    tally.hold(s3.keys("l/") == sorted(names)[1:], f"a listing: {s3.keys('l/')}")
    found, token = [], ""
    while True:
        path = f"/{BUCKET}?list-type=2&prefix=l/&delimiter=%2F&max-keys=2{token}"
        _, body = s3.ask("GET", path)
        found += re.findall(r"<Key>([^<]+)</Key>", body.decode())
        found += re.findall(r"<CommonPrefixes><Prefix>([^<]+)", body.decode())
        onward = re.search(r"<NextContinuationToken>([^<]+)<", body.decode())
        if not onward:
            break
        token = f"&continuation-token={onward[1]}"
    expected = ["l/a", "l/b", "l/c/", "l/d", "l/e!20f", "l/z.jsonl"]
    tally.hold(sorted(found) == expected, f"pages by folder: {found}")


def _bad(side: Side, tally: Tally) -> None:
    """The stub does what it is told."""
    side.manner(atomic=False)
    statuses, _ = _race(side, "bad/race", "new", If_None_Match="*")
    side.manner(atomic=True)
    tally.note("winners where it is not atomic", statuses[200])
    tally.hold(statuses[200] > 1, f"it is told not to be atomic, and is: {dict(statuses)}")
    side.manner(stale_lists=60.0)
    side.put("bad/late", b"late")
    tally.hold("bad/late" not in side.keys("bad/"), "it is told to list late, and does not")
    side.manner(stale_lists=0.0)
    tally.hold("bad/late" in side.keys("bad/"), "it lists late, and is not told to")
    side.rules({"do": "fail", "status": 503, "kinds": ["get"], "every": 2})
    said = [side.ask("GET", f"/{BUCKET}/bad/late")[0] for _ in range(4)]
    side.rules()
    tally.hold(said == [503, 200, 503, 200], f"each second read is to fail: {said}")


def check(bench: Bench, store: Store) -> None:
    """Conditions, listings, races; and of the stub its faults."""
    assert isinstance(store, Server)
    s3, tally = store.s3, bench.tally
    _conditions(s3, tally)
    _listings(s3, tally)
    for number in range(bench.pick(3, 30)):
        statuses, whole = _race(s3, f"race/{number}", "new", If_None_Match="*")
        one = statuses[200] == 1 and set(statuses) <= {200, 409, 412}
        tally.hold(one and whole, f"a race to create: {dict(statuses)}")
        tag = _tag(s3, f"race/{number}")
        statuses, whole = _race(s3, f"race/{number}", "next", If_Match=tag)
        one = statuses[200] == 1 and set(statuses) <= {200, 409, 412}
        # moto looks and then writes: now and then two replace one version.
        one = one or (isinstance(store, Moto) and statuses[200] > 1)
        tally.hold(one and whole, f"a race to replace: {dict(statuses)}")
        tally.add("races", 2)
    if isinstance(store, Stub):
        _bad(store.side, tally)
