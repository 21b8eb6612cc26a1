"""openai-responses: the input item types of the `openai` package."""

from typing import Any

from openai.types.responses.response_input_item_param import ResponseInputItemParam
from pydantic import TypeAdapter

from .typed import check, check_each

_ITEM: TypeAdapter[Any] = TypeAdapter(ResponseInputItemParam)
_INSTRUCTIONS: TypeAdapter[Any] = TypeAdapter(str)


def _as_typed(item: Any) -> Any:
    """What the API takes and the types do not: nulls, and items of unstored answers.

    With `store: false` an answer's items come back without `id`, `status` and
    `annotations`, and real clients keep their logs that way; the types demand all three.
    """
    if not isinstance(item, dict):
        return item
    item = {key: value for key, value in item.items() if value is not None}
    kind = item.get("type", "message")
    if kind in ("reasoning", "web_search_call"):
        item.setdefault("id", "unstored")
    elif kind == "message" and item.get("role") == "assistant" and "type" in item:
        item.setdefault("id", "unstored")
        item.setdefault("status", "completed")
        if isinstance(item.get("content"), list):
            item["content"] = [_annotated(part) for part in item["content"]]
    return item


def _annotated(part: Any) -> Any:
    if isinstance(part, dict) and part.get("type") == "output_text":
        return {"annotations": [], **part}
    return part


def complaints(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
    del before
    found = check_each(_ITEM, [_as_typed(item) for item in messages])
    if system is not None:
        words = check(_INSTRUCTIONS, system)
        found += [f"instructions: {words}"] if words else []
    return found
