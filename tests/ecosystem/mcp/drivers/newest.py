"""A server of the newest protocol generation, by the official Python SDK: `newest.py [PORT]`.

The published servers still speak the generation before.
"""

import sys
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import EmbeddedResource, ImageContent, TextContent
from pydantic import BaseModel

server = MCPServer("newest", version="1", log_level="ERROR")


class Person(BaseModel):
    name: str


class Inventory(BaseModel):
    total: int
    items: list[dict[str, Any]]


@server.tool()
def inventory(count: int) -> Inventory:
    """So many items, as structured content and as text."""
    items = [{"id": f"I-{n}", "price": n / 8, "place": f"shelf {n % 17}"} for n in range(count)]
    return Inventory(total=count, items=items)


@server.tool()
async def steps(context: Context) -> str:
    """Tells its progress."""
    for n in (1, 2, 3):
        await context.report_progress(n, 3, f"step {n}")
        # Clients may drop what comes together with the result.
        await anyio.sleep(0.2)
    return "done"


@server.tool(structured_output=False)
def manual(pages: int) -> list[Any]:
    """A picture, a resource of so many pages of text, and a word."""
    text = "".join(f"page {n}: the valve turns left, never right\n" for n in range(pages))
    page = {"uri": "file:///manual.txt", "mimeType": "text/plain", "text": text}
    return [
        ImageContent.model_validate(
            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
        ),
        EmbeddedResource.model_validate(
            {"type": "resource", "resource": page, "annotations": {"priority": 0.5}}
        ),
        TextContent(type="text", text="that was all"),
    ]


def asked() -> Elicit[Person]:
    return Elicit("Who are you?", Person)


@server.tool()
def greet(person: Annotated[Person, Resolve(asked)]) -> str:
    """Asks the user for a name, which takes a second round in this generation."""
    return f"Hello {person.name}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
