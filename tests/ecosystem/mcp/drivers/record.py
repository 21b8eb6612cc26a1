"""Starts a server and keeps every line that it is sent: `record.py FILE COMMAND…`."""

import subprocess
import sys
from pathlib import Path


def main(kept: Path, command: list[str]) -> int:
    server = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert server.stdin
    with kept.open("wb", buffering=0) as file:
        for line in sys.stdin.buffer:
            file.write(line)
            server.stdin.write(line)
            server.stdin.flush()
    server.stdin.close()
    return server.wait(timeout=10)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
