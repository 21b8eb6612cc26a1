"""The frameworks that the adapters are for, which this package does not install by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around the imports of a framework: where it is missing, the error says how to install it.

    Raises:
        ModuleNotFoundError: it is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        sentence = f'{error.name} is missing, which this adapter needs: pip install "unburden[{extra}]"'
        raise ModuleNotFoundError(f"unburden: {sentence}", name=error.name, path=error.path) from error
