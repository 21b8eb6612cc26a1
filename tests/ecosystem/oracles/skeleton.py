"""A history's turns, calls and results as openai-chat, so that one validator sees every format.

Texts are left out. Neighbouring messages of the model are one turn, as providers read them.
"""

from collections.abc import Iterator
from typing import Any

# (what, id): a "call", a "result", the "model" speaking or the "user" speaking.
Step = tuple[str, Any]


def _anthropic(messages: list[Any]) -> Iterator[Step]:
    for message in messages:
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        if message["role"] == "assistant":
            yield "model", None
            yield from (("call", b["id"]) for b in blocks if b.get("type") == "tool_use")
            continue
        results = [b["tool_use_id"] for b in blocks if b.get("type") == "tool_result"]
        yield from (("result", identifier) for identifier in results)
        if len(results) < len(blocks) or not blocks:
            yield "user", None


def _openai_responses(messages: list[Any]) -> Iterator[Step]:
    for item in messages:
        kind = item.get("type", "message")
        if "call_id" in item and kind.endswith("_output"):
            yield "result", item["call_id"]
        elif "call_id" in item and kind.endswith("_call"):
            yield "call", item["call_id"]
        elif kind == "message" and item.get("role") != "assistant":
            yield "user", None
        elif kind in ("message", "reasoning"):
            yield "model", None


def _gemini(messages: list[Any]) -> Iterator[Step]:
    waiting: list[tuple[str, str]] = []  # (name, id made up) of calls without an id
    count = 0
    for message in messages:
        parts = message.get("parts") or []
        calls = [p.get("functionCall") or p.get("function_call") for p in parts]
        answers = [p.get("functionResponse") or p.get("function_response") for p in parts]
        if message.get("role") == "model":
            yield "model", None
        for call in filter(None, calls):
            identifier = call.get("id")
            if identifier is None:
                count += 1
                identifier = f"unnamed {count}"
                waiting.append((call["name"], identifier))
            yield "call", identifier
        for answer in filter(None, answers):
            by_name = [pair for pair in waiting if pair[0] == answer["name"]]
            if by_name:
                waiting.remove(by_name[0])
                yield "result", by_name[0][1]
            else:
                yield "result", answer.get("id", "unasked")
        if message.get("role") != "model" and not any(answers):
            yield "user", None


def _ai_sdk(messages: list[Any]) -> Iterator[Step]:
    for message in messages:
        content = message["content"]
        parts = content if isinstance(content, list) else []
        if message["role"] == "tool":
            yield from (("result", p["toolCallId"]) for p in parts if p["type"] == "tool-result")
        elif message["role"] == "assistant":
            yield "model", None
            answered = {p["toolCallId"] for p in parts if p["type"] == "tool-result"}
            calls = [p["toolCallId"] for p in parts if p["type"] == "tool-call"]
            yield from (("call", c) for c in calls if c not in answered)
        elif message["role"] == "user":
            yield "user", None


_STEPS = {
    "anthropic": _anthropic,
    "openai-responses": _openai_responses,
    "gemini": _gemini,
    "ai-sdk": _ai_sdk,
}


def of(format_name: str, messages: list[Any]) -> list[dict[str, Any]]:
    """The skeleton of a history of a format that is neither openai-chat nor langchain."""
    turns: list[dict[str, Any]] = []
    if format_name == "openai-responses":
        # A list of items may begin with the model's: its instructions stand beside it.
        turns.append({"role": "user", "content": "x"})
    for what, identifier in _STEPS[format_name](messages):
        if what == "result":
            turns.append({"role": "tool", "tool_call_id": identifier, "content": "x"})
        elif what == "user":
            turns.append({"role": "user", "content": "x"})
        else:
            if not turns or turns[-1]["role"] != "assistant":
                turns.append({"role": "assistant", "content": "x"})
            if what == "call":
                function = {"name": "f", "arguments": "{}"}
                call = {"id": identifier, "type": "function", "function": function}
                turns[-1].setdefault("tool_calls", []).append(call)
    return turns
