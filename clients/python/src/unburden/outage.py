"""One warning for an outage, however many turns it lasts, and pauses while the service hangs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from math import ceil
from time import monotonic
from urllib.parse import urlsplit

from .errors import Unavailable, UnburdenError

logger = logging.getLogger("unburden")

_DEFAULT_PORT = 8002

_SHORTEST_PAUSE = 5.0
_LONGEST_PAUSE = 60.0
"""In seconds. Each call that times out doubles the pause after it."""


def remedy(url: str, log: str | None) -> str:
    """The remedy where nothing listens at `url`; `log` is that of a service that the client started."""
    if log:
        return f"Its log: {log}"
    parts = urlsplit(url)
    if parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        return "Start it there, or set base_url (UNBURDEN_URL) to its address"
    if parts.port == _DEFAULT_PORT:
        return "Start it: unburden serve"
    host = "[::1]" if parts.hostname == "::1" else "127.0.0.1"
    return f"Start it: unburden serve --listen {host}:{parts.port or 80}"


class Outage:
    """Remembers why offloading failed last, warns when that is news, and pauses after a timeout."""

    def __init__(self, warn: Callable[[str], None] | None = None, remedy: str = "") -> None:
        """`warn` gets each warning; by default the logger `unburden` does, at level WARNING. `remedy` is
        what to do where nothing listens."""
        self._warn = warn or logger.warning
        self._remedy = remedy
        self._cause: str | None = None
        self._timeout: UnburdenError | None = None
        self._pause_began = float("-inf")
        self._pause = 0.0
        self._lock = threading.Lock()

    def paused(self) -> UnburdenError | None:
        """The timeout for which the service is not to be asked now; None where it may be."""
        with self._lock:
            error, left = self._timeout, self._pause_began + self._pause - monotonic()
        if error is None or left <= 0:
            return None
        return Unavailable(f"{error.message}; it is asked again in {ceil(left)} s", code=error.code)

    def failed(self, error: UnburdenError, asked: float = float("inf")) -> None:
        """Warns, unless the call before failed for the same cause. A history that cannot be sent is no
        outage: each such call warns.

        Args:
            error: of the call.
            asked: when the call began, by `monotonic`. Calls that began before a pause do not make it longer.
        """
        with self._lock:
            known, self._cause = self._cause == error.code, error.code
            if _timed_out(error) and asked >= self._pause_began + self._pause:
                self._timeout, self._pause_began = error, monotonic()
                self._pause = min(max(2 * self._pause, _SHORTEST_PAUSE), _LONGEST_PAUSE)
        known = known and error.code != "body_not_json"
        if not known:
            what_to_do = f". {self._remedy}" if self._remedy and error.code == "unreachable" else ""
            self.warn(
                f"unburden: {error.message} ({error.code}); continuing with the original messages{what_to_do}"
            )

    def warn(self, message: str) -> None:
        """Gives a warning to where the client's warnings go. Raises nothing."""
        try:
            self._warn(message)
        except Exception:
            # A warning that cannot be given must not cost the turn that it is about.
            logger.exception("the warning could not be given")

    def over(self) -> None:
        """The service answered: the next failure is news again."""
        with self._lock:
            known, self._cause = self._cause, None
            self._timeout, self._pause = None, 0.0
        if known is not None:
            logger.info("offloading works again")


def _timed_out(error: BaseException | None) -> bool:
    return error is not None and (isinstance(error, TimeoutError) or _timed_out(error.__cause__))
