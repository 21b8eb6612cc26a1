"""Requests to an S3 server without the service in between."""

import http.client
import json
import re
from typing import Any
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import unescape

BUCKET = "bucket"
# None of the servers checks it, but some refuse requests without.
_SIGNED = "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/s3/aws4_request"
_SECONDS = 30.0


class S3:
    """A client of one bucket, with a signature of nobody."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url).netloc

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Status and body of an answer."""
        connection = http.client.HTTPConnection(self._address, timeout=_SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named["Authorization"] = f"{_SIGNED}, SignedHeaders=host, Signature=0"
        try:
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, key: str) -> bytes | None:
        """An object; None if there is none."""
        status, body = self.ask("GET", f"/{BUCKET}/{quote(key)}")
        if status == 404:
            return None
        assert status == 200, (status, body[:200])
        return body

    def delete(self, key: str) -> None:
        """Deletes an object."""
        status, said = self.ask("DELETE", f"/{BUCKET}/{quote(key)}")
        assert status in (200, 204), (status, said[:200])

    def put(self, key: str, body: bytes) -> None:
        """Writes an object."""
        status, said = self.ask("PUT", f"/{BUCKET}/{quote(key)}", body)
        assert status == 200, (status, said[:200])

    def keys(self, prefix: str = "") -> list[str]:
        """Every key below a prefix."""
        found: list[str] = []
        token = ""
        while True:
            path = f"/{BUCKET}?list-type=2&prefix={quote(prefix, safe='')}{token}"
            status, body = self.ask("GET", path)
            assert status == 200, (status, body[:200])
            text = body.decode()
            found += [unescape(key) for key in re.findall(r"<Key>([^<]*)</Key>", text)]
            onward = re.search(r"<NextContinuationToken>([^<]*)<", text)
            if not onward or "<IsTruncated>true" not in text:
                return found
            token = f"&continuation-token={quote(unescape(onward[1]), safe='')}"

    def is_ready(self) -> bool:
        """Makes the bucket; True once it takes objects and gives them back."""
        try:
            self.ask("PUT", f"/{BUCKET}")
            self.put("ready", b"yes")
            return self.get("ready") == b"yes"
        except (OSError, http.client.HTTPException, AssertionError):
            return False


class Side(S3):
    """The side path of the stub."""

    def _tell(self, what: str, said: Any = None) -> bytes:
        status, body = self.ask("POST", f"/-/{what}", json.dumps(said).encode())
        assert status == 200, (what, status)
        return body

    def manner(self, **members: float | bool) -> None:
        """Sets how the stub is."""
        self._tell("set", members)

    def rules(self, *rules: dict[str, Any]) -> None:
        """Replaces its rules."""
        self._tell("rules", list(rules))

    def reset(self) -> None:
        """Counts from zero."""
        self._tell("reset")

    def counts(self) -> dict[str, int]:
        """Requests of each kind, bytes in and out, and how many rules were applied."""
        status, body = self.ask("GET", "/-/counts")
        assert status == 200, status
        return json.loads(body)
