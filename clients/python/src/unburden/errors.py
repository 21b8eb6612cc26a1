"""What can go wrong, as exceptions."""

from __future__ import annotations


class UnburdenError(Exception):
    """Anything that kept the service from answering.

    Attributes:
        code: a stable word, such as `file_not_found`; those of the service are listed in its
            `openapi.yaml`, those of this client are `unreachable`, `timeout`, `answer_broken`,
            `body_not_json` and `not_started`.
        status: the HTTP status, None where there was no answer.
        field: the field of the request that it is about, where there is one.
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
    """The service answered, and refused: its own sentence, code and field."""


class Unavailable(UnburdenError):
    """The service did not answer: nothing listens, it is too slow, or what came is no answer of it."""
