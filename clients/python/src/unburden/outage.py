"""One warning for an outage, however many turns it lasts."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from .errors import UnburdenError

logger = logging.getLogger("unburden")


class Outage:
    """Remembers why offloading failed last, and warns when that is news."""

    def __init__(self, warn: Callable[[str], None] | None = None) -> None:
        """`warn` gets each warning; by default the logger `unburden` does, at level WARNING."""
        self._warn = warn or logger.warning
        self._cause: str | None = None
        self._lock = threading.Lock()

    def failed(self, error: UnburdenError) -> None:
        """Warns, unless the call before failed for the same cause. A history that cannot be sent is no
        outage: each such call warns."""
        with self._lock:
            known, self._cause = self._cause == error.code, error.code
        known = known and error.code != "body_not_json"
        if not known:
            self.warn(f"the history goes on as it is, nothing was offloaded: {error.message} ({error.code})")

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
        if known is not None:
            logger.info("offloading works again")
