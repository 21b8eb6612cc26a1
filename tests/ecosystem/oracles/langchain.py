"""langchain: langchain-core reads the history back from each of its three dumped shapes."""

import warnings
from typing import Any

from langchain_core._api import LangChainBetaWarning
from langchain_core.load import load
from langchain_core.messages import (
    BaseMessage,
    convert_to_messages,
    convert_to_openai_messages,
    messages_from_dict,
)

from . import pairing

warnings.simplefilter("ignore", LangChainBetaWarning)


def read(messages: list[Any]) -> list[BaseMessage]:
    """The messages as langchain-core's own reader of their shape makes them."""
    first = messages[0] if messages else {}
    if "lc" in first:
        loaded = load(messages, allowed_objects="messages")
        strange = [m for m in loaded if not isinstance(m, BaseMessage)]
        if strange:
            raise ValueError(f"no message: {strange[0]}")
        return loaded
    if "data" in first:
        return messages_from_dict(messages)
    return convert_to_messages(messages)


def complaints(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
    """The reader's refusal."""
    del system, before
    try:
        read(messages)
    except Exception as error:  # each shape has its own kinds of refusal
        return [f"not readable: {type(error).__name__}: {error}"]
    return []


def pairs(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
    """The pairing, after langchain-core has made OpenAI messages of the history."""
    try:
        plain = convert_to_openai_messages(read(messages))
    except Exception as error:  # told by `complaints`, told here for a count of one
        return [f"not readable: {type(error).__name__}"]
    return pairing.complaints(plain, system, before)
