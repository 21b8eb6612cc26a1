"""The faults that the negative controls make: one change to a sound sample each."""

import copy
from collections.abc import Callable
from typing import Any

Messages = list[Any]
Break = Callable[[Messages], Any]


def find(messages: Messages, **wanted: Any) -> Any:
    """The first message with these fields."""
    return next(m for m in messages if all(m.get(k) == v for k, v in wanted.items()))


def drop(messages: Messages, **wanted: Any) -> None:
    messages.remove(find(messages, **wanted))


def _block(messages: Messages, kind: str) -> Any:
    """The first content block or part of a type."""
    contents = (m["content"] for m in messages if isinstance(m["content"], list))
    return next(part for parts in contents for part in parts if part["type"] == kind)


def _part(messages: Messages, key: str) -> Any:
    """The first Gemini part with a key."""
    return next(part for m in messages for part in m["parts"] if key in part)


def _message_with(messages: Messages, kind: str) -> Any:
    """The first message that holds a block of a type."""
    lists = (m for m in messages if isinstance(m["content"], list))
    return next(m for m in lists if any(part["type"] == kind for part in m["content"]))


def _swap(messages: Messages, one: Any, other: Any) -> None:
    a, b = messages.index(one), messages.index(other)
    messages[a], messages[b] = messages[b], messages[a]


USER = {"role": "user", "content": "and?"}

# format -> oracle -> what is broken -> how
CONTROLS: dict[str, dict[str, dict[str, Break]]] = {
    "openai-chat": {
        "openai": {
            "result without id": lambda m: find(m, role="tool").pop("tool_call_id"),
            "result that is a number": lambda m: find(m, role="tool").update(content=7),
            "unknown role": lambda m: find(m, role="tool").update(role="result"),
            "call without function": lambda m: m[2]["tool_calls"][0].pop("function"),
            "arguments that are no string": lambda m: m[2]["tool_calls"][0]["function"].update(
                arguments={}
            ),
            "text part without text": lambda m: _message_with(m, "text")["content"][0].pop("text"),
        },
        "mistral-common": {
            "call without result": lambda m: drop(m, role="tool"),
            "result without call": lambda m: m.pop(2),
            "result twice": lambda m: m.insert(3, copy.deepcopy(m[3])),
            "result of another call": lambda m: m[3].update(tool_call_id="other"),
            "question between call and result": lambda m: m.insert(3, USER),
            "result before its call": lambda m: _swap(m, m[2], m[3]),
            "open calls at the end": lambda m: m.__delitem__(slice(3, None)),
        },
        "check_histories": {"result twice": lambda m: m.insert(3, copy.deepcopy(m[3]))},
    },
    "openai-responses": {
        "openai": {
            "output without output": lambda m: find(m, type="function_call_output").pop("output"),
            "output that is an object": lambda m: find(m, type="function_call_output").update(
                output={"text": "x"}
            ),
            "output part of an unknown type": lambda m: find(m, type="function_call_output").update(
                output=[{"type": "text", "text": "x"}]
            ),
            "call without arguments": lambda m: find(m, type="function_call").pop("arguments"),
            "reasoning without summary": lambda m: find(m, type="reasoning").pop("summary"),
            "unknown item": lambda m: m.append({"type": "snapshot", "text": "x"}),
            "message of an unknown role": lambda m: find(m, role="user").update(role="tool"),
        },
        "mistral-common": {
            "call without output": lambda m: drop(m, type="function_call_output"),
            "output without call_id": lambda m: find(m, type="function_call_output").pop("call_id"),
            "output without call": lambda m: drop(m, type="function_call"),
            "output before its call": lambda m: _swap(
                m, find(m, type="function_call"), find(m, type="function_call_output")
            ),
        },
        "check_histories": {"lost output": lambda m: drop(m, type="function_call_output")},
    },
    "anthropic": {
        "anthropic": {
            "result without id": lambda m: _block(m, "tool_result").pop("tool_use_id"),
            "result that is a number": lambda m: _block(m, "tool_result").update(content=7),
            "result block of an unknown type": lambda m: _block(m, "tool_result").update(
                content=[{"type": "output", "text": "x"}]
            ),
            "thinking without signature": lambda m: _block(m, "thinking").pop("signature"),
            "text block without text": lambda m: _block(m, "text").pop("text"),
            "call without input": lambda m: _block(m, "tool_use").pop("input"),
            "role tool": lambda m: _message_with(m, "tool_result").update(role="tool"),
            "a system message that is new": lambda m: m.insert(
                0, {"role": "system", "content": "x"}
            ),
        },
        "mistral-common": {
            "call without result": lambda m: m.remove(_message_with(m, "tool_result")),
            "one of two results lost": lambda m: _message_with(m, "tool_result")["content"].pop(),
            "result without call": lambda m: m.remove(_message_with(m, "tool_use")),
            "result one message late": lambda m: m.insert(
                m.index(_message_with(m, "tool_result")), USER
            ),
        },
        "check_histories": {"lost result": lambda m: m.remove(_message_with(m, "tool_result"))},
    },
    "gemini": {
        "google-genai": {
            "unknown field": lambda m: m[0].update(content="x"),
            "unknown field of a part": lambda m: _part(m, "text").update(type="text"),
            "response that is a string": lambda m: _part(m, "functionResponse")[
                "functionResponse"
            ].update(response="x"),
            "role assistant": lambda m: m[1].update(role="assistant"),
            "role system": lambda m: m[0].update(role="system"),
            "no parts": lambda m: m[0].update(parts=[]),
            "text that is a number": lambda m: _part(m, "text").update(text=7),
        },
        "mistral-common": {
            "call without response": lambda m: m.pop(2),
            "one of two responses lost": lambda m: m[2]["parts"].pop(),
            "response without call": lambda m: m.pop(1),
        },
        "check_histories": {"lost response": lambda m: m.pop(2)},
    },
    "ai-sdk": {
        "ai": {
            "output that is a string": lambda m: _block(m, "tool-result").update(output="x"),
            "output of an unknown type": lambda m: _block(m, "tool-result").update(
                output={"type": "ref", "value": "x"}
            ),
            "text output that is an object": lambda m: _block(m, "tool-result").update(
                output={"type": "text", "value": {}}
            ),
            "call without name": lambda m: _block(m, "tool-call").pop("toolName"),
            "unknown role": lambda m: m[0].update(role="developer"),
            "call without result": lambda m: m.remove(_message_with(m, "tool-result")),
            "one of two results lost": lambda m: _message_with(m, "tool-result")["content"].pop(),
            "a system message that is new": lambda m: m.insert(
                0, {"role": "system", "content": "x"}
            ),
            "no message left": lambda m: m.clear(),
        },
        "mistral-common": {
            "result without call": lambda m: m.remove(_message_with(m, "tool-call")),
        },
        "check_histories": {"lost result": lambda m: m.remove(_message_with(m, "tool-result"))},
    },
}

LANGCHAIN: dict[str, dict[str, dict[str, Break]]] = {
    "flat": {
        "langchain-core": {
            "unknown type": lambda m: m[1].update(type="person"),
            "no content": lambda m: m[1].pop("content"),
            "result without id": lambda m: find(m, type="tool").pop("tool_call_id"),
            "unknown status": lambda m: find(m, type="tool").update(status=3),
        },
        "mistral-common": {
            "call without result": lambda m: drop(m, type="tool"),
            "result without call": lambda m: m.pop(2),
        },
    },
    "messages_to_dict": {
        "langchain-core": {
            "unknown type": lambda m: m[1].update(type="person"),
            "no content": lambda m: m[1]["data"].pop("content"),
            "result without id": lambda m: find(m, type="tool")["data"].pop("tool_call_id"),
            "another shape between": lambda m: m.insert(1, {"type": "human", "content": "x"}),
        },
        "mistral-common": {
            "call without result": lambda m: drop(m, type="tool"),
            "result without call": lambda m: m.pop(2),
        },
    },
    "dumpd": {
        "langchain-core": {
            "unknown class": lambda m: m[1]["id"].__setitem__(-1, "PersonMessage"),
            "no content": lambda m: m[1]["kwargs"].pop("content"),
            "another shape between": lambda m: m.insert(1, {"type": "human", "content": "x"}),
            "no constructor": lambda m: m[1].update(type="not_implemented"),
        },
        "mistral-common": {
            "call without result": lambda m: m.pop(3),
            "result without call": lambda m: m.pop(2),
        },
    },
}

# format -> a system prompt that the library of that format must refuse
WRONG_SYSTEM = {
    "openai-responses": [{"type": "text", "text": "x"}],
    "anthropic": [{"type": "image", "text": "x"}],
    "gemini": {"parts": [{"type": "text", "text": "x"}]},
    "ai-sdk": {"role": "user", "content": "x"},
}
