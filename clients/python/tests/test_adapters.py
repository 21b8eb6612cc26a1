"""What the adapters do to the messages of their frameworks; skipped where a framework is missing."""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import json
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from unburden import Unburden

from .binary import WithService, log

LONG = log("build", 600)
RECORDS = json.dumps([{"id": f"Ö-{n}", "city": "東京"} for n in range(300)], ensure_ascii=False)
_MOVED = "result is stored in "


def _has(module: str) -> Any:
    return unittest.skipUnless(importlib.util.find_spec(module), f"{module} is not installed")


def _changed(after: list[Any], before: list[Any]) -> list[int]:
    """The places of what is no longer the same object."""
    return [place for place, (new, old) in enumerate(zip(after, before, strict=True)) if new is not old]


def _down(warnings: list[str]) -> Unburden:
    return Unburden("http://127.0.0.1:9", on_warning=warnings.append, max_total_tokens=500)


@_has("langchain")
class LangChain(WithService):
    def history(self) -> list[Any]:
        from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

        calls: list[Any] = [{"name": name, "args": {}, "id": f"call_{name}"} for name in ("bash", "orders")]
        return [
            HumanMessage("Look.", id="m0", additional_kwargs={"note": 1}),
            AIMessage("", tool_calls=calls, id="m1", response_metadata={"model": "x"}),
            ToolMessage(
                LONG, tool_call_id="call_bash", name="bash", id="m2", artifact=object(), status="error"
            ),
            ToolMessage([{"type": "text", "text": RECORDS}], tool_call_id="call_orders", id="m3"),
            AIMessage("Done.", id="m4"),
            HumanMessage("And now?", id="m5"),
        ]

    def update(self, client: Unburden, history: list[Any], **settings: Any) -> Any:
        from unburden.adapters.langchain import UnburdenMiddleware

        middleware = UnburdenMiddleware(client, **settings)
        update: Any = middleware.before_model({"messages": history}, None)  # type: ignore[arg-type]
        again = asyncio.run(middleware.abefore_model({"messages": history}, None))  # type: ignore[arg-type]
        self.assertEqual(again, update)
        return update

    def test_moved(self) -> None:
        history = self.history()
        removal, *kept = self.update(self.client(), history)["messages"]
        self.assertEqual((removal.type, removal.id), ("remove", "__remove_all__"))
        self.assertEqual(_changed(kept, history), [2, 3])
        self.assertIn(_MOVED, kept[2].content)
        self.assertIn(_MOVED, kept[3].content[0]["text"])
        self.assertEqual(kept[2], history[2].model_copy(update={"content": kept[2].content}))
        self.assertIs(kept[2].artifact, history[2].artifact)
        self.assertEqual(history[2].content, LONG)

    def test_an_artifact_stays_here(self) -> None:
        client = self.client()
        with mock.patch.object(client, "offload", wraps=client.offload) as offload:
            self.update(client, self.history())
        self.assertNotIn("artifact", offload.call_args.args[0][2]["data"])

    def test_compressed(self) -> None:
        history = self.history()
        _, *kept = self.update(self.client(), history, context_manage_mode="compress")["messages"]
        # The user speaks first, in the words of the service where its own have left.
        self.assertEqual([message.type for message in kept], ["system", "human", "ai", "human"])
        self.assertIn("<state_snapshot>", kept[0].text)
        self.assertIs(kept[2], history[4])

    def test_nothing_to_do(self) -> None:
        self.assertIsNone(self.update(self.client(max_total_tokens=10**6), self.history()))

    def test_down(self) -> None:
        warnings: list[str] = []
        self.assertIsNone(self.update(_down(warnings), self.history()))
        self.assertEqual(len(warnings), 1)

    def test_tools(self) -> None:
        from unburden.adapters.langchain import reload_tools

        tools = {tool.name: tool for tool in reload_tools(self.client())}
        self.assertEqual(tools["grep"].args["pattern"]["type"], "string")
        self.assertIn("was not found", tools["grep"].invoke({"pattern": "x"}))
        self.assertIn("was not found", asyncio.run(tools["grep"].ainvoke({"pattern": "x"})))


@_has("agents")
class OpenAIAgents(WithService):
    def run_filter(
        self, client: Unburden, items: list[Any], instructions: str | None, **settings: Any
    ) -> Any:
        from agents import Agent
        from agents.run_config import CallModelData, ModelInputData

        from unburden.adapters.openai_agents import input_filter, reload_tools

        agent: Agent[Any] = Agent(name="a", tools=reload_tools(client))
        given = ModelInputData(input=items, instructions=instructions)
        run: Any = input_filter(client, **settings)(CallModelData(given, agent, None))
        return given, asyncio.run(run)

    def items(self) -> list[Any]:
        from openai.types.responses import ResponseFunctionToolCall

        return [
            {"role": "user", "content": "Look."},
            # What the SDK passes on may be an object, too.
            ResponseFunctionToolCall(
                type="function_call", call_id="c1", name="bash", arguments="{}", id="fc_1"
            ),
            {"type": "function_call_output", "call_id": "c1", "output": LONG},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "And now?"},
        ]

    def test_moved(self) -> None:
        items = self.items()
        given, out = self.run_filter(self.client(), items, "You help.")
        self.assertIsNot(out, given)
        self.assertEqual(_changed(out.input, items), [2])
        self.assertEqual(out.instructions, "You help.")
        self.assertEqual({**out.input[2], "output": LONG}, items[2])

    def test_compressed(self) -> None:
        _, out = self.run_filter(self.client(), self.items(), "You help.", context_manage_mode="compress")
        self.assertTrue(out.instructions.startswith("You help."))
        self.assertIn("<state_snapshot>", out.instructions)
        self.assertIn("Done.", json.dumps(out.input))
        self.assertNotIn("build line", json.dumps(out.input))

    def test_down(self) -> None:
        warnings: list[str] = []
        given, out = self.run_filter(_down(warnings), self.items(), None)
        self.assertIs(out, given)
        self.assertEqual(len(warnings), 1)


@_has("pydantic_ai")
class PydanticAI(WithService):
    def history(self) -> list[Any]:
        from pydantic_ai.messages import (
            BinaryContent,
            ModelRequest,
            ModelResponse,
            TextPart,
            ThinkingPart,
            ToolCallPart,
            ToolReturnPart,
            UserPromptPart,
        )

        picture = BinaryContent(b"\x89PNG", media_type="image/png")
        calls = [ToolCallPart(name, {}, f"call_{name}") for name in ("bash", "orders", "shot")]
        return [
            ModelRequest(parts=[UserPromptPart(["Look.", picture])], instructions="You help.", run_id="r"),
            ModelResponse(parts=[ThinkingPart("Hm.", signature="s"), *calls], model_name="m"),
            ModelRequest(
                parts=[
                    ToolReturnPart("bash", LONG, "call_bash", metadata={"kept": 1}, outcome="failed"),
                    ToolReturnPart("orders", json.loads(RECORDS), "call_orders"),
                    ToolReturnPart("shot", [LONG.upper(), picture], "call_shot"),
                ]
            ),
            ModelResponse(parts=[TextPart("Done.")]),
            ModelRequest(parts=[UserPromptPart("And now?")]),
        ]

    def process(self, client: Unburden, history: list[Any], **settings: Any) -> list[Any]:
        from unburden.adapters.pydantic_ai import history as capability

        made: Any = capability(client, **settings)
        result: list[Any] = asyncio.run(made.processor(SimpleNamespace(tool_manager=None), history))
        return result

    def test_moved(self) -> None:
        from dataclasses import replace

        history = self.history()
        kept = self.process(self.client(), history)
        self.assertEqual(_changed(kept, history), [2])
        for new, old in zip(kept[2].parts, history[2].parts, strict=True):
            text = new.content[0] if isinstance(new.content, list) else new.content
            self.assertIn(_MOVED, text)
            self.assertEqual(replace(new, content=old.content), old)
        self.assertIs(kept[2].parts[2].content[1], history[2].parts[2].content[1])
        self.assertIs(self.process(self.client(), kept), kept)

    def test_compressed(self) -> None:
        history = self.history()
        kept = self.process(self.client(), history, context_manage_mode="compress")
        kinds = [message.kind for message in kept]
        # The user speaks first, in the words of the service where its own have left.
        self.assertEqual(kinds, ["request", "request", "response", "request"])
        self.assertIn("<state_snapshot>", kept[0].parts[0].content)
        self.assertIs(kept[2], history[3])
        self.assertIs(kept[3], history[4])

    def test_down(self) -> None:
        warnings: list[str] = []
        history = self.history()
        self.assertIs(self.process(_down(warnings), history), history)
        self.assertEqual(len(warnings), 1)


@_has("google.adk") if importlib.util.find_spec("google") else unittest.skip("google.adk is not installed")
class ADK(WithService):
    def request(self, system: Any) -> Any:
        from google.adk.models.llm_request import LlmRequest
        from google.genai import types

        call = types.Part(
            function_call=types.FunctionCall(id="f1", name="bash", args={}), thought_signature=b"\xff\x00"
        )
        answer = types.FunctionResponse(id="f1", name="bash", response={"result": LONG, "code": 1})
        picture = types.Part(inline_data=types.Blob(data=b"\x89PNG", mime_type="image/png"))
        contents = [
            types.Content(role="user", parts=[types.Part(text="Look."), picture]),
            types.Content(role="model", parts=[call]),
            types.Content(role="user", parts=[types.Part(function_response=answer)]),
            types.Content(role="model", parts=[types.Part(text="Done.")]),
            types.Content(role="user", parts=[types.Part(text="And now?")]),
        ]
        config = types.GenerateContentConfig(system_instruction=system)
        return LlmRequest(contents=contents, config=config)

    def call(self, client: Unburden, request: Any, **settings: Any) -> None:
        from unburden.adapters.adk import before_model

        run: Any = before_model(client, **settings)(callback_context=None, llm_request=request)  # type: ignore[call-arg]
        self.assertIsNone(asyncio.run(run))

    def test_moved(self) -> None:
        request = self.request("You help.")
        before = list(request.contents)
        self.call(self.client(), request)
        self.assertEqual(_changed(request.contents, before), [2])
        moved = request.contents[2].parts[0].function_response
        self.assertEqual((moved.id, moved.name), ("f1", "bash"))
        self.assertIn(_MOVED, json.dumps(moved.response))
        self.assertEqual(before[2].parts[0].function_response.response["result"], LONG)
        self.assertEqual(request.config.system_instruction, "You help.")

    def test_compressed(self) -> None:
        from google.genai import types

        for system in ("You help.", types.Content(role="user", parts=[types.Part(text="You help.")]), None):
            with self.subTest(system=system):
                request = self.request(system)
                self.call(self.client(), request, context_manage_mode="compress")
                told = request.config.model_dump_json() + request.model_dump_json(include={"contents"})
                self.assertIn("<state_snapshot>", told)
                self.assertNotIn("line 300 says", told)
                self.assertEqual(request.contents[-1].parts[0].text, "And now?")

    def test_down(self) -> None:
        warnings: list[str] = []
        request = self.request(None)
        before = request.contents
        self.call(_down(warnings), request)
        self.assertIs(request.contents, before)
        self.assertEqual(len(warnings), 1)


@_has("strands")
class Strands(WithService):
    def agent(self, client: Unburden, system: Any = "You help.", **settings: Any) -> Any:
        from strands import Agent

        from unburden.adapters.strands import UnburdenConversationManager, reload_tools

        messages: Any = [
            {"role": "user", "content": [{"text": "Look."}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "bash", "input": {}}}]},
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "t1", "status": "error", "content": [{"text": LONG}]}}
                ],
            },
            {"role": "assistant", "content": [{"text": "Done."}]},
            {"role": "user", "content": [{"text": "And now?"}]},
        ]
        return Agent(
            messages=messages,
            system_prompt=system,
            tools=reload_tools(client),
            conversation_manager=UnburdenConversationManager(client, **settings),
            callback_handler=None,
        )

    def before_model(self, agent: Any) -> None:
        from strands.hooks import BeforeModelCallEvent

        asyncio.run(agent.hooks.invoke_callbacks_async(BeforeModelCallEvent(agent=agent)))

    def test_moved(self) -> None:
        agent = self.agent(self.client())
        before = agent.messages
        objects = list(before)
        self.before_model(agent)
        self.assertIs(agent.messages, before)
        self.assertEqual(_changed(before, objects), [2])
        moved = before[2]["content"][0]["toolResult"]
        self.assertEqual((moved["toolUseId"], moved["status"]), ("t1", "error"))
        self.assertIn(_MOVED, moved["content"][0]["text"])

    def test_compressed(self) -> None:
        for system in ("You help.", [{"text": "You help."}, {"cachePoint": {"type": "default"}}]):
            with self.subTest(system=system):
                agent = self.agent(self.client(), system, context_manage_mode="compress")
                self.before_model(agent)
                self.assertIn("<state_snapshot>", agent.system_prompt)
                self.assertEqual(agent.messages[-1]["content"][0]["text"], "And now?")
                self.assertGreater(agent.conversation_manager.removed_message_count, 0)

    def test_after_an_overflow(self) -> None:
        agent = self.agent(self.client(max_total_tokens=10**6))
        self.before_model(agent)
        self.assertIn(LONG, agent.messages[2]["content"][0]["toolResult"]["content"][0]["text"])
        agent.conversation_manager.reduce_context(agent, ValueError("too long"))
        self.assertNotIn(LONG, json.dumps(agent.messages))

    def test_down(self) -> None:
        warnings: list[str] = []
        agent = self.agent(_down(warnings))
        before = list(agent.messages)
        self.before_model(agent)
        self.assertEqual(agent.messages, before)
        self.assertEqual(len(warnings), 1)
        with self.assertRaisesRegex(ValueError, "too long"):
            agent.conversation_manager.reduce_context(agent, ValueError("too long"))


@_has("agentscope")
class AgentScope(WithService):
    def test_tool_result(self) -> None:
        from agentscope.message import TextBlock, ToolResultBlock

        from unburden.adapters.agentscope import UnburdenOffloader

        offloader = UnburdenOffloader(self.client())
        block = ToolResultBlock(id="call_1", name="bash", output=[TextBlock(text=LONG)])
        path = asyncio.run(offloader.offload_tool_result("s", block))
        self.assertEqual(Path(path).parent, self.store)
        self.assertEqual(Path(path).read_text(), LONG)

    def test_context(self) -> None:
        from agentscope.message import AssistantMsg, TextBlock, ToolCallBlock, ToolResultBlock, UserMsg

        from unburden.adapters.agentscope import UnburdenOffloader

        client = self.client()
        blocks: list[Any] = [
            TextBlock(text="I look."),
            ToolCallBlock(id="c1", name="bash", input='{"cmd": "make"}'),
            ToolResultBlock(id="c1", name="bash", output=LONG),
        ]
        messages = [UserMsg(name="user", content="Build it."), AssistantMsg(name="Keeper", content=blocks)]
        path = asyncio.run(UnburdenOffloader(client).offload_context("session", messages))
        text = Path(path).read_text()
        for told in ("[user] Build it.", "[Keeper] I look.", 'calls bash {"cmd": "make"} (c1)', LONG):
            self.assertIn(told, text)
        self.assertEqual(
            client.grep("build line 500 ", path).matches[0].text, "build line 500 says little of note"
        )

    def test_down_and_short(self) -> None:
        from agentscope.message import ToolResultBlock

        from unburden.adapters.agentscope import UnburdenOffloader

        warnings: list[str] = []
        self.store.mkdir()
        block = ToolResultBlock(id="call_1", name="bash", output=LONG)
        offloader = UnburdenOffloader(_down(warnings), local_dir=self.store)
        path = Path(asyncio.run(offloader.offload_tool_result("s", block)))
        self.assertEqual((path.parent, path.read_text()), (self.store, LONG))
        self.assertEqual(len(warnings), 1)
        short = ToolResultBlock(id="call_2", name="bash", output="ok")
        offloader = UnburdenOffloader(self.client(), local_dir=self.store)
        path = Path(asyncio.run(offloader.offload_tool_result("s", short)))
        self.assertEqual(path.read_text(), "ok")

    def test_data(self) -> None:
        from agentscope.message import Base64Source, DataBlock, URLSource

        from unburden.adapters.agentscope import UnburdenOffloader

        source = Base64Source(data=base64.b64encode(b"\x89PNG").decode(), media_type="image/png")
        offloader = UnburdenOffloader(self.client(), local_dir=self.store)
        saved = asyncio.run(offloader.offload_data_block(DataBlock(source=source, id="b", name="shot")))
        assert isinstance(saved.source, URLSource)
        self.assertEqual((saved.id, saved.name, saved.source.media_type), ("b", "shot", "image/png"))
        self.assertEqual(Path(str(saved.source.url).removeprefix("file://")).read_bytes(), b"\x89PNG")
        self.assertIs(asyncio.run(offloader.offload_data_block(saved)), saved)
