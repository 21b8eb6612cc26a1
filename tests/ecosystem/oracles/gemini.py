"""gemini: the content types of the `google-genai` package, which allow no unknown field."""

from typing import Any

from google.genai import types
from pydantic import ValidationError

from .typed import complaint

# The package types the role as a string and names these in its text; the API refuses others.
_ROLES = ("user", "model", "function", None)


def complaints(messages: list[Any], system: Any, before: list[Any]) -> list[str]:
    del before
    found = []
    for message in messages:
        try:
            content = types.Content.model_validate(message)
        except ValidationError as error:
            found.append(f"content: {complaint(error)}")
            continue
        if content.role not in _ROLES:
            found.append(f"content: role {content.role}")
        if not content.parts:
            found.append("content: no parts")
    if system is not None:
        try:
            types.GenerateContentConfig.model_validate({"system_instruction": system})
        except ValidationError as error:
            found.append(f"system_instruction: {complaint(error)}")
    return found
