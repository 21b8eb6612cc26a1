"""The service, its HTTP and its MCP interface, and the data sets in its stores."""

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "ecosystem"))

import data  # noqa: E402
from verdict import Answer  # noqa: E402
from service import Service  # noqa: E402

LEVELS = ("full", "no_recipes", "no_schema", "compact", "pointer")
LEVELS_OF_HISTORIES = ("full", "compact", "pointer")
INTERFACES = ("HTTP", "MCP")
_STORED = re.compile(r"stored in (\S+\.jsonl)\)")


class Store:
    """All data sets at one descriptor level: a path and a descriptor for each."""

    def __init__(self, level: str, source: str) -> None:
        self.level, self.source = level, source
        self.paths: dict[str, str] = {}
        self.descriptors: dict[str, str] = {}


def offload_results(service: Service, folder: Path, level: str, names: list[str]) -> Store:
    """Each data set as one result, by /offload_result."""
    store = Store(level, "result")
    for name in names:
        body = {
            "operation": Path(name).stem,
            "results": data.load(name),
            "descriptor": level,
            "output_dir": str(folder),
        }
        status, answer = service.post("/offload_result", body)
        assert status == 200, answer["answer"]
        store.paths[name] = answer["metadata"]["offload"]["file_path"]
        store.descriptors[name] = answer["answer"]
    return store


def offload_history(service: Service, folder: Path, level: str, names: list[str]) -> Store:
    """All data sets as tool results of one history, by /context_offload."""
    calls, results = [], []
    for number, name in enumerate(names):
        called = {"name": Path(name).stem.replace("-", "_"), "arguments": "{}"}
        calls.append({"id": f"call_{number}", "type": "function", "function": called})
        text = json.dumps(data.load(name), ensure_ascii=False)
        results.append({"role": "tool", "tool_call_id": f"call_{number}", "content": text})
    body = {
        "messages": [
            {"role": "user", "content": "Fetch everything."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *results,
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Now some questions."},
        ],
        "descriptor": level,
        "store_dir": str(folder),
        "context_manage_mode": "compact",
        "max_total_tokens": 1000,
        "max_tool_message_tokens": 500,
    }
    status, answer = service.post("/context_offload", body)
    assert status == 200, answer["answer"]
    store = Store(level, "history")
    for name, message in zip(names, answer["messages"][2:]):
        stored = _STORED.search(message["content"])
        assert stored, f"{name} did not become a file of records: {message['content'][:200]}"
        store.paths[name] = stored[1]
        store.descriptors[name] = message["content"]
    return store


def stores(service: Service, root: Path, names: list[str]) -> list[Store]:
    made = [(offload_results, "result", level) for level in LEVELS]
    made += [(offload_history, "history", level) for level in LEVELS_OF_HISTORIES]
    for name in names:
        data.load(name)
    with ThreadPoolExecutor(4) as pool:
        return list(
            pool.map(lambda of: of[0](service, root / f"{of[2]}-{of[1]}", of[2], names), made)
        )


def chosen(stores: list[Store]) -> list[Store]:
    """The stores that all calls go to: a full result over HTTP, a compact history over MCP."""
    wanted = (("full", "result"), ("compact", "history"))
    return [next(s for s in stores if (s.level, s.source) == want) for want in wanted]


def ask(service: Service, interface: str, tool: str, call: dict[str, Any]) -> Answer:
    if interface == "HTTP":
        _, answer = service.post(f"/{tool}", call)
        return Answer(answer["answer"], not answer["success"], answer["metadata"])
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": call},
    }
    _, answer = service.post("/mcp", request)
    if "error" in answer:
        return Answer(answer["error"]["message"], True, None)
    result = answer["result"]
    text = "".join(block.get("text", "") for block in result["content"])
    return Answer(text, bool(result.get("isError")), None)


def filled_in(call: dict[str, Any], tool: str, store: Store, name: str) -> dict[str, Any]:
    """The call with the file it is about, and the paths of other files that it names."""
    path = store.paths[name]
    text = json.dumps(call, ensure_ascii=False).replace("{file}", path)
    for other, place in store.paths.items():
        text = text.replace("{" + other + "}", place)
    return {"path" if tool == "grep" else "file_path": path} | json.loads(text)


def tokens(service: Service, texts: list[str]) -> list[int]:
    messages = [{"role": "user", "content": text} for text in texts]
    _, answer = service.post("/count_tokens", {"messages": messages})
    return answer["metadata"]["tokens_by_message"]
