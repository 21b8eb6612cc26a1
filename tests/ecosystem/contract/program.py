"""The program under test, with the only root that the contract's examples know."""

from __future__ import annotations

import os
import re
import subprocess
import urllib.request
from collections import Counter
from pathlib import Path

TOKEN = "the-token-of-the-contract"
REQUESTS = re.compile(r'^unburden_\w*requests_total\{(.*)\} (\d+)', re.MULTILINE)
STATUS = re.compile(r'status="(\d+)"')
# How the counters call a path that leads nowhere.
NOWHERE = 'route="none"'


class Program:
    """`unburden serve` on a free port of loopback; ends with its block."""

    def __init__(self, binary: str, folder: Path, token: bool = False) -> None:
        root = folder / "root"
        root.mkdir(parents=True)
        self.headers = {"Authorization": f"Bearer {TOKEN}"} if token else {}
        self.log = folder / "service.log"
        environment = {"PATH": os.environ["PATH"], "RUST_LOG": "warn"}
        if token:
            environment["UNBURDEN_SERVER__TOKEN"] = TOKEN
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--root", f"/workspace={root}"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, env=environment
            )
        assert self.process.stdout is not None
        first = self.process.stdout.readline().decode().strip()
        if "http://" not in first:
            self.process.kill()
            raise RuntimeError(f"the program said {first!r}: {self.said()[-500:]}")
        self.url = first.removeprefix("listening on ")

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text(errors="replace")

    def statuses(self, nowhere: bool = True) -> Counter[int]:
        """How often it answered with which status, as its own counters tell; with paths
        that lead nowhere, or without."""
        request = urllib.request.Request(f"{self.url}/metrics", headers=self.headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read().decode()
        counts: Counter[int] = Counter()
        for labels, number in REQUESTS.findall(text):
            if not nowhere and NOWHERE in labels:
                continue
            status = STATUS.search(labels)
            assert status is not None, labels
            counts[int(status[1])] += int(number)
        return counts
