"""The adapters over chat completions on messages; skipped where a framework is missing."""

from __future__ import annotations

import asyncio
import copy
import inspect
from types import SimpleNamespace
from typing import Any
from unittest import mock

from unburden import Unburden

from .binary import WithService
from .test_adapters import LONG, RECORDS, _changed, _down, _has

_MOVED = "result is stored in "
_COMPRESS: Any = {"context_manage_mode": "compress"}


def _call(name: str) -> dict[str, Any]:
    return {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": "{}"}}


def _chats() -> list[dict[str, Any]]:
    return [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
        },
        {"role": "assistant", "content": None, "tool_calls": [_call("bash"), _call("orders")]},
        {"role": "tool", "tool_call_id": "call_bash", "name": "bash", "content": LONG},
        {"role": "tool", "tool_call_id": "call_orders", "name": "orders", "content": RECORDS},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "And now?"},
    ]


class Shared:
    """Not collected as tests, as a class of the module would be."""

    class ListAdapter(WithService):
        """An adapter that takes a list of messages and returns the list that the model gets."""

        text = "content"
        """The attribute of a message that has its text."""

        def history(self) -> list[Any]:
            raise NotImplementedError

        def shown(self, client: Unburden, history: list[Any], **settings: Any) -> list[Any]:
            raise NotImplementedError

        def test_compressed(self) -> None:
            shown = self.shown(self.client(), self.history(), **_COMPRESS)
            self.assertIn("<state_snapshot>", getattr(shown[0], self.text))
            self.assertEqual(getattr(shown[-1], self.text), "And now?")

        def test_compressed_again(self) -> None:
            client = self.client()
            first = self.shown(client, self.history(), **_COMPRESS)
            second = self.shown(client, [*first, *self.history()], **_COMPRESS)
            told = [getattr(shown[0], self.text) for shown in (first, second)]
            self.assertEqual(["_1.json" in text for text in told], [False, True], told)

        def test_down(self) -> None:
            warnings: list[str] = []
            history = self.history()
            self.assertEqual(_changed(self.shown(_down(warnings), history), history), [])
            self.assertEqual(len(warnings), 1)


@_has("langgraph")
class LangGraph(WithService):
    def history(self) -> list[Any]:
        from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

        calls: list[Any] = [{"name": "bash", "args": {}, "id": "call_bash"}]
        return [
            HumanMessage("Look.", id="m0"),
            AIMessage("", tool_calls=calls, id="m1"),
            ToolMessage(LONG, tool_call_id="call_bash", id="m2", artifact=object()),
            AIMessage("Done.", id="m3"),
            HumanMessage("And now?", id="m4"),
        ]

    def update(self, client: Unburden, history: list[Any]) -> Any:
        from unburden.adapters.langgraph import pre_model_hook

        hook = pre_model_hook(client)
        update = hook.invoke({"messages": history})
        self.assertEqual(asyncio.run(hook.ainvoke({"messages": history})), update)
        return update

    def test_moved(self) -> None:
        history = self.history()
        removal, *kept = self.update(self.client(), history)["messages"]
        self.assertEqual(removal.type, "remove")
        self.assertEqual(_changed(kept, history), [2])
        self.assertIn(_MOVED, kept[2].content)
        self.assertIs(kept[2].artifact, history[2].artifact)

    def test_unchanged(self) -> None:
        warnings: list[str] = []
        self.assertEqual(self.update(self.client(max_total_tokens=10**6), self.history()), {"messages": []})
        self.assertEqual(self.update(_down(warnings), self.history()), {"messages": []})
        self.assertEqual(len(warnings), 1)


@_has("crewai")
class CrewAI(WithService):
    def run_hook(self, client: Unburden, messages: list[Any], **settings: Any) -> None:
        from unburden.adapters.crewai import before_llm_call

        context: Any = SimpleNamespace(messages=messages, executor=SimpleNamespace(_openai_tools=[]))
        before_llm_call(client, **settings)(context)

    def history(self) -> list[Any]:
        history = _chats()
        # A value that no JSON has.
        history[0]["files"] = {"plan": object()}
        history[1]["raw_tool_call_parts"] = [object()]
        history[2]["cache_breakpoint"] = object()
        return history

    def test_moved(self) -> None:
        history = self.history()
        messages = list(history)
        self.run_hook(self.client(), messages)
        self.assertEqual(_changed(messages, history), [2, 3])
        self.assertEqual({**messages[2], "content": LONG}, history[2])
        self.assertIn(_MOVED, messages[2]["content"])

    def test_compressed(self) -> None:
        history = self.history()
        messages = list(history)
        self.run_hook(self.client(), messages, **_COMPRESS)
        self.assertIn("<state_snapshot>", messages[0]["content"])
        self.assertIs(messages[-1], history[-1])

    def test_down(self) -> None:
        warnings: list[str] = []
        history = self.history()
        messages = list(history)
        self.run_hook(_down(warnings), messages)
        self.assertEqual((_changed(messages, history), len(warnings)), ([], 1))

    def test_tools(self) -> None:
        from crewai.utilities.agent_utils import convert_tools_to_openai_schema

        from unburden.adapters.crewai import reload_tools

        client = self.client()
        tools: Any = reload_tools(client)
        shown, run, _ = convert_tools_to_openai_schema(tools)
        schemas = {tool["function"]["name"]: tool["function"] for tool in shown}
        self.assertTrue(schemas["grep"]["description"].startswith("Search tool results"))
        properties = schemas["lro_extract"]["parameters"]["properties"]
        self.assertEqual(properties["where"]["anyOf"][0]["type"], "string")
        self.assertEqual(properties["file_path"]["type"], "string")
        self.assertIn("was not found", run["grep"](pattern="x", limit=None))
        with mock.patch.object(client, "run_tool", return_value="") as asked:
            run["lro_extract"](file_path="f", where='{"id": 1}', params=None, ids=None)
            run["lro_extract"](file_path="f", where="id = 1")
        self.assertEqual(asked.call_args_list[0].args[1], {"file_path": "f", "where": {"id": 1}})
        self.assertEqual(asked.call_args_list[1].args[1], {"file_path": "f", "where": "id = 1"})


@_has("litellm")
class LiteLLM(WithService):
    def sent(self, client: Unburden, history: list[Any], **settings: Any) -> list[Any]:
        from unburden.adapters.litellm import offloading

        def completion(model: str, messages: list[Any] = [], tools: Any = None, **kwargs: Any) -> Any:  # noqa: B006
            return messages, tools, kwargs

        async def acompletion(model: str, messages: list[Any] = [], **kwargs: Any) -> Any:  # noqa: B006
            return messages, kwargs.pop("tools"), kwargs

        tools = client.tool_definitions("openai")
        made = offloading(client, completion, **settings)("m", history, tools=tools, seed=1)
        again = asyncio.run(
            offloading(client, acompletion, **settings)(model="m", messages=history, tools=tools, seed=1)
        )
        self.assertEqual(made, again)
        self.assertEqual(made[1:], (tools, {"seed": 1}))
        # LiteLLM changes the messages that it gets.
        self.assertFalse([message for message in made[0] if any(message is own for own in history)])
        return [own if message == own else message for message, own in zip(made[0], history, strict=True)]

    def test_arguments_are_passed_on_as_they_were_given(self) -> None:
        from unburden.adapters.litellm import offloading

        def completion(*args: Any, **kwargs: Any) -> Any:
            return args, kwargs

        def named(model: str, messages: list[Any] = [], tools: Any = None, **kwargs: Any) -> Any:  # noqa: B006
            """For its signature."""

        completion.__signature__ = inspect.signature(named)  # type: ignore[attr-defined]
        client, history = self.client(), _chats()
        made = offloading(client, completion)
        (model, sent), rest = made("m", history, tools=[], seed=1)
        self.assertEqual((model, rest), ("m", {"tools": [], "seed": 1}))
        self.assertIn(_MOVED, sent[2]["content"])
        args, rest = made("m", messages=history, seed=1)
        self.assertEqual((args, {**rest, "messages": sent}), (("m",), {"messages": sent, "seed": 1}))
        self.assertEqual(rest["messages"], sent)
        self.assertEqual(made(model="m"), ((), {"model": "m"}))

    def test_the_caller_s_messages_stay_as_they_are(self) -> None:
        import litellm

        from unburden.adapters.litellm import offloading

        def history() -> list[Any]:
            chats = _chats()
            message, calls = litellm.Message(**chats[1]), litellm.Message(**chats[1]).tool_calls
            return [chats[0], message, *chats[2:4], {**chats[1], "tool_calls": calls}, *chats[2:]]

        mine, before = history(), history()
        for client in (self.client(), _down([])):
            made, amade = offloading(client, litellm.completion), offloading(client, litellm.acompletion)
            for model in ("gpt-4o", "gemini/gemini-3-flash"):
                made(model=model, messages=mine, mock_response="hi")
                made(model, mine, mock_response="hi")
                asyncio.run(amade(model=model, messages=mine, mock_response="hi"))
                self.assertEqual(mine, before)
                self.assertEqual(type(mine[1].tool_calls[0]), type(before[1].tool_calls[0]))
                self.assertEqual(type(mine[4]["tool_calls"][0]), type(before[4]["tool_calls"][0]))

    def test_moved(self) -> None:
        history = _chats()
        before = copy.deepcopy(history)
        sent = self.sent(self.client(), history)
        self.assertEqual(_changed(sent, history), [2, 3])
        self.assertEqual(history, before)

    def test_down(self) -> None:
        warnings: list[str] = []
        history = _chats()
        self.assertEqual(_changed(self.sent(_down(warnings), history), history), [])
        self.assertEqual(len(warnings), 1)

    def test_the_callback_of_the_proxy(self) -> None:
        from unburden.adapters.litellm import UnburdenHandler

        handler, history = UnburdenHandler(self.client()), _chats()
        data = {"model": "m", "messages": history, "user": "u"}
        made = asyncio.run(handler.async_pre_call_hook(None, None, data, "acompletion"))
        self.assertEqual(_changed(made["messages"], history), [2, 3])
        self.assertEqual({**made, "messages": history}, data)
        self.assertIs(asyncio.run(handler.async_pre_call_hook(None, None, data, "aembedding")), data)


@_has("autogen_core")
class AutoGen(Shared.ListAdapter):
    def history(self) -> list[Any]:
        from autogen_core import FunctionCall, Image
        from autogen_core.models import (
            AssistantMessage,
            FunctionExecutionResult,
            FunctionExecutionResultMessage,
            UserMessage,
        )

        png = (
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        )
        calls = [FunctionCall(f"call_{name}", "{}", name) for name in ("bash", "orders", "small")]
        results = [
            FunctionExecutionResult(content=text, name=name, call_id=f"call_{name}", is_error=error)
            for name, text, error in (("bash", LONG, True), ("orders", RECORDS, False), ("small", "x", None))
        ]
        return [
            UserMessage(content=["Look.", Image.from_base64(png)], source="user"),
            AssistantMessage(content=calls, thought="Hm.", source="keeper"),
            FunctionExecutionResultMessage(content=results),
            AssistantMessage(content="Done.", source="keeper"),
            UserMessage(content="And now?", source="user"),
        ]

    def shown(self, client: Unburden, history: list[Any], **settings: Any) -> list[Any]:
        from unburden.adapters.autogen import UnburdenChatCompletionContext

        context = UnburdenChatCompletionContext(client, history, **settings)
        shown = asyncio.run(context.get_messages())
        self.assertEqual(_changed(asyncio.run(context.get_messages()), shown), [])
        self.assertEqual(len(asyncio.run(context.save_state())["messages"]), len(shown))
        return list(shown)

    def test_moved(self) -> None:
        history = self.history()
        shown = self.shown(self.client(), history)
        self.assertEqual(_changed(shown, history), [2])
        was, now = history[2].content, shown[2].content
        self.assertIs(now[2].content, was[2].content)
        for old, new in zip(was[:2], now[:2], strict=True):
            self.assertIn("stored in ", new.content)
            self.assertEqual(new, old.model_copy(update={"content": new.content}))

    def test_the_snapshot_is_the_system_s(self) -> None:
        shown = self.shown(self.client(), self.history(), **_COMPRESS)
        self.assertEqual(shown[0].type, "SystemMessage")

    def test_users_text(self) -> None:
        history = self.history()
        history[0].content[0] = LONG
        settings: Any = {"compact_roles": ["user"], "context_manage_mode": "compact"}
        shown = self.shown(self.client(), history, **settings)
        self.assertEqual(_changed(shown, history), [0])
        self.assertIs(shown[0].content[1], history[0].content[1])

    def test_tools(self) -> None:
        from autogen_core import CancellationToken

        from unburden.adapters.autogen import reload_tools

        tool = reload_tools(self.client())[1]
        self.assertEqual(tool.schema["parameters"]["required"], ["pattern"])
        self.assertIn("was not found", asyncio.run(tool.run_json({"pattern": "x"}, CancellationToken())))


@_has("llama_index.core")
class LlamaIndex(Shared.ListAdapter):
    def history(self) -> list[Any]:
        from llama_index.core.base.llms.types import ImageBlock, TextBlock, ToolCallBlock
        from llama_index.core.llms import ChatMessage

        picture = ImageBlock(image=b"AAAA", image_mimetype="image/png")
        calls = [ToolCallBlock(tool_call_id=f"call_{name}", tool_name=name) for name in ("bash", "orders")]
        return [
            ChatMessage(role="user", blocks=[TextBlock(text="Look."), picture]),
            ChatMessage(role="assistant", blocks=calls, additional_kwargs={"x": 1}),
            ChatMessage(
                role="tool",
                blocks=[TextBlock(text=LONG), picture],
                additional_kwargs={"tool_call_id": "call_bash"},
            ),
            ChatMessage(RECORDS, role="tool", additional_kwargs={"tool_call_id": "call_orders"}),
            ChatMessage("Done.", role="assistant"),
            ChatMessage("And now?", role="user"),
        ]

    def shown(self, client: Unburden, history: list[Any], **settings: Any) -> list[Any]:
        from llama_index.core.agent.workflow import FunctionAgent
        from llama_index.core.llms.mock import MockFunctionCallingLLM

        from unburden.adapters.llama_index import UnburdenFunctionAgent

        kept: dict[str, Any] = {"scratchpad": history[2:]}

        async def get(key: str, default: Any) -> Any:
            return kept.get(key, default)

        async def put(key: str, value: Any) -> None:
            kept[key] = value

        async def step(agent: Any, ctx: Any, llm_input: Any, *_: Any) -> Any:
            shown.extend([*llm_input, *await ctx.store.get("scratchpad", default=[])])
            await ctx.store.set("scratchpad", [*await ctx.store.get("scratchpad", default=[]), "answer"])

        shown: list[Any] = []
        agent = UnburdenFunctionAgent(
            unburden=client, llm=MockFunctionCallingLLM(), unburden_settings=settings, tools=[]
        )
        context: Any = SimpleNamespace(store=SimpleNamespace(get=get, set=put))
        memory: Any = None
        with mock.patch.object(FunctionAgent, "take_step", step):
            asyncio.run(agent.take_step(context, history[:2], [], memory))
        self.assertEqual(kept["scratchpad"], [*history[2:], "answer"])
        return shown

    def test_moved(self) -> None:
        history = self.history()
        shown = self.shown(self.client(), history)
        self.assertEqual(_changed(shown, history), [2, 3])
        self.assertIn("stored in ", shown[2].blocks[0].text)
        self.assertIs(shown[2].blocks[1], history[2].blocks[1])
        self.assertEqual(shown[2].additional_kwargs, history[2].additional_kwargs)

    def test_the_calls_of_older_integrations(self) -> None:
        from llama_index.core.llms import ChatMessage

        from unburden.adapters.llama_index import _chats as chats_of

        message = ChatMessage(role="assistant", additional_kwargs={"tool_calls": [_call("bash")]})
        self.assertEqual(chats_of(message)[0]["tool_calls"], [_call("bash")])

    def test_tools(self) -> None:
        from unburden.adapters.llama_index import reload_tools

        tool = reload_tools(self.client())[1]
        shown = tool.metadata.to_openai_tool()["function"]
        self.assertEqual(shown["parameters"]["required"], ["pattern"])
        self.assertIn("was not found", str(asyncio.run(tool.acall(pattern="x"))))
        self.assertIn("was not found", str(tool.call(pattern="x")))


@_has("agno")
class Agno(WithService):
    def history(self) -> list[Any]:
        from agno.models.message import Message

        return [Message(**chat) for chat in _chats()]

    def compress(self, client: Unburden, history: list[Any]) -> None:
        from unburden.adapters.agno import UnburdenCompressionManager

        manager = UnburdenCompressionManager(client)
        self.assertTrue(manager.should_compress(history, [{"type": "function"}]))
        self.assertFalse(asyncio.run(manager.ashould_compress(history[:1])))
        manager.compress(history)
        first = [message.compressed_content for message in history]
        asyncio.run(manager.acompress(history))
        self.assertEqual([message.compressed_content for message in history], first)

    def test_moved(self) -> None:
        history = self.history()
        self.compress(self.client(), history)
        self.assertEqual(
            [bool(message.compressed_content) for message in history],
            [False, False, True, True, False, False],
        )
        self.assertIn(_MOVED, history[2].compressed_content)
        self.assertEqual([message.content for message in history], [chat["content"] for chat in _chats()])

    def test_down(self) -> None:
        warnings: list[str] = []
        history = self.history()
        self.compress(_down(warnings), history)
        self.assertEqual([message.compressed_content for message in history], [None] * 6)
        self.assertEqual(len(warnings), 1)

    def test_tools(self) -> None:
        from unburden.adapters.agno import reload_tools

        tool = reload_tools(self.client())[1]
        self.assertEqual(tool.to_dict()["parameters"]["required"], ["pattern"])
        assert tool.entrypoint
        self.assertIn("was not found", tool.entrypoint(pattern="x"))


@_has("haystack")
class Haystack(Shared.ListAdapter):
    text = "text"

    def history(self) -> list[Any]:
        from haystack.dataclasses import ChatMessage, ImageContent, TextContent, ToolCall

        picture = ImageContent("AAAA", "image/png", validation=False)
        calls = [ToolCall(name, {}, f"call_{name}") for name in ("bash", "orders")]
        return [
            ChatMessage.from_user(content_parts=["Look.", picture], meta={"x": 1}),
            ChatMessage.from_assistant("Hm.", tool_calls=calls),
            ChatMessage.from_tool([TextContent(LONG), picture], calls[0], error=True, meta={"y": 2}),
            ChatMessage.from_tool(RECORDS, calls[1]),
            ChatMessage.from_assistant("Done."),
            ChatMessage.from_user("And now?"),
        ]

    def shown(self, client: Unburden, history: list[Any], **settings: Any) -> list[Any]:
        from unburden.adapters.haystack import UnburdenHook, reload_tools

        hook = UnburdenHook(client, **settings)
        states: Any = [
            SimpleNamespace(data={"messages": history, "tools": reload_tools(client)}) for _ in "ab"
        ]
        hook.run(states[0])
        asyncio.run(hook.run_async(states[1]))
        self.assertEqual(states[0].data["messages"], states[1].data["messages"])
        return list(states[0].data["messages"])

    def test_moved(self) -> None:
        history = self.history()
        shown = self.shown(self.client(), history)
        self.assertEqual(_changed(shown, history), [2, 3])
        was, now = history[2].tool_call_result, shown[2].tool_call_result
        self.assertIn("stored in ", now.result[0].text)
        self.assertIs(now.result[1], was.result[1])
        self.assertEqual((now.origin, now.error, shown[2].meta), (was.origin, True, {"y": 2}))
        self.assertIn("stored in ", shown[3].tool_call_result.result)

    def test_tools(self) -> None:
        from unburden.adapters.haystack import reload_tools

        tool = reload_tools(self.client())[1]
        self.assertIn("was not found", tool.invoke(pattern="x"))
        self.assertIn("was not found", asyncio.run(tool.invoke_async(pattern="x")))


@_has("agent_framework")
class AgentFramework(Shared.ListAdapter):
    text = "text"

    def history(self) -> list[Any]:
        from agent_framework import Content, Message

        picture = Content.from_uri("data:image/png;base64,AAAA", media_type="image/png")
        calls = [
            Content.from_function_call(f"call_{name}", name, arguments="{}") for name in ("bash", "orders")
        ]
        mixed = Content.from_function_result("call_bash", result=[Content.from_text(LONG), picture])
        records = Content.from_function_result("call_orders", result=RECORDS)
        return [
            Message("user", ["Look.", picture], message_id="m0"),
            Message("assistant", calls, author_name="keeper"),
            Message("tool", [mixed, records], additional_properties={"x": 1}),
            Message("assistant", ["Done."]),
            Message("user", ["And now?"]),
        ]

    def shown(self, client: Unburden, history: list[Any], **settings: Any) -> list[Any]:
        from agent_framework._compaction import apply_compaction

        from unburden.adapters.agent_framework import UnburdenCompaction

        messages = list(history)
        strategy = UnburdenCompaction(client, **settings)
        shown = asyncio.run(apply_compaction(messages, strategy=strategy))
        self.assertEqual(_changed(shown, messages), [])
        return list(shown)

    def test_moved(self) -> None:
        history = self.history()
        shown = self.shown(self.client(), history)
        self.assertEqual(_changed(shown, history), [2])
        was, now = history[2].contents, shown[2].contents
        self.assertIn("stored in ", now[0].items[0].text)
        self.assertIn("stored in ", now[0].result)
        self.assertIs(now[0].items[1], was[0].items[1])
        self.assertIn("stored in ", now[1].result)
        self.assertEqual([part.call_id for part in now], ["call_bash", "call_orders"])
        self.assertEqual(was[1].result, RECORDS)
        self.assertEqual(shown[2].additional_properties["x"], 1)

    def test_tools(self) -> None:
        from unburden.adapters.agent_framework import reload_tools

        tool = reload_tools(self.client())[1]
        self.assertEqual(tool.parameters()["required"], ["pattern"])
        said = asyncio.run(tool.invoke(arguments={"pattern": "x"}))
        self.assertIn("was not found", str(said[0].text if isinstance(said, list) else said))
