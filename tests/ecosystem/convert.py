"""Histories of the frameworks that have none of their own in ../shared, from openai-chat ones."""

import json
from typing import Any

from langchain_core.load import dumpd
from langchain_core.messages import BaseMessage, convert_to_messages, messages_to_dict

Messages = list[dict[str, Any]]


def _flat(messages: list[BaseMessage]) -> Messages:
    return [message.model_dump(mode="json") for message in messages]


LANGCHAIN_SHAPES = {
    "flat": _flat,
    "messages_to_dict": messages_to_dict,
    "dumpd": dumpd,
}


def to_langchain(messages: Messages, shape: str) -> Messages:
    """One of the three dumps, made by langchain-core; raises what langchain-core raises."""
    # langchain-core asks for a content, which some agents leave out beside tool calls.
    read = convert_to_messages([{"content": "", **m} for m in messages])
    return json.loads(json.dumps(LANGCHAIN_SHAPES[shape](read)))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


def _output(content: Any) -> dict[str, Any]:
    """The output type that an AI SDK tool would have given for this result."""
    if isinstance(content, list) and len(content) > 1:
        parts = [{"type": "text", "text": part.get("text", "")} for part in content]
        return {"type": "content", "value": parts}
    text = _text(content)
    if text.startswith(("Error", "ERROR", "Traceback")):
        return {"type": "error-text", "value": text}
    try:
        value = json.loads(text)
    except ValueError:
        return {"type": "text", "value": text}
    return {"type": "json", "value": value}


def _arguments(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def to_ai_sdk(messages: Messages) -> Messages:
    """ModelMessages; the results of one turn share a tool message, as the SDK builds them."""
    names: dict[str, str] = {}
    made: Messages = []
    for message in messages:
        role, content = message["role"], message.get("content")
        if role in ("system", "developer"):
            made.append({"role": "system", "content": _text(content)})
        elif role == "user":
            made.append({"role": "user", "content": [{"type": "text", "text": _text(content)}]})
        elif role == "assistant":
            calls = message.get("tool_calls") or []
            text = _text(content)
            parts: Messages = [{"type": "text", "text": text}] if text or not calls else []
            for call in calls:
                names[call["id"]] = call["function"]["name"]
                part = {"type": "tool-call", "toolCallId": call["id"]}
                part["toolName"] = call["function"]["name"]
                part["input"] = _arguments(call["function"]["arguments"])
                parts.append(part)
            made.append({"role": "assistant", "content": parts})
        elif role == "tool":
            identifier = message.get("tool_call_id")
            if identifier not in names:
                raise ValueError("a result without its call has no place in ModelMessages")
            part = {"type": "tool-result", "toolCallId": identifier}
            part["toolName"] = names[identifier]
            part["output"] = _output(content)
            if made[-1]["role"] != "tool":
                made.append({"role": "tool", "content": []})
            made[-1]["content"].append(part)
        else:
            raise ValueError(f"role {role} has no place in ModelMessages")
    return made
