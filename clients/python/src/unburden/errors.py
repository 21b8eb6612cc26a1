"""The exceptions of the client."""

from __future__ import annotations


class UnburdenError(Exception):
    """Base class: the service gave no result.

    Attributes:
        code: a stable word, such as `file_not_found`; those of the service are listed in its
            `openapi.yaml`, those of this client are `unreachable`, `timeout`, `tls_failed`,
            `answer_broken`, `body_not_json` and `not_started`.
        status: the HTTP status; None without an answer.
        field: the request field concerned, if there is one.
        message: one sentence for a person or a model.
    """

    def __init__(
        self, message: str, *, code: str, status: int | None = None, field: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.field = field


class ServiceError(UnburdenError):
    """The service refused the request: its message, code and field."""


class Unavailable(UnburdenError):
    """The service did not answer: nothing listens, it is too slow, or the response is not its own."""
