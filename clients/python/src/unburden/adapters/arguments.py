"""Models of arguments, for frameworks whose tools take a pydantic model instead of a JSON schema."""

from __future__ import annotations

import copy
from typing import Any

from pydantic import BaseModel, ConfigDict


def arguments_model(name: str, schema: dict[str, Any]) -> type[BaseModel]:
    """A model that shows `schema` and takes any object: the service checks arguments itself."""

    class Arguments(BaseModel):
        model_config = ConfigDict(extra="allow", title=name)

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return copy.deepcopy(schema)

    return Arguments
