"""Servers that behave as a test says."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from typing import Any

Play = Callable[[socket.socket, str, dict[str, Any]], None]
"""Gets the connection, the path and the body of one request, and answers it or does not."""


class Server:
    """Answers each request with the next play; the last one goes on for ever."""

    def __init__(self, *plays: Play) -> None:
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.connections = 0
        self._plays = list(plays)
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        # Only this wakes the thread that accepts, and with it frees the port.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            connection.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            try:
                while line := stream.readline():
                    self._answer(connection, stream, line.decode().split()[1])
            except (OSError, ValueError):
                return

    def _answer(self, connection: socket.socket, stream: Any, path: str) -> None:
        headers = {}
        while (line := stream.readline().decode().strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = json.loads(stream.read(int(headers.get("content-length", 0))) or b"{}")
        self.requests.append((path, body, headers))
        with self._lock:
            play = self._plays.pop(0) if len(self._plays) > 1 else self._plays[0]
        play(connection, path, body)


def says(status: int, body: Any, *, close: bool = False) -> Play:
    """An answer: JSON, or bytes as they are."""

    def play(connection: socket.socket, path: str, request: dict[str, Any]) -> None:
        answer = body(request) if callable(body) else body
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        connection.sendall(_head(status, len(content)) + content)
        if close:
            connection.shutdown(socket.SHUT_RDWR)

    return play


def refuses(status: int, code: str, message: str, field: str | None = None) -> Play:
    """A failure, as the service tells one."""
    error = {"code": code, "message": message, "field": field}
    return says(status, {"success": False, "answer": message, "messages": [], "metadata": {"error": error}})


def drops(after: bytes) -> Play:
    """Sends the head of an answer of 5000 bytes and how it begins, and hangs up."""

    def play(connection: socket.socket, path: str, request: dict[str, Any]) -> None:
        connection.sendall(_head(200, 5000) + after)
        connection.shutdown(socket.SHUT_RDWR)

    return play


def hangs_up(connection: socket.socket, path: str, request: dict[str, Any]) -> None:
    """Hangs up without a word."""
    connection.shutdown(socket.SHUT_RDWR)


def trickles(connection: socket.socket, path: str, request: dict[str, Any]) -> None:
    """Sends a byte now and then, so that no single wait is long."""
    connection.sendall(_head(200, 10_000))
    stop = threading.Event()
    for _ in range(100):
        connection.sendall(b" ")
        stop.wait(0.05)


def hangs(connection: socket.socket, path: str, request: dict[str, Any]) -> None:
    """Never answers."""
    threading.Event().wait(30)


def offloads(change: Callable[[list[Any]], list[Any]] = lambda messages: messages, **report: Any) -> Play:
    """An answer of `/context_offload` with the messages that `change` makes of those that came."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        told = {"outcome": "unchanged", "actions": [], "snapshot": None, "warnings": [], **report}
        return {
            "success": True,
            "answer": "done",
            "messages": change(request["messages"]),
            "metadata": {"report": told},
        }

    return says(200, answer)


def _head(status: int, length: int) -> bytes:
    return f"HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n".encode()
