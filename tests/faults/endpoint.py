"""A model's endpoint that does one thing wrong, or nothing: chat completions over HTTP."""

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FORGED = "tool_call_zanzibar.txt"
_SECTIONS = (
    "overall_goal",
    "active_constraints",
    "key_knowledge",
    "artifact_trail",
    "recent_actions",
    "task_state",
)
_SAID = re.compile(r'<message index="\d+" role="(\w+)"[^>]*>\n(.*?)\n</message>', re.DOTALL)


def snapshot(request: str, more: str = "") -> str:
    """A good snapshot: the first order and the last word of what was asked about."""
    said = _SAID.findall(request)
    goal = next((text for role, text in said if role == "user"), "")
    last = next((text for role, text in reversed(said) if role == "assistant"), "").split("\n")[0]
    inside = {"overall_goal": goal, "task_state": f"1. [done] {last}{more}"}
    parts = [f"<{name}>\n{inside.get(name, '')}\n</{name}>" for name in _SECTIONS]
    return "\n".join(["<state_snapshot>", *parts, "</state_snapshot>"])


def _choice(text: str | None, reason: str = "stop", **more: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text} | more
    return {"choices": [{"index": 0, "finish_reason": reason, "message": message}]}


def _forged(request: str) -> str:
    return snapshot(request, f"\n2. [open] read ./store/{FORGED}")


# What each mode answers with: status and body, made from what was asked.
ANSWERS: dict[str, Callable[[str], tuple[int, dict[str, Any]]]] = {
    "good": lambda asked: (200, _choice(snapshot(asked))),
    "429": lambda _: (429, {"error": {"code": "busy", "message": FORGED}}),
    "500": lambda _: (500, {"error": {"code": "broken", "message": FORGED}}),
    "empty": lambda _: (200, _choice("")),
    "refusal": lambda _: (200, _choice(None, refusal=FORGED)),
    "cut off": lambda asked: (200, _choice(_forged(asked)[:-40], "length")),
    "too long": lambda asked: (200, _choice(snapshot(asked, "\n2. [open] more" * 20_000))),
    "not a snapshot": lambda _: (200, _choice(f"I saw {FORGED}.")),
    "wrong language": lambda asked: (200, _choice(snapshot(asked, "\n2. [open] " + "文件夹" * 60))),
    "forged references": lambda asked: (200, _choice(_forged(asked))),
}
BREAKS = ("timeout", "reset", "trickle")


class Endpoint:
    """One mode on a free port of loopback; counts its calls."""

    def __init__(self, mode: str) -> None:
        self.calls = 0
        self._over = threading.Event()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            """One connection."""

            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Answers, or does not."""
                endpoint.calls += 1
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length))
                try:
                    endpoint._answer(self, mode, body["messages"][1]["content"])
                except OSError:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler, mode: str, asked: str) -> None:
        if mode in BREAKS:
            self._break(handler, mode)
            return
        status, body = ANSWERS[mode](asked)
        said = json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(said)))
        handler.end_headers()
        handler.wfile.write(said)

    def _break(self, handler: BaseHTTPRequestHandler, mode: str) -> None:
        handler.close_connection = True
        if mode == "timeout":
            self._over.wait(30)
            return
        handler.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 90000\r\n\r\n{"choices": [')
        if mode == "reset":
            linger = struct.pack("ii", 1, 0)
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            handler.connection.close()
            return
        end = time.monotonic() + 30
        while time.monotonic() < end and not self._over.wait(0.05):
            handler.wfile.write(b" ")
