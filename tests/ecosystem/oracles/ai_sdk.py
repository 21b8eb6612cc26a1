"""ai-sdk: `modelMessageSchema` and `generateText` of npm's `ai`, in a child process."""

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any


class AiSdk:
    """A running ai_sdk.mjs; `UNBURDEN_ECOSYSTEM_NODE` names the folder with node_modules."""

    def __init__(self) -> None:
        folder = Path(os.environ["UNBURDEN_ECOSYSTEM_NODE"])
        # Imports are resolved from where a script lies, so it stands beside node_modules.
        script = folder / "ai_sdk.mjs"
        script.write_bytes(Path(__file__).with_name("ai_sdk.mjs").read_bytes())
        self._lock = threading.Lock()
        self._child = subprocess.Popen(
            [folder / "node_modules/node/bin/node", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def complaints(self, messages: list[Any], system: Any, before: list[Any]) -> list[str]:
        allow = any(isinstance(m, dict) and m.get("role") == "system" for m in before)
        question = {"messages": messages, "system": system, "allowSystem": allow}
        with self._lock:
            assert self._child.stdin and self._child.stdout
            self._child.stdin.write(json.dumps(question) + "\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        if not line:
            raise RuntimeError("ai_sdk.mjs ended: its words are on standard error")
        return json.loads(line)["complaints"]

    def close(self) -> None:
        assert self._child.stdin
        self._child.stdin.close()
        self._child.wait(timeout=10)
