"""Synthetic agent histories in every format, so that a run means something without ../shared.

One script of turns, a renderer for each format. Nothing here is random: the same histories
in every run.
"""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from convert import LANGCHAIN_SHAPES, to_ai_sdk, to_langchain

Messages = list[dict[str, Any]]

SYSTEM = "You keep the order desk running. Never cancel an order without asking. 用中文也可以。"
_PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
    )
).decode()
_SIGNATURE = base64.b64encode(b"a signature that no provider made, and none is asked " * 4).decode()


@dataclass(frozen=True)
class Use:
    """One call and its result; a result that is no string is records."""

    name: str
    arguments: dict[str, Any]
    result: Any
    error: bool = False
    image: bool = False

    @property
    def text(self) -> str:
        if isinstance(self.result, str):
            return self.result
        return json.dumps(self.result, ensure_ascii=False)


@dataclass(frozen=True)
class Turn:
    """What was asked, what the model thought, the calls it made at once, what it said."""

    ask: str
    thought: str
    uses: list[Use]
    say: str


def _log(lines: int, word: str) -> str:
    numbered = (f"{n:05d} INFO {word} step {n * 7919 % 1000} finished" for n in range(lines))
    return "\r\n".join(numbered) + "\nERROR exit status 3: 丢失 🧨 \u0000 \u2028 end\n"


def _orders(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"ord-{n:04d}",
            "customer": {"name": f"Zoë {n}", "vip": n % 7 == 0},
            "total": n * 1.25,
            "items": [n, n + 1],
            "note": None if n % 3 else "落ち着いて 🌊",
            "big": 9007199254740993 + n,
        }
        for n in range(count)
    ]


def _mixed() -> list[Turn]:
    """Parallel calls, records, a long log, an error, an image, two scripts."""
    both = [
        Use("list_orders", {"state": "open"}, _orders(100)),
        Use("read_log", {"path": "/var/log/desk.log"}, _log(300, "import")),
    ]
    failing = [Use("refund", {"id": "ord-0007"}, "Error: " + _log(80, "refund"), error=True)]
    picture = [Use("screenshot", {"page": "orders"}, _log(90, "render"), image=True)]
    wrapped = {"total": 60, "items": _orders(60), "next": None}
    return [
        Turn("Which orders are open?", "Two things to look at.", both, "One hundred are open."),
        Turn("Pay back ord-0007.", "The refund tool it is.", failing, "The refund failed."),
        Turn("Show me the page.", "A picture says more.", picture, "Here it is."),
        Turn("还有多少？", "看一下。", [Use("list_orders", {"page": 2}, wrapped)], "还有六十个。"),
        Turn("Thank you.", "Nothing to do.", [], "You are welcome."),
    ]


def _long() -> list[Turn]:
    """Many turns of middling results, as a coding agent has them."""
    turns = []
    for n in range(12):
        uses = [Use("read_file", {"path": f"src/m{n}.rs", "n": n}, _log(40 + 5 * n, f"file{n}"))]
        if n % 4 == 1:
            uses.append(Use("grep", {"pattern": "fn main"}, "no match"))
        turns.append(Turn(f"Look at module {n}.", f"Module {n} first.", uses, f"Read {n}."))
    return turns


def _working() -> list[Turn]:
    """Ends while the agent works: the newest message is a tool result."""
    last = Turn("And the rest?", "Once more.", [Use("list_orders", {}, _orders(100))], "")
    return [*_long()[:3], last]


SCRIPTS = {"mixed": _mixed(), "long": _long(), "working": _working()}


def _call_id(turn: int, use: int) -> str:
    return f"call_{turn:02d}x{use}Ab"


def openai_chat(turns: list[Turn]) -> Messages:
    made: Messages = [{"role": "system", "content": SYSTEM}]
    for t, turn in enumerate(turns):
        picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_PIXEL}"}}
        ask: Any = [{"type": "text", "text": turn.ask}, picture] if t == 2 else turn.ask
        made.append({"role": "user", "content": ask})
        calls = []
        for u, use in enumerate(turn.uses):
            function = {"name": use.name, "arguments": json.dumps(use.arguments)}
            calls.append({"id": _call_id(t, u), "type": "function", "function": function})
        if calls:
            made.append({"role": "assistant", "content": turn.thought, "tool_calls": calls})
        for u, use in enumerate(turn.uses):
            content: Any = [{"type": "text", "text": use.text}] if use.image else use.text
            made.append({"role": "tool", "tool_call_id": _call_id(t, u), "content": content})
        if turn.say:
            made.append({"role": "assistant", "content": turn.say})
    return made


def anthropic(turns: list[Turn]) -> Messages:
    made: Messages = []
    for t, turn in enumerate(turns):
        ask: dict[str, Any] = {"type": "text", "text": turn.ask}
        if t == 1:
            ask["cache_control"] = {"type": "ephemeral"}
        made.append({"role": "user", "content": [ask]})
        results: Messages = []
        thinking = {"type": "thinking", "thinking": turn.thought, "signature": _SIGNATURE}
        blocks: Messages = [thinking]
        for u, use in enumerate(turn.uses):
            call = {"type": "tool_use", "id": f"toolu_{_call_id(t, u)}", "name": use.name}
            blocks.append({**call, "input": use.arguments})
            content: Any = use.text
            if use.image:
                source = {"type": "base64", "media_type": "image/png", "data": _PIXEL}
                content = [{"type": "text", "text": use.text}, {"type": "image", "source": source}]
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
            results.append({**result, "is_error": True} if use.error else result)
        if turn.uses:
            made.append({"role": "assistant", "content": blocks})
            made.append({"role": "user", "content": results})
            blocks = []
        if turn.say:
            made.append({"role": "assistant", "content": [*blocks, _text_block(turn.say)]})
    return made


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def openai_responses(turns: list[Turn]) -> Messages:
    made: Messages = []
    for t, turn in enumerate(turns):
        ask = [{"type": "input_text", "text": turn.ask}]
        made.append({"type": "message", "role": "user", "content": ask})
        summary = [{"type": "summary_text", "text": turn.thought}]
        reasoning = {"type": "reasoning", "id": f"rs_{t}", "summary": summary}
        made.append({**reasoning, "encrypted_content": _SIGNATURE})
        for u, use in enumerate(turn.uses):
            call = {"type": "function_call", "id": f"fc_{t}{u}", "call_id": _call_id(t, u)}
            arguments = json.dumps(use.arguments)
            made.append({**call, "name": use.name, "arguments": arguments, "status": "completed"})
        for u, use in enumerate(turn.uses):
            output: Any = use.text
            if use.image:
                picture = {"type": "input_image", "image_url": f"data:image/png;base64,{_PIXEL}"}
                output = [{"type": "input_text", "text": use.text}, {**picture, "detail": "auto"}]
            result = {"type": "function_call_output", "call_id": _call_id(t, u)}
            made.append({**result, "output": output})
        if turn.say:
            said = [{"type": "output_text", "text": turn.say, "annotations": []}]
            message = {"type": "message", "id": f"msg_{t}", "role": "assistant"}
            made.append({**message, "status": "completed", "content": said})
    return made


def gemini(turns: list[Turn], ids: bool) -> Messages:
    """With ids in camelCase as the REST API has it, without in Python's snake_case."""
    call_key, response_key, signature_key = "functionCall", "functionResponse", "thoughtSignature"
    if not ids:
        call_key, response_key, signature_key = (
            "function_call",
            "function_response",
            "thought_signature",
        )
    made: Messages = []
    for t, turn in enumerate(turns):
        made.append({"role": "user", "parts": [{"text": turn.ask}]})
        calls: Messages = []
        answers: Messages = []
        for u, use in enumerate(turn.uses):
            naming = {"id": _call_id(t, u), "name": use.name} if ids else {"name": use.name}
            call: dict[str, Any] = {call_key: {**naming, "args": use.arguments}}
            # A signature stands on the first call of a turn only.
            calls.append(call if u else {**call, signature_key: _SIGNATURE})
            kind = "error" if use.error else "output"
            answers.append({response_key: {**naming, "response": {kind: use.result}}})
        thought = {"text": turn.thought, "thought": True}
        if turn.uses:
            made.append({"role": "model", "parts": [thought, *calls]})
            made.append({"role": "user", "parts": answers})
        if turn.say:
            made.append({"role": "model", "parts": [{"text": turn.say}]})
    return made


def ai_sdk(turns: list[Turn]) -> Messages:
    """The converter's messages and what no openai-chat history has: reasoning, files, errors."""
    made = to_ai_sdk(openai_chat(turns))[1:]
    by_id = {_call_id(t, u): use for t, turn in enumerate(turns) for u, use in enumerate(turn.uses)}
    for message in made:
        if message["role"] == "assistant":
            signed = {"anthropic": {"signature": _SIGNATURE}}
            reasoning = {"type": "reasoning", "text": "Let me see.", "providerOptions": signed}
            message["content"].insert(0, reasoning)
        for part in message["content"]:
            use = by_id.get(part.get("toolCallId", ""))
            if part["type"] != "tool-result" or use is None:
                continue
            if use.image:
                file = {"type": "file", "data": {"type": "data", "data": _PIXEL}}
                value = [_text_block(use.text), {**file, "mediaType": "image/png"}]
                part["output"] = {"type": "content", "value": value}
            elif use.error:
                part["output"] = {"type": "error-json", "value": {"message": use.text}}
    return made


def all_samples() -> Iterator[tuple[str, str, Messages, Any]]:
    """(name, format, messages, system) of every sample."""
    for script, turns in SCRIPTS.items():
        chat = openai_chat(turns)
        yield f"sample-{script}-chat", "openai-chat", chat, None
        cached = {"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}
        yield f"sample-{script}-anthropic", "anthropic", anthropic(turns), [cached]
        yield f"sample-{script}-responses", "openai-responses", openai_responses(turns), SYSTEM
        instruction = {"parts": [{"text": SYSTEM}]}
        yield f"sample-{script}-gemini", "gemini", gemini(turns, ids=True), instruction
        yield f"sample-{script}-gemini-snake", "gemini", gemini(turns, ids=False), None
        yield f"sample-{script}-ai-sdk", "ai-sdk", ai_sdk(turns), SYSTEM
        for shape in LANGCHAIN_SHAPES:
            yield f"sample-{script}-{shape}", "langchain", to_langchain(chat, shape), None
