"""Unburden: makes the message histories of agents smaller, and reads back what left.

    from unburden import Unburden

    client = Unburden(store_dir="./context_store", target_tokens=60_000)
    messages = client.offload(messages).messages        # before each model call
    tools = [*my_tools, *client.tool_definitions("openai")]
    text = client.run_tool(name, arguments)              # when the model calls one of them

`unburden.adapters` has it ready for the agent frameworks.
"""

from .aio import (
    AsyncUnburden as AsyncUnburden,
)
from .client import (
    DEFAULT_URL as DEFAULT_URL,
    Unburden as Unburden,
)
from .definitions import (
    TOOL_NAMES as TOOL_NAMES,
    ToolFormat as ToolFormat,
    tool_definitions as tool_definitions,
)
from .errors import (
    ServiceError as ServiceError,
    Unavailable as Unavailable,
    UnburdenError as UnburdenError,
)
from .results import (
    Action as Action,
    Answer as Answer,
    Counted as Counted,
    Extracted as Extracted,
    Grep as Grep,
    Group as Group,
    Match as Match,
    Offloaded as Offloaded,
    Page as Page,
    Problem as Problem,
    Rehydrated as Rehydrated,
    Report as Report,
    Stored as Stored,
    ToolResult as ToolResult,
    Totals as Totals,
    Validated as Validated,
)
from .settings import (
    Descriptor as Descriptor,
    Format as Format,
    Mode as Mode,
    ReloadTool as ReloadTool,
    Role as Role,
    Settings as Settings,
)
from .tool_calls import (
    MAX_TOKENS as MAX_TOKENS,
)

__version__ = "0.1.0"
