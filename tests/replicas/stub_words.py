"""The answers of the stub, as S3 spells them."""

from email.utils import formatdate
from typing import NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape
from datetime import UTC, datetime

from stub_bucket import Object, Page

_CODES = {
    404: "NoSuchKey",
    409: "ConditionalRequestConflict",
    412: "PreconditionFailed",
    416: "InvalidRange",
    500: "InternalError",
    501: "NotImplemented",
    503: "SlowDown",
}


class Reply(NamedTuple):
    """An answer."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    # The length that is announced where there is no body: a HEAD.
    length: int | None = None

    def bytes(self) -> bytes:
        """The answer as it is sent."""
        length = len(self.body) if self.length is None else self.length
        lines = [f"HTTP/1.1 {self.status} S3", f"Content-Length: {length}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


def failure(status: int) -> Reply:
    """An error with its XML."""
    code = _CODES.get(status, "Error")
    body = f"<Error><Code>{code}</Code><Message>by the stub</Message></Error>"
    return Reply(status, body.encode(), (("Content-Type", "application/xml"),))


def headers(held: Object) -> tuple[tuple[str, str], ...]:
    """The headers of an object."""
    return (
        ("ETag", f'"{held.etag}"'),
        ("Last-Modified", formatdate(held.at, usegmt=True)),
        ("Accept-Ranges", "bytes"),
        ("Content-Type", "application/octet-stream"),
    )


def content(held: Object, wanted: str | None, is_head: bool) -> Reply:
    """An object, or a range of it."""
    size, status, extra = len(held.body), 200, headers(held)
    first, last = 0, size - 1
    if wanted and wanted.startswith("bytes="):
        begin, _, end = wanted.removeprefix("bytes=").partition("-")
        first = int(begin) if begin else max(0, size - int(end))
        last = min(size - 1, int(end)) if begin and end else size - 1
        if first >= size or first > last:
            return failure(416)
        status = 206
        extra = (*extra, ("Content-Range", f"bytes {first}-{last}/{size}"))
    body = held.body[first : last + 1]
    return Reply(status, b"" if is_head else body, extra, len(body) if is_head else None)


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def listing(bucket: str, page: Page, asked: dict[str, str]) -> Reply:
    """A page of ListObjectsV2."""
    spelled = quote if asked.get("encoding-type") == "url" else escape
    parts = [
        f"<Name>{escape(bucket)}</Name>",
        f"<Prefix>{spelled(asked.get('prefix', ''))}</Prefix>",
        f"<KeyCount>{len(page.keys) + len(page.prefixes)}</KeyCount>",
        f"<IsTruncated>{'false' if page.after is None else 'true'}</IsTruncated>",
    ]
    if page.after is not None:
        token = page.after.encode().hex()
        parts.append(f"<NextContinuationToken>{token}</NextContinuationToken>")
    parts += [
        f"<Contents><Key>{spelled(key)}</Key><LastModified>{_iso(held.at)}</LastModified>"
        f"<ETag>&quot;{held.etag}&quot;</ETag><Size>{len(held.body)}</Size></Contents>"
        for key, held in page.keys
    ]
    parts += [
        f"<CommonPrefixes><Prefix>{spelled(prefix)}</Prefix></CommonPrefixes>"
        for prefix in page.prefixes
    ]
    body = f"<ListBucketResult>{''.join(parts)}</ListBucketResult>"
    return Reply(200, body.encode(), (("Content-Type", "application/xml"),))


def deleted(keys: list[str]) -> Reply:
    """The answer to a deletion of many."""
    body = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
    body = f"<DeleteResult>{body}</DeleteResult>"
    return Reply(200, body.encode(), (("Content-Type", "application/xml"),))


def copied(held: Object) -> Reply:
    """The answer to a copy."""
    body = f"<CopyObjectResult><ETag>&quot;{held.etag}&quot;</ETag>"
    body += f"<LastModified>{_iso(held.at)}</LastModified></CopyObjectResult>"
    return Reply(200, body.encode(), (("Content-Type", "application/xml"),))
