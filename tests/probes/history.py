"""A real history of ../shared, and what a model sees of one."""

import json
from functools import cache
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"
_OF_MODELS = ("assistant", "model")
_CALLS = ("function_call", "custom_tool_call", "reasoning", "web_search_call")


class History:
    def __init__(self, messages: list[Any], system: Any = None) -> None:
        self.messages, self.system = messages, system

    def texts(self) -> list[str]:
        """The text of each message, behind that of the system prompt beside them."""
        return [leaves(self.system), *map(leaves, self.messages)]

    def text(self) -> str:
        return "\n".join(self.texts())

    def body(self) -> dict[str, Any]:
        """The members of a request."""
        beside = {"system": self.system} if self.system else {}
        return {"messages": self.messages, **beside}


def present(name: str) -> bool:
    return (SHARED / name).is_file()


@cache
def load(name: str) -> History:
    of = json.loads((SHARED / name).read_text("utf-8"))
    return History(of["messages"] if "messages" in of else of["history"], of.get("system"))


def leaves(value: Any) -> str:
    """All strings and numbers in it, a line each.

    >>> leaves({"role": "user", "content": [{"text": "one"}, {"text": ["two", 3]}]})
    'user\\none\\ntwo\\n3'
    """
    if isinstance(value, dict):
        return "\n".join(map(leaves, value.values()))
    if isinstance(value, list):
        return "\n".join(map(leaves, value))
    return "" if value is None or isinstance(value, bool) else str(value)


def model_calls(messages: list[Any]) -> list[int]:
    """How many messages stand before each call of the model.

    >>> model_calls([{"role": role} for role in ("user", "assistant", "tool", "tool", "assistant")])
    [1, 4]
    """
    spoken = [_is_models(message) for message in messages]
    return [at for at in range(1, len(messages)) if spoken[at] and not spoken[at - 1]]


def _is_models(message: dict[str, Any]) -> bool:
    return message.get("role") in _OF_MODELS or message.get("type") in _CALLS
