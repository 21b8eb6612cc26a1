"""openai-chat: the request types of the `openai` package."""

from typing import Any

from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from .typed import check_each

_MESSAGE: TypeAdapter[Any] = TypeAdapter(ChatCompletionMessageParam)


def complaints(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
    del system, before
    return check_each(_MESSAGE, messages)
