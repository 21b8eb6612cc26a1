"""Pairing of calls and results, by the strictest request validator of `mistral-common`.

Version 11 wants ids of nine letters or digits, each result after the call of the same
id in the turn before it, no result twice, no call without a result before the next turn.
"""

import copy
import hashlib
from typing import Any

from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
from mistral_common.tokens.tokenizers.base import TokenizerVersion

_VALIDATOR = get_validator(TokenizerVersion.v11, ValidationMode.serving)


def nine(identifier: Any) -> Any:
    """An id of the length that Mistral wants, a function of the id alone."""
    if not isinstance(identifier, str):
        return identifier
    return hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()[:9]


def with_short_ids(messages: list[Any]) -> list[Any]:
    """A copy of an openai-chat history that differs in its ids only."""
    messages = copy.deepcopy(messages)
    for message in messages:
        for call in message.get("tool_calls") or []:
            call["id"] = nine(call.get("id"))
        if "tool_call_id" in message:
            message["tool_call_id"] = nine(message["tool_call_id"])
    return messages


def complaints(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
    """The first refusal of an openai-chat history; the validator stops there."""
    del system, before
    try:
        messages = with_short_ids(messages)
        # A serving request ends with the user's or a tool's turn, a stored history need not.
        if messages and messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
            messages.append({"role": "user", "content": "go on"})
        _VALIDATOR.validate_request(ChatCompletionRequest.from_openai(messages, model="any"))
    except Exception as error:  # conversion and validator have a dozen kinds of refusal
        return [f"{type(error).__name__}: {error}"]
    return []
