"""Unburden: makes the message histories of agents smaller, and reads back what left.

    from unburden import Unburden

    client = Unburden(store_dir="./context_store", target_tokens=60_000)
    messages = client.offload(messages).messages        # before each model call
    tools = [*my_tools, *client.tool_definitions("openai")]
    text = client.run_tool(name, arguments)              # when the model calls one of them

`unburden.adapters` has it ready for the agent frameworks.
"""

from .aio import AsyncUnburden
from .client import DEFAULT_URL, Unburden
from .definitions import TOOL_NAMES, ToolFormat, tool_definitions
from .errors import ServiceError, Unavailable, UnburdenError
from .results import (
    Action,
    Answer,
    Counted,
    Extracted,
    Grep,
    Group,
    Match,
    Offloaded,
    Page,
    Problem,
    Rehydrated,
    Report,
    Stored,
    ToolResult,
    Validated,
)
from .settings import Descriptor, Format, Mode, ReloadTool, Role, Settings
from .tool_calls import MAX_TOKENS

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_URL",
    "MAX_TOKENS",
    "TOOL_NAMES",
    "Action",
    "Answer",
    "AsyncUnburden",
    "Counted",
    "Descriptor",
    "Extracted",
    "Format",
    "Grep",
    "Group",
    "Match",
    "Mode",
    "Offloaded",
    "Page",
    "Problem",
    "Rehydrated",
    "ReloadTool",
    "Report",
    "Role",
    "ServiceError",
    "Settings",
    "Stored",
    "ToolFormat",
    "ToolResult",
    "Unavailable",
    "Unburden",
    "UnburdenError",
    "Validated",
    "__version__",
    "tool_definitions",
]
