"""Starts a server and spoils one thing in what it answers: `spoil.py FAULT COMMAND…`."""

import json
import subprocess
import sys
import threading
from typing import Any


def spoil(fault: str, result: dict[str, Any]) -> None:
    """Changes a result in place, where the fault has to do with it."""
    data, blocks = result.get("structuredContent"), result.get("content")
    if fault == "a tool is missing" and "tools" in result:
        del result["tools"][1]
    if fault == "an error is no error" and result.get("isError"):
        result["isError"] = False
    if not blocks or result.get("isError"):
        return
    text = blocks[0]["text"]
    if fault == "a word of a page is changed":
        text = text.replace("Schritt 900 ", "Schritt 901 ")
    if fault == "a message of the history is changed":
        text = text.replace("x_trace", "x_spur")
    if fault == "a row is changed":
        text = text.replace("part 42 ", "part 43 ")
    if fault == "an answer is too long" and text.startswith("Showing "):
        text += "much too long " * 8_000
    if fault == "data loses a member that the schema demands" and data and "records_total" in data:
        del data["truncated"]
    blocks[0]["text"] = text
    if data and "answer" in data and "report" not in data:
        data["answer"] = text


def main(fault: str, command: list[str]) -> int:
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin and server.stdout

    def forward() -> None:
        for line in sys.stdin.buffer:
            server.stdin.write(line)
            server.stdin.flush()
        server.stdin.close()

    threading.Thread(target=forward, daemon=True).start()
    for line in server.stdout:
        message = json.loads(line)
        if "result" in message:
            spoil(fault, message["result"])
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()
    return server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
