"""AgentScope 2.x: an `offloader=`, and the reload tools.

client = Unburden()
agent = Agent(
    name="…", system_prompt="…", model=model,
    toolkit=Toolkit(tools=[*my_tools, *reload_tools(client)]),
    offloader=UnburdenOffloader(client),
    context_config=ContextConfig(tool_result_limit=1000),
)
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import mimetypes
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..aio import AsyncUnburden
from ..client import Unburden
from ..definitions import plain_tools
from .extras import needs

with needs("agentscope"):
    from agentscope.message import (
        Base64Source,
        DataBlock,
        Msg,
        TextBlock,
        ThinkingBlock,
        ToolCallBlock,
        ToolResultBlock,
        URLSource,
    )
    from agentscope.permission import PermissionBehavior, PermissionContext, PermissionDecision
    from agentscope.tool import ToolBase, ToolChunk

_MOVE_ALL: dict[str, Any] = {
    "context_manage_mode": "compact",
    "max_total_tokens": 0,
    "max_tool_message_tokens": 0,
    "keep_recent_count": 0,
    "preview_tokens": 0,
    "target_tokens": None,
    "format": "openai-chat",
}


class UnburdenOffloader:
    """AgentScope's `Offloader`: what leaves the context goes to files of the service.

    AgentScope itself decides what leaves: the rest of a tool result behind
    `ContextConfig.tool_result_limit`, and the context that it compresses. What it gets back is the
    path that the reload tools read. It has cut the text by then, so where the service is down the
    text goes to a folder of this process, and the agent goes on with that path.
    """

    def __init__(
        self,
        client: Unburden | AsyncUnburden,
        *,
        local_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        """Makes nothing yet.

        Args:
            client: of the service.
            local_dir: the folder of this process for pictures and other data, which the service
                does not keep, and for texts while it is down. By default `unburden` in the system's
                folder for temporary files.
        """
        self._client = AsyncUnburden.of(client)
        self._local = Path(local_dir or Path(tempfile.gettempdir()) / f"unburden-{_user()}")

    async def offload_context(self, session_id: str, msgs: list[Msg]) -> str:
        """The path of a file with these messages."""
        text = "\n\n".join(part for msg in msgs for part in _told(msg))
        return await self._store(f"context_{session_id}", "context", text)

    async def offload_tool_result(self, session_id: str, tool_result: ToolResultBlock) -> str:
        """The path of a file with this tool result, or with what it is the rest of."""
        return await self._store(tool_result.id, tool_result.name, _text_of(tool_result))

    async def offload_data_block(self, block: DataBlock) -> DataBlock:
        """The block with the URL of a file in `local_dir` in place of its base64."""
        source = block.source
        if not isinstance(source, Base64Source):
            return block
        ending = mimetypes.guess_extension(source.media_type) or ".bin"
        data = base64.b64decode(source.data)
        path = await asyncio.to_thread(self._keep, data, ending)
        url = URLSource.model_validate({"url": path.as_uri(), "media_type": source.media_type})
        return block.model_copy(update={"source": url})

    async def _store(self, call_id: str, tool: str, text: str) -> str:
        # A history of one call is what the service moves whole to a file of a name that is its own.
        call = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": "{}"}}
        messages: list[dict[str, Any]] = [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": text},
        ]
        result = await self._client.offload(messages, **_MOVE_ALL)
        actions = result.report.get("actions", []) if result.report else []
        path = actions[0]["path"] if actions else None
        if path is not None:
            return path
        # The service is down, or the text is shorter than a reference to it.
        return str(await asyncio.to_thread(self._keep, text.encode("utf-8", "surrogatepass"), ".txt"))

    def _keep(self, data: bytes, ending: str) -> Path:
        self._local.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._local / f"{hashlib.sha256(data).hexdigest()}{ending}"
        if not path.exists():
            handle, partial = tempfile.mkstemp(dir=self._local)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(partial, path)
        return path.resolve()


class ReloadTool(ToolBase):
    """One of the tools with which the agent reads back what left."""

    is_concurrency_safe = True
    is_read_only = True
    is_external_tool = False
    is_state_injected = False
    is_mcp = False
    mcp_name = None

    def __init__(self, client: AsyncUnburden, tool: dict[str, Any]) -> None:
        """`tool` is a definition of `unburden.definitions.plain_tools`."""
        super().__init__()
        self.name = tool["name"]
        self.description = tool["description"]
        self.input_schema = tool["input_schema"]
        self._client = client

    async def check_permissions(
        self, tool_input: dict[str, Any], context: PermissionContext
    ) -> PermissionDecision:
        """Allowed: it reads only what the service's operator opened to it."""
        return PermissionDecision(behavior=PermissionBehavior.ALLOW, message="reads stored results")

    async def call(self, **arguments: Any) -> ToolChunk:
        """The text that the model reads."""
        text = await self._client.run_tool(self.name, arguments)
        return ToolChunk(content=[TextBlock(text=text)])


def reload_tools(client: Unburden | AsyncUnburden) -> list[ToolBase]:
    """The tools with which the agent reads back what left."""
    made = AsyncUnburden.of(client)
    return [ReloadTool(made, tool) for tool in plain_tools(made.sync.reload_tools)]


def _told(msg: Msg) -> Iterable[str]:
    for block in msg.content:
        text = _told_block(block)
        if text:
            yield f"[{msg.name or msg.role}] {text}"


def _told_block(block: Any) -> str:
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, ToolCallBlock):
        return f"calls {block.name} {block.input} ({block.id})"
    if isinstance(block, ToolResultBlock):
        return f"result of {block.name} ({block.id}):\n{_text_of(block)}"
    if isinstance(block, DataBlock):
        return _data(block)
    if isinstance(block, ThinkingBlock):
        return ""
    return json.dumps(block.model_dump(mode="json"), ensure_ascii=False)


def _text_of(result: ToolResultBlock) -> str:
    if isinstance(result.output, str):
        return result.output
    return "\n".join(block.text if isinstance(block, TextBlock) else _data(block) for block in result.output)


def _data(block: DataBlock) -> str:
    url = str(block.source.url) if isinstance(block.source, URLSource) else "not kept"
    return f"({block.source.media_type} {block.name or ''}: {url})"


def _user() -> str:
    # A folder that another user made first would be refused or, worse, read.
    return re.sub(r"\W", "_", str(os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")))
