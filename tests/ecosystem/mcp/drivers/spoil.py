"""Starts a server and spoils one thing in what it answers: `spoil.py FAULT COMMAND…`."""

import json
import subprocess
import sys
import threading
from typing import Any


REPLACED = {
    "a word of a page is changed": ("Schritt 900 ", "Schritt 901 "),
    "a message of the history is changed": ("x_trace", "x_spur"),
    "a row is changed": ("part 42 ", "part 43 "),
    "a header skips lines": ("same call with start_line=", "same call with start_line=1"),
    "a match has the number of another line": ("\nL801: ", "\nL802: "),
    "a reference names a tool that is not there": (" left out: read_file(", " left out: read_the_file("),
}
"""Faults that replace one text of an answer by another."""


def spoil(fault: str, result: dict[str, Any]) -> None:
    """Changes a result in place, where the fault has to do with it."""
    report, blocks = result.get("structuredContent"), result.get("content")
    if fault == "a tool is missing" and "tools" in result:
        del result["tools"][1]
    if fault == "an error is no error" and result.get("isError"):
        result["isError"] = False
    if not blocks or result.get("isError"):
        return
    text = blocks[0]["text"]
    if fault in REPLACED:
        text = text.replace(*REPLACED[fault])
    if fault == "an answer is too long" and text.startswith("Showing "):
        text += "much too long " * 8_000
    if fault == "an answer is cut and does not say so" and len(text) > 100_000:
        text = text[:50_000]
    if fault == "a page is structured content too" and text.startswith("Showing "):
        result["structuredContent"] = {"answer": text}
    if fault == "data loses a member that the schema demands" and report:
        if report["report"]["dry_run"]:
            del report["answer"]
    blocks[0]["text"] = text


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
