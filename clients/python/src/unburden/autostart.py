"""A service that this process starts, and shares with the other processes of the same store.

`unburden serve --shared` does the work: it prints its address, and ends when the pipe to its standard
input is closed in every process that uses it – by the kernel, where a process is killed.
"""

from __future__ import annotations

import atexit
import logging
import os
import selectors
import subprocess
import threading
import time
from dataclasses import dataclass

from .errors import UnburdenError
from .program import find_program

logger = logging.getLogger("unburden")

_START_SECONDS = 45.0
"""A service of another process may need 30 s to end before the next one starts."""


@dataclass
class Started:
    """A service that this process keeps running."""

    url: str
    log: str
    _process: subprocess.Popen[bytes]
    _store: str
    _clients: int = 0

    def release(self) -> None:
        """A client has ended. After the last one the service ends, unless other processes use it."""
        with _lock:
            self._clients -= 1
            if self._clients == 0:
                _running.pop(self._store, None)
                _let_go(self._process)


_running: dict[str, Started] = {}
_lock = threading.Lock()


def start(store: str) -> Started:
    """The service of a store; started where this process has none.

    Args:
        store: the absolute path of its folder, which is made where it is missing.

    Raises:
        UnburdenError: it cannot be started; code `not_started`.
    """
    with _lock:
        started = _running.get(store)
        if started is None or started._process.poll() is not None:
            started = _running[store] = _started(store)
            logger.info("unburden: started at %s for %s; its log: %s", started.url, store, started.log)
        started._clients += 1
        return started


def _started(store: str) -> Started:
    try:
        os.makedirs(store, mode=0o700, exist_ok=True)
        command = [find_program(), "serve", "--shared", "--listen", "127.0.0.1:0", "--root", store]
        pipe = subprocess.PIPE
        # A session of its own: an interrupt in this one's terminal must not reach what others share.
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise UnburdenError(_sentence(str(error)), code="not_started") from error
    assert process.stdout and process.stderr
    try:
        address, log = _first_lines(process.stdout.fileno())
    except (OSError, ValueError) as error:
        process.kill()
        said = process.stderr.read().decode(errors="replace").strip()
        _let_go(process)
        raise UnburdenError(_sentence(said or str(error)), code="not_started") from error
    for stream in (process.stdout, process.stderr):
        stream.close()
    # Collects it once it has ended.
    threading.Thread(target=process.wait, name="unburden-service", daemon=True).start()
    return Started(address, log, process, store)


def _sentence(found: str) -> str:
    return found if found.startswith("unburden: ") else f"unburden: the service did not start: {found}"


def _first_lines(stdout: int) -> tuple[str, str]:
    """The address and the log's path.

    Raises:
        ValueError: the program ended, or said something else.
        TimeoutError: it says nothing.
    """
    text = b""
    deadline = time.monotonic() + _START_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        while text.count(b"\n") < 2:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError(f"it said no address within {_START_SECONDS:g} s")
            chunk = os.read(stdout, 4096)
            if not chunk:
                raise ValueError("it ended without a word")
            text += chunk
    address, log = os.fsdecode(text).splitlines()[:2]
    if not address.startswith("listening on http") or not log.startswith("logging to "):
        raise ValueError(f"it said {address!r}; is it another version of the program?")
    return address.removeprefix("listening on "), log.removeprefix("logging to ")


def _let_go(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


@atexit.register
def _end() -> None:
    for started in list(_running.values()):
        _let_go(started._process)
        # It may run on for others, and nobody is left to wait for it.
        started._process.returncode = 0
