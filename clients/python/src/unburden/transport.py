"""JSON over HTTP with connections that stay open, and one deadline for the whole exchange."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from typing import Any
from urllib.parse import urlsplit

from .errors import ServiceError, Unavailable

_IDLE_CONNECTIONS = 8
_CHUNK = 1 << 16


class _NoService(ConnectionError):
    """Nothing can be connected to; why not."""


class _NoTls(ConnectionError):
    """A service that cannot be spoken to in https; why not."""


_NOT_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST")
"""The errors of OpenSSL's versions for an answer in plain text."""


class Transport:
    """Sends requests to one service; safe to use from several threads.

    Idle connections are kept and used again by whichever thread comes next: a framework that
    runs each turn in another thread would otherwise connect anew each time.
    """

    def __init__(self, base_url: str, token: str | None, connect_timeout: float) -> None:
        """`connect_timeout` in seconds.

        Raises:
            ValueError: `base_url` is no http or https address.
        """
        try:
            parts = urlsplit(base_url)
            host, port = parts.hostname, parts.port
        except ValueError:  # of a port that is no number, or of half a bracket
            host = None
        if not host or parts.scheme not in ("http", "https"):
            raise ValueError(
                f"base_url is {base_url!r}; accepted is an address such as http://127.0.0.1:8002"
            )
        self._host, self._port = host, port
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._prefix = parts.path.rstrip("/")
        self._url = base_url.rstrip("/")
        self._token = token
        self._connect_timeout = connect_timeout
        self._headers = {"content-type": "application/json", "accept": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of the service, without a slash at its end."""
        return self._url

    def moved(self, url: str) -> Transport:
        """The same for a service at another address."""
        return Transport(url, self._token, self._connect_timeout)

    def post(self, path: str, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        """The answer's envelope.

        Args:
            path: the route, such as `/grep`.
            body: the request.
            timeout: seconds from the first byte sent to the last one read.

        Raises:
            ServiceError: the service refused.
            Unavailable: it could not be asked, or what came back is no answer of it.
        """
        status, text = self._exchange("POST", path, encode(body), timeout)
        return self._envelope(status, text)

    def get(self, path: str, timeout: float) -> int:
        """The status of a GET, whose body is of no interest.

        Raises:
            Unavailable: there was none.
        """
        return self._exchange("GET", path, None, timeout)[0]

    def close(self) -> None:
        """Closes the idle connections; the transport can be used on."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        # A client that nobody closes, as most are, would leave its sockets to the collector's warning.
        for connection in getattr(self, "_idle", ()):
            connection.close()

    def _exchange(self, method: str, path: str, body: bytes | None, timeout: float) -> tuple[int, bytes]:
        deadline = time.monotonic() + timeout
        while True:
            connection, used = self._take()
            try:
                answer = self._ask(connection, method, path, body, deadline)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                # An idle connection may have been closed by the service in the meantime. Every
                # request may be sent twice: the same input writes the same files.
                if used and isinstance(error, (ConnectionError, http.client.BadStatusLine)):
                    continue
                raise self._unavailable(error, timeout) from error
            self._give_back(connection)
            return answer

    def _ask(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: bytes | None,
        deadline: float,
    ) -> tuple[int, bytes]:
        sock = connection.sock or self._connect(connection)
        sock.settimeout(_remaining(deadline))
        connection.request(method, self._prefix + path, body, self._headers)
        sock.settimeout(_remaining(deadline))
        response = connection.getresponse()
        chunks = []
        # The timeout of a socket starts anew with each byte; only this loop ends a trickle.
        while chunk := response.read1(_CHUNK):
            chunks.append(chunk)
            sock.settimeout(_remaining(deadline))
        text = b"".join(chunks)
        if response.length:
            raise http.client.IncompleteRead(text, response.length)
        # Reading to the end by `read1` leaves the response open, and the connection busy with it.
        response.close()
        return response.status, text

    def _connect(self, connection: http.client.HTTPConnection) -> socket.socket:
        try:
            connection.connect()
        except TimeoutError as error:
            raise _NoService(f"no connection within {self._connect_timeout:g} s") from error
        except ssl.SSLError as error:
            raise _NoTls(self._no_tls(error)) from error
        except OSError as error:
            raise _NoService(error.strerror or str(error)) from error
        sock: socket.socket = connection.sock
        return sock

    def _no_tls(self, error: ssl.SSLError) -> str:
        if getattr(error, "reason", None) not in _NOT_TLS:
            return f"no TLS with {self._url}: {error.strerror or error}"
        http = "http" + self._url[len("https") :]
        return f"the service at {self._url} speaks http, not https; set base_url (UNBURDEN_URL) to {http}"

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            if self._idle:
                return self._idle.pop(), True
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._connect_timeout), False
        return (
            http.client.HTTPSConnection(
                self._host, self._port, timeout=self._connect_timeout, context=self._tls
            ),
            False,
        )

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        if connection.sock is None:
            return
        with self._lock:
            if len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()

    def _unavailable(self, error: Exception, timeout: float) -> Unavailable:
        if isinstance(error, TimeoutError):
            return Unavailable(f"{self._url} did not answer within {timeout:g} s", code="timeout")
        if isinstance(error, http.client.HTTPException) and not isinstance(error, ConnectionError):
            return Unavailable(
                f"{self._url} broke its answer off or sent no HTTP: {error!r}", code="answer_broken"
            )
        if isinstance(error, _NoTls):
            return Unavailable(str(error), code="tls_failed")
        if isinstance(error, _NoService):
            return Unavailable(f"no service at {self._url}: {error}", code="unreachable")
        return Unavailable(f"{self._url} broke the connection off: {error}", code="unreachable")

    def _envelope(self, status: int, text: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        metadata = answer.get("metadata") if isinstance(answer, dict) else None
        if not isinstance(answer, dict) or not isinstance(metadata, dict):
            raise Unavailable(
                f"{self._url} answered {status} with something that is no answer of the service",
                code="answer_broken",
                status=status,
            )
        if status == 200 and answer.get("success") is True:
            return answer
        error = metadata.get("error")
        error = error if isinstance(error, dict) else {}
        raise ServiceError(
            str(error.get("message") or answer.get("answer") or f"the service answered {status}"),
            code=str(error.get("code") or "unknown"),
            status=status,
            field=error.get("field"),
        )


def bearer(token: Any, name: str) -> str | None:
    """The token without white space at its ends, as a file has it; None where nothing is left.

    Args:
        token: the caller's.
        name: where it is from, for errors. They do not show the token.

    Raises:
        TypeError, ValueError: a header cannot hold it.
    """
    if token is None:
        return None
    if not isinstance(token, str):
        raise TypeError(f"{name} is {type(token).__name__}; accepted is a string")
    token = token.strip()
    for at, character in enumerate(token, 1):
        if not " " <= character <= "~":
            raise ValueError(f"{name}: a header cannot hold its character {at}; accepted is printable ASCII")
    return token or None


def encode(body: dict[str, Any]) -> bytes:
    """`body` as JSON.

    Raises:
        Unavailable: it holds what JSON has no form for; code `body_not_json`.
    """
    try:
        try:
            return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:
            # Half of a surrogate pair, as a cut text can end in, has a form only as an escape.
            return json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Unavailable(f"the request cannot be written as JSON: {error}", code="body_not_json") from error


def _remaining(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the deadline has passed")
    return left
