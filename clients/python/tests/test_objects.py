"""Objects of SDKs among the messages, by their ways: pydantic models are tested where they are installed."""

from __future__ import annotations

import enum
import importlib.util
import unittest
from collections import UserDict
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any, TypeVar

from unburden import Unavailable, Unburden
from unburden.plain import plain_list

from .binary import WithService, log
from .scripted import Server, offloads

_F = TypeVar("_F", bound=Callable[..., Any])


def _has(module: str) -> Callable[[_F], _F]:
    return unittest.skipUnless(importlib.util.find_spec(module), f"{module} is not installed")


class Role(enum.Enum):
    """As SDKs have them."""

    USER = "user"


@dataclass
class Block:
    """A part of a content."""

    text: str
    type: str = "text"
    cache: str | None = None


@dataclass
class Message:
    """A message."""

    role: Role
    content: list[Any]


class Own:
    """Dumps itself."""

    def to_dict(self) -> dict[str, Any]:
        return {"role": "assistant", "content": [Block("I look.")]}


SAME = {"role": "user", "content": "plain"}


class Plain(unittest.TestCase):
    def test_what_is_plain_stays_itself(self) -> None:
        values = [SAME, {"role": "user", "content": [{"type": "text", "text": "a"}]}]
        made = plain_list(values, "messages")
        self.assertTrue(all(a is b for a, b in zip(made, values, strict=True)))

    def test_objects_anywhere(self) -> None:
        values: list[Any] = [
            Message(Role.USER, [Block("hi"), {"type": "text", "text": "plain"}]),
            Own(),
            UserDict({"role": "user", "content": "a mapping"}),
            MappingProxyType({"role": "user", "content": ({"type": "text", "text": "b"},)}),
            {"role": "user", "content": [Block("within a dict")]},
        ]
        self.assertEqual(
            plain_list(values, "messages"),
            [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "plain"}],
                },
                {"role": "assistant", "content": [{"type": "text", "text": "I look."}]},
                {"role": "user", "content": "a mapping"},
                {"role": "user", "content": [{"type": "text", "text": "b"}]},
                {"role": "user", "content": [{"type": "text", "text": "within a dict"}]},
            ],
        )

    @_has("pydantic")
    def test_pydantic_gives_what_was_set_and_what_its_defaults_say(self) -> None:
        import pydantic

        class Part(pydantic.BaseModel):
            kind: str = pydantic.Field("text", serialization_alias="type")
            text: str
            cache: str | None = None

        class Said(pydantic.BaseModel):
            model_config = pydantic.ConfigDict(extra="allow")
            role: str = "assistant"
            content: list[Part] | None = None
            refusal: str | None = None

        made: Any = Said
        part: Any = Part
        values = [made(content=[part(text="a")], refusal=None, audio=None), made()]
        self.assertEqual(
            plain_list(values, "messages"),
            [
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "a"}],
                    "refusal": None,
                    "audio": None,
                },
                {"role": "assistant"},
            ],
        )

    def test_what_cannot_be_converted_is_named(self) -> None:
        around: dict[str, Any] = {"role": "user"}
        around["content"] = [around]
        cases: list[tuple[Any, str]] = [
            ({"role": "user", "content": [SimpleNamespace(text="a")]}, "types.SimpleNamespace"),
            (object(), "builtins.object"),
            (Own, "type"),
            ({"role": "user", "content": b"bytes"}, "builtins.bytes"),
            ({1: "x"}, "a key that is int"),
            (around, "holds itself"),
        ]
        for value, name in cases:
            with self.subTest(name=name), self.assertRaises(Unavailable) as caught:
                plain_list([SAME, value], "messages")
            self.assertIn("messages[1]", caught.exception.message)
            self.assertIn(name, caught.exception.message)
            self.assertEqual(caught.exception.code, "body_not_json")


class Offloading(unittest.TestCase):
    def test_the_callers_own_objects_come_back(self) -> None:
        messages: list[Any] = [SAME, Message(Role.USER, [Block("hi")]), Own()]
        with Server(offloads()) as server:
            client = Unburden(server.url)
            self.addCleanup(client.close)
            result = client.offload(messages, system=[Block("be good")], tools=[Block("a tool")])
            sent = server.requests[0][1]
        self.assertIsNone(result.error)
        self.assertIs(result.messages, messages)
        self.assertFalse(result.changed)
        self.assertIsInstance(result.system[0], Block)
        self.assertEqual(sent["messages"][1], {"role": "user", "content": [{"type": "text", "text": "hi"}]})
        self.assertEqual(sent["system"], [{"type": "text", "text": "be good"}])
        self.assertEqual(sent["tools"], [{"type": "text", "text": "a tool"}])

    def test_each_history_that_cannot_be_sent_warns(self) -> None:
        warnings: list[str] = []
        messages: list[Any] = [SAME, {"role": "user", "content": [object()]}]
        with Server(offloads()) as server:
            client = Unburden(server.url, on_warning=warnings.append)
            self.addCleanup(client.close)
            for _ in range(2):
                result = client.offload(messages)
                self.assertIs(result.messages, messages)
                self.assertEqual(result.error and result.error.code, "body_not_json")
            self.assertEqual(server.requests, [])
            strict = Unburden(server.url, fail_open=False)
            self.addCleanup(strict.close)
            self.assertRaises(Unavailable, strict.offload, messages)
        self.assertEqual(len(warnings), 2)
        self.assertIn("messages[1].content[0] is a builtins.object", warnings[0])


CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
USAGE = {"input_tokens": 1, "output_tokens": 1}


class Sdks(WithService):
    """What the SDKs return goes into a history as it is, their usual idiom."""

    def offloaded(self, messages: list[Any]) -> None:
        result = self.client(keep_recent_count=1).offload(messages)
        assert result.report is not None
        self.assertEqual(result.report["outcome"], "compacted")
        changed = [a is not b for a, b in zip(result.messages, messages, strict=True)]
        self.assertEqual(changed, [False, False, True, False])

    @_has("openai")
    def test_openai(self) -> None:
        from openai.types.chat import ChatCompletionMessage

        message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [CALL]}
        self.offloaded(
            [
                {"role": "user", "content": "Build it."},
                ChatCompletionMessage.model_validate(message),
                {"role": "tool", "tool_call_id": "c1", "content": log("build")},
                ChatCompletionMessage.model_validate({"role": "assistant", "content": "Done."}),
            ]
        )

    @_has("anthropic")
    def test_anthropic(self) -> None:
        from anthropic.types import Message as Response

        block = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "make"}}
        thought = {"type": "thinking", "thinking": "I build.", "signature": "c2ln"}
        fields: dict[str, Any] = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "usage": USAGE,
        }
        fields |= {"stop_reason": "tool_use", "stop_sequence": None}
        response = Response.model_validate({**fields, "content": [thought, block]})
        result = {"type": "tool_result", "tool_use_id": "t1", "content": log("build")}
        self.offloaded(
            [
                {"role": "user", "content": "Build it."},
                {"role": "assistant", "content": response.content},
                {"role": "user", "content": [result]},
                Response.model_validate({**fields, "content": [{"type": "text", "text": "Done."}]}),
            ]
        )
