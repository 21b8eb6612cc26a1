"""Agents whose histories grow: what they send in each turn follows from their names, and what the
service must have kept of it, too."""

import json
import random
from dataclasses import dataclass, field
from typing import Any

import histories
import receipts
from histories import Message
from servers import SEEN
from service import Answer, Service


@dataclass
class Agent:
    """A chat that grows; every second one carries on with the answer, as a framework with a
    memory does, and the others post all messages anew."""

    name: str
    folder: str
    turns: int
    original: list[Message] = field(default_factory=list)
    posted: list[Message] = field(default_factory=list)

    @property
    def carries_on(self) -> bool:
        """True if it posts the last answer's messages."""
        return histories.number(f"{self.name}carries", 2) == 0

    def calls(self, turn: int) -> list[str]:
        """The calls of a turn."""
        count = 1 + histories.number(f"{self.name}t{turn}", 3)
        return [f"{self.name}t{turn}r{n}" for n in range(count)]

    def grow(self, turn: int) -> dict[str, Any]:
        """The body of the turn's post."""
        new: list[Message] = []
        if turn == 0:
            new.append({"role": "system", "content": f"You are the agent of {self.name}."})
        new.append({"role": "user", "content": f"Step {turn} of {self.name}: what is wrong?"})
        for call in self.calls(turn):
            function = {"name": call, "arguments": json.dumps({"of": self.name})}
            asked = [{"id": call, "type": "function", "function": function}]
            new += [
                {"role": "assistant", "content": None, "tool_calls": asked},
                {"role": "tool", "tool_call_id": call, "content": histories.result(call)},
                {"role": "assistant", "content": f"{call} was looked at in {self.name}."},
            ]
        self.original += new
        self.posted += new
        closing = {"role": "user", "content": f"And after step {turn}?"}
        return {
            "messages": [*self.posted, closing],
            "store_dir": self.folder,
            "chat_id": self.name,
            "context_manage_mode": histories.MODES[histories.number(self.name, 4)],
            "max_total_tokens": 500,
            "max_tool_message_tokens": 200,
            "include_files": False,
        }

    def take(self, answer: Answer) -> None:
        """Goes on with what came back."""
        if self.carries_on:
            *messages, closing = answer.json["messages"]
            assert closing["role"] == "user", closing
            self.posted = messages

    def restored(self, turn: int) -> list[Message]:
        """The history that /rehydrate must make of the answer to that turn."""
        return [*self.original, {"role": "user", "content": f"And after step {turn}?"}]


def agents(count: int, turns: int, tag: str) -> list[Agent]:
    """Half of them in folders of their own, half in one that they share."""
    shared = SEEN / f"{tag}shared"
    return [
        Agent(name, str(shared if number % 2 else SEEN / name), turns)
        for number, name in enumerate(f"{tag}a{number}x" for number in range(count))
    ]


def references(answer: Answer) -> list[tuple[str, str]]:
    """The paths that an answer's actions name, with their calls."""
    actions = answer.metadata.get("report", {}).get("actions", [])
    done = ("compact", "materialize", "compress")
    return [
        (action["path"], action.get("tool_call_id") or "")
        for action in actions
        if action.get("path") and action["action"] in done
    ]


def unread(service: Service, paths: list[tuple[str, str]]) -> list[str]:
    """The files of these paths that the service does not give back byte for byte."""
    faults = []
    for path, call in paths:
        try:
            why = receipts.wrong(path, call, receipts.pages(service, path))
        except (LookupError, ValueError) as error:
            why = str(error)
        if why:
            faults.append(f"{path}: {why}")
    return faults


def unrestored(service: Service, agent: Agent, turn: int, answer: Answer) -> list[str]:
    """Why the answer's messages do not become the agent's own again."""
    back = service.post("/rehydrate", {"messages": answer.json["messages"]})
    if back.json.get("messages") == agent.restored(turn):
        return []
    return [f"{agent.name}, turn {turn}: rehydrated to other messages: {str(back.metadata)[:300]}"]


def dice(what: str) -> random.Random:
    """Numbers that are the same in every run."""
    return random.Random(f"replicas/{what}")
