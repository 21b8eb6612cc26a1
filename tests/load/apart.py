"""Jobs in processes of their own, which share what was made before they began."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Coroutine
from multiprocessing.connection import Connection
from typing import Any

# The parts of a job: asked for once, in its process.
Job = Callable[[], Coroutine[Any, Any, Any]]


class Apart:
    """A job that runs since the block began; what it got is asked for inside it."""

    def __init__(self, job: Job, nice: int = 0) -> None:
        # Forked, not pickled: what an attacker sends is hundreds of MiB.
        forked = multiprocessing.get_context("fork")
        self.line, theirs = forked.Pipe()
        self.process = forked.Process(target=_run, args=(job, nice, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.join()

    def result(self, patience: float) -> Any:
        """The job's result; an error where it ended without one, or is late."""
        if not self.line.poll(patience):
            raise TimeoutError(f"a process of the check gave nothing within {patience:.0f} s")
        try:
            return self.line.recv()
        except EOFError as ended:
            raise RuntimeError("a process of the check ended without a result") from ended


def _run(job: Job, nice: int, line: Connection) -> None:
    os.nice(nice)
    line.send(asyncio.run(job()))
