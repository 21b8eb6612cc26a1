"""What clients send: everything follows from a name, so that whatever is found in a store can
be made again and compared, acknowledged or not."""

import hashlib
import json
from functools import lru_cache
from typing import Any

Message = dict[str, Any]

MODES = ("compact", "compress", "auto", "compact")


def number(name: str, below: int) -> int:
    """A number that the name decides."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest()) % below


def _word(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


@lru_cache(4096)
def text(call: str) -> str:
    """A tool's output, without a break at its end; some hold more than one write or page."""
    lines = 60 + number(call, 300) + (3_000 if number(call, 23) == 0 else 0)
    return "\n".join(f"{call} L{n} {_word(f'{call}/{n}')} é漢" for n in range(lines))


@lru_cache(4096)
def rows(call: str) -> tuple[str, ...]:
    """Records, each as it is spelled."""
    count = 80 + number(call, 150)
    spelled = '{{"id": {}, "name": "{} {}", "score": {}.50, "open": {}}}'
    word = ("true", "false")
    return tuple(
        spelled.format(n, call, _word(f"{call}/{n}"), n % 7, word[n % 2]) for n in range(count)
    )


def is_rows(call: str) -> bool:
    """True where the call's result is an array of records."""
    return number(call, 4) == 0


def result(call: str) -> str:
    """What the tool gave."""
    return f"[{', '.join(rows(call))}]" if is_rows(call) else text(call)


def calls(chat: str) -> list[str]:
    """The calls of a chat."""
    return [f"{chat}r{n}" for n in range(2 + number(chat, 6))]


def history(chat: str, ids: list[str] | None = None) -> list[Message]:
    """A whole chat: the tool's name is its call's id, so that a file of records tells whose."""
    messages: list[Message] = [
        {"role": "system", "content": f"You are the agent of {chat}."},
        {"role": "user", "content": f"Please find what is wrong in {chat}."},
    ]
    for call in calls(chat) if ids is None else ids:
        function = {"name": call, "arguments": json.dumps({"of": chat})}
        asked = [{"id": call, "type": "function", "function": function}]
        messages += [
            {"role": "assistant", "content": None, "tool_calls": asked},
            {"role": "tool", "tool_call_id": call, "content": result(call)},
            {"role": "assistant", "content": f"{call} was looked at."},
        ]
    return [*messages, {"role": "user", "content": "And now?"}]


def offload(chat: str, folder: str, mode: str | None = None) -> dict[str, Any]:
    """The body of a /context_offload."""
    return {
        "messages": history(chat),
        "store_dir": folder,
        "chat_id": chat,
        "context_manage_mode": mode or MODES[number(chat, len(MODES))],
        "max_total_tokens": 500,
        "max_tool_message_tokens": 200,
        "include_files": False,
    }


def large(call: str, folder: str) -> dict[str, Any]:
    """The body of an /offload_result."""
    records = f"[{', '.join(rows(call))}]"
    return {"operation": call, "content": records, "output_dir": folder, "threshold_tokens": 300}
