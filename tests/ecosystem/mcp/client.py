"""A client of one of the SDKs, as a process that is driven over lines of JSON (`drivers/`)."""

import itertools
import json
import subprocess
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 120.0


@dataclass(frozen=True)
class Sdk:
    """An SDK: its name, the command of its driver, and the protocol versions that it speaks."""

    name: str
    driver: tuple[str, ...]
    generations: tuple[str, ...]


class Refused(Exception):
    """The client could not connect; the text is the SDK's."""


class Answered(Exception):
    """The SDK raised. `code` is that of an error of the protocol, None where the SDK complains."""

    def __init__(self, code: int | None, message: str) -> None:
        super().__init__(f"{message} (code {code})")
        self.code = code


@dataclass(frozen=True)
class Result:
    """A result of a tool as the SDK gave it."""

    raw: dict[str, Any]

    @property
    def text(self) -> str:
        """The one block of text that it consists of."""
        blocks = self.raw["content"]
        assert [block["type"] for block in blocks] == ["text"], [block["type"] for block in blocks]
        return blocks[0]["text"]

    @property
    def data(self) -> dict[str, Any]:
        """Its structured content, which only `context_offload` has of our tools."""
        return self.raw["structuredContent"]

    @property
    def failed(self) -> bool:
        return bool(self.raw.get("isError"))


class Client:
    """A connected client. Safe for threads: each call waits for its own answer."""

    def __init__(self, sdk: Sdk, target: dict[str, Any], generation: str) -> None:
        asked = json.dumps(target | {"generation": generation})
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self._child = subprocess.Popen([*sdk.driver, asked], text=True, **pipes)
        self._ids = itertools.count(1)
        self._open: dict[int, Future[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._errors: list[str] = []
        self.listed: dict[str, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            assert stream
        threading.Thread(target=self._complaints, daemon=True).start()
        first = json.loads(self._child.stdout.readline() or '{"refused": "the driver died"}')
        if "connected" not in first:
            self.close()
            raise Refused(first.get("refused", str(first)) + "\n" + self.complaints())
        self.info: dict[str, Any] = first["connected"]
        threading.Thread(target=self._read, daemon=True).start()

    def _complaints(self) -> None:
        for line in self._child.stderr:
            self._errors.append(line)

    def complaints(self) -> str:
        """What the server and the driver wrote to standard error, the end of it."""
        return "".join(self._errors)[-2000:]

    def _read(self) -> None:
        for line in self._child.stdout:
            message = json.loads(line)
            if "event" in message:
                self.events.append(message)
            elif "id" in message:
                self._open.pop(message["id"]).set_result(message)
        for waiting in list(self._open.values()):
            waiting.set_exception(EOFError("the driver ended: " + self.complaints()))

    def begin(self, do: str, **request: Any) -> "Future[dict[str, Any]]":
        """Sends a request and does not wait."""
        number, future = next(self._ids), Future()
        self._open[number] = future
        line = json.dumps({"id": number, "do": do} | request) + "\n"
        with self._lock:
            self._child.stdin.write(line)
            self._child.stdin.flush()
        return future

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        return settled(self.begin(do, **request))

    def tools(self) -> dict[str, dict[str, Any]]:
        """The listed tools by name. SDKs validate structured output by what was listed."""
        listed = self.ask("list")["tools"]
        assert len({tool["name"] for tool in listed}) == len(listed), "a name is listed twice"
        self.listed = {tool["name"]: tool for tool in listed}
        return self.listed

    def call(self, name: str, /, **arguments: Any) -> Result:
        return Result(self.ask("call", name=name, arguments=arguments))

    def close(self) -> int:
        """Ends the session as the SDK does; the exit status of the driver."""
        self._child.stdin.close()
        try:
            return self._child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return self._child.wait()


def settled(future: "Future[dict[str, Any]]") -> dict[str, Any]:
    message = future.result(timeout=PATIENCE)
    if "error" in message:
        raise Answered(message["error"]["code"], message["error"]["message"])
    return message["result"]


def over_stdio(command: list[str], status: Path | None = None, **env: str) -> dict[str, Any]:
    """A target that is started by the SDK; its exit status is added to the file `status`."""
    env = {"UNBURDEN_STORE__DURABILITY": "relaxed"} | env
    if status:
        command = ["sh", "-c", '"$@"; echo $? >>"$0"', str(status), *command]
    return {"transport": "stdio", "command": command[0], "args": command[1:], "env": env}


def over_http(url: str, **headers: str) -> dict[str, Any]:
    return {"transport": "http", "url": url, "headers": headers}
