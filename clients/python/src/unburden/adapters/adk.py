"""Google ADK: a `before_model_callback`, and the reload tools.

client = Unburden(target_tokens=60_000)
agent = LlmAgent(
    name="…", model="…", tools=[*my_tools, *reload_tools(client)],
    before_model_callback=before_model(client),
)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..definitions import plain_tools
from ..settings import Settings
from .extras import needs

with needs("adk"):
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types

if TYPE_CHECKING:
    from typing_extensions import Unpack

BeforeModel = Callable[[CallbackContext, LlmRequest], Awaitable[LlmResponse | None]]


def before_model(client: Unburden | AsyncUnburden, **settings: Unpack[Settings]) -> BeforeModel:
    """A callback that makes the contents of each request smaller.

    The session keeps the whole history: the service gets it anew with each call and answers with
    the same bytes and the same snapshots. Snapshots go to the system instruction, where there is
    one. Contents and parts that did not change stay the very same objects.

    Args:
        client: of the service.
        **settings: before those of the client.
    """
    made = AsyncUnburden.of(client)

    # ADK gives both by their names.
    async def run(callback_context: CallbackContext, llm_request: LlmRequest) -> LlmResponse | None:
        contents = llm_request.contents
        sent = [_plain(content) for content in contents]
        config = llm_request.config
        result = await made.offload(
            sent,
            system=_system(config.system_instruction),
            tools=[_plain(tool) for tool in config.tools or [] if isinstance(tool, types.Tool)] or None,
            format="gemini",
            **settings,
        )
        if result.changed:
            llm_request.contents = [
                _content(received, origin, contents, sent)
                for received, origin in zip(result.messages, result.origins, strict=True)
            ]
            if result.system != _system(config.system_instruction):
                config.system_instruction = result.system
        return None

    return run


class ReloadTool(BaseTool):
    """One of the tools with which the agent reads back what left."""

    def __init__(self, client: AsyncUnburden, tool: dict[str, Any]) -> None:
        """`tool` is a definition of `unburden.definitions.plain_tools`."""
        super().__init__(name=tool["name"], description=tool["description"])
        self._client = client
        self._schema = tool["input_schema"]

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> str:
        """The text that the model reads."""
        return await self._client.run_tool(self.name, args)


def reload_tools(client: Unburden | AsyncUnburden) -> list[BaseTool]:
    """The tools with which the agent reads back what left."""
    made = AsyncUnburden.of(client)
    return [ReloadTool(made, tool) for tool in plain_tools(made.sync.reload_tools)]


def _plain(model: Any) -> dict[str, Any]:
    plain: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=str)
    return plain


def _system(instruction: Any) -> Any:
    # What is neither text nor parts, such as an uploaded file, is left where it is.
    if instruction is None or isinstance(instruction, str):
        return instruction
    return _plain(instruction) if isinstance(instruction, types.Content) else None


def _content(
    received: dict[str, Any], origin: int | None, contents: list[types.Content], sent: list[dict[str, Any]]
) -> types.Content:
    if origin is None:
        return types.Content.model_validate(received)
    content = contents[origin]
    if received is sent[origin]:
        return content
    parts = zip(content.parts or [], sent[origin]["parts"], received["parts"], strict=True)
    return content.model_copy(update={"parts": [_part(*part) for part in parts]})


def _part(part: types.Part, was: dict[str, Any], now: dict[str, Any]) -> types.Part:
    if was == now:
        return part
    if part.function_response is None:
        return part.model_copy(update={"text": now["text"]})
    response = part.function_response.model_copy(update={"response": now["functionResponse"]["response"]})
    return part.model_copy(update={"function_response": response})
