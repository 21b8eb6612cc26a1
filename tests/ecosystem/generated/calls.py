"""One call each with the generated Python client; run beside the package `generated`."""

import importlib
import pkgutil
import sys

import generated
from generated import Client
from generated.api.offload import context_offload
from generated.api.reload import grep, lro_extract
from generated.api.tokens import count_tokens
from generated.models import (
    CountAnswer,
    CountRequest,
    ErrorEnvelope,
    ExtractRequest,
    GrepAnswer,
    GrepRequest,
    Message,
    OffloadAnswer,
    OffloadRequest,
)


def main(url: str) -> None:
    for module in pkgutil.walk_packages(generated.__path__, "generated."):
        importlib.import_module(module.name)
    client = Client(base_url=url)
    log = "\n".join(f"line {number} of the log" for number in range(2_000))
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "read the log"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": log},
        {"role": "user", "content": "go on"},
    ]
    messages = [Message.from_dict(message) for message in history]
    offloaded = context_offload.sync(
        client=client,
        body=OffloadRequest(messages=messages, store_dir="store", max_total_tokens=1_000),
    )
    assert isinstance(offloaded, OffloadAnswer), offloaded
    report = offloaded.metadata.report
    assert report.outcome.value == "compacted" and report.checks.pairing, report
    assert [message.to_dict()["role"] for message in offloaded.messages][2] == "tool"
    found = grep.sync(client=client, body=GrepRequest(pattern="line 1999 of", path="store"))
    assert isinstance(found, GrepAnswer) and found.metadata.matches_total == 1, found
    counted = count_tokens.sync(client=client, body=CountRequest(messages=messages))
    assert isinstance(counted, CountAnswer) and counted.metadata.tokens > 5_000, counted
    missing = lro_extract.sync(
        client=client, body=ExtractRequest(file_path="store/no.jsonl", count=True)
    )
    assert isinstance(missing, ErrorEnvelope), missing
    assert missing.metadata.error.code.value == "file_not_found", missing


if __name__ == "__main__":
    main(sys.argv[1])
