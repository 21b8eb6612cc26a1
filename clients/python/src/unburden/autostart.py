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
from pathlib import Path

from .errors import UnburdenError
from .program import find_program

logger = logging.getLogger("unburden")

_START_SECONDS = 45.0
"""A service of another process may need 30 s to end before the next one starts."""

_RESTART_SECONDS = 10.0
"""The most that a turn waits for a service to start again, and the pause until the next try."""


@dataclass
class Started:
    """A service that this process keeps running; all clients of its store share this object."""

    url: str
    log: str
    _process: subprocess.Popen[bytes]
    _store: str
    _clients: int = 0
    _restarted: float = float("-inf")
    _failure: UnburdenError | None = None

    def restart(self, url: str) -> bool:
        """Starts the service again, or joins the one that another process has started since.

        Args:
            url: where the caller found none.

        Returns:
            Whether this call did it. If not, another client has done it, or tried too short a time ago.

        Raises:
            UnburdenError: it cannot be started, or could not a short time ago; code `not_started`.
        """
        with _lock:
            if self.url != url or self._clients == 0:
                return False
            if time.monotonic() < self._restarted + _RESTART_SECONDS:
                if self._failure:
                    raise self._failure
                return False
            try:
                self._replace(_RESTART_SECONDS)
            finally:
                self._restarted = time.monotonic()
            return True

    def release(self) -> None:
        """A client has ended. After the last one the service ends, unless other processes use it."""
        with _lock:
            self._clients -= 1
            if self._clients == 0:
                _running.pop(self._store, None)
                _let_go(self._process)

    def _replace(self, seconds: float) -> None:
        try:
            started = _launch(self._store, seconds)
        except UnburdenError as error:
            self._failure = error
            raise
        _let_go(self._process)
        self.url, self.log, self._process = started
        self._failure = None


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
        if started is None:
            started = _running[store] = Started(*_launch(store, _START_SECONDS), store)
        elif started._process.poll() is not None:
            started._replace(_START_SECONDS)
        started._clients += 1
        return started


def demanded_token() -> str | None:
    """The token that a service demands which is started in this environment; None where it demands none."""
    token, path = (os.environ.get(f"UNBURDEN_SERVER__{name}") for name in ("TOKEN", "TOKEN_FILE"))
    if token or not path:
        return token
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        # The service says why it does not start.
        return None


def _launch(store: str, seconds: float) -> tuple[str, str, subprocess.Popen[bytes]]:
    """The address, the log and the process of a service that is ready within `seconds`."""
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
        address, log = _first_lines(process.stdout.fileno(), seconds)
    except (OSError, ValueError) as error:
        process.kill()
        said = process.stderr.read().decode(errors="replace").strip()
        _let_go(process)
        raise UnburdenError(_sentence(said or str(error)), code="not_started") from error
    for stream in (process.stdout, process.stderr):
        stream.close()
    # Collects it once it has ended.
    threading.Thread(target=process.wait, name="unburden-service", daemon=True).start()
    logger.info("unburden: started at %s for %s; its log: %s", address, store, log)
    return address, log, process


def _sentence(found: str) -> str:
    return found if found.startswith("unburden: ") else f"unburden: the service did not start: {found}"


def _first_lines(stdout: int, seconds: float) -> tuple[str, str]:
    """The address and the log's path.

    Raises:
        ValueError: the program ended, or said something else.
        TimeoutError: it says nothing.
    """
    text = b""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        while text.count(b"\n") < 2:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError(f"it said no address within {seconds:g} s")
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
