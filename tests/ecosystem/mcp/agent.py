"""A client as an agent uses it: tools by the names that they have, and answers to their end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from answers import Change, Page, follow, page_change, told
from client import Client, Result
from tokens import Counter

# The header of a page and the line that says where an answer was cut stand above the ceiling.
SLACK = 60


@dataclass(frozen=True)
class Settings:
    """The operator's settings that an agent sees: in the names of tools, in sizes of answers."""

    prefix: str = ""
    ceiling: int = 10_000

    def environment(self) -> dict[str, str]:
        given = {
            "UNBURDEN_SERVER__TOOL_PREFIX": self.prefix,
            "UNBURDEN_RELOAD__MAX_TOKENS": str(self.ceiling),
        }
        return {} if self == Settings() else given


class Agent:
    """A client with a folder of its own, `store`, in front of a service with `settings`."""

    def __init__(self, client: Client, store: Path, count: Counter, settings: Settings) -> None:
        self.client, self.store, self.count, self.settings = client, store, count, settings

    def call(self, tool: str, /, **arguments: Any) -> Result:
        """Calls a tool by the name that it has here."""
        return self.client.call(self.settings.prefix + tool, **arguments)

    def ask(self, tool: str, /, **arguments: Any) -> str:
        """The text of a retrieval tool."""
        return told(self.call(tool, **arguments))

    def here(self) -> dict[str, str]:
        return {"store_dir": str(self.store)}

    def texts(
        self, tool: str, arguments: dict[str, Any], change: Callable[[str], Change | None]
    ) -> Iterator[str]:
        """Every page of an answer, none of them above the ceiling."""
        call = partial(self.client.call, self.settings.prefix + tool)
        for text in follow(call, arguments, change):
            assert self.count(text) <= self.settings.ceiling + SLACK, self.count(text)
            yield text

    def whole(self, tool: str, arguments: dict[str, Any], at_least: int) -> str:
        """The whole, read as the headers of the pages say."""
        bodies = [Page.of(text).body for text in self.texts(tool, arguments, page_change)]
        assert len(bodies) >= at_least, f"{len(bodies)} pages"
        return "".join(bodies)
