"""Moves one large tool result out, and reads it back."""
import json
import re
import sys
import urllib.error
import urllib.request

base, token_file, step = sys.argv[1:]
token = open(token_file).read().strip()
content = "".join(f"{number}: the quick brown fox\n" for number in range(6000))


def ask(path, body=None, token=token):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, data, headers), timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def history(store_dir):
    call = {"id": "call_1", "type": "function", "function": {"name": "foxes", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Which foxes?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": content},
        {"role": "assistant", "content": "Brown ones."},
    ]
    return {"store_dir": store_dir, "messages": messages}


def probes():
    for path in ("/healthz", "/readyz"):
        status, answer = ask(path, token=None)
        assert status == 200, (path, status, answer)


def token_is_asked_for():
    for wrong in (None, "wrong"):
        status, answer = ask("/context_offload", history("/workspace/store"), token=wrong)
        assert status == 401 and answer["success"] is False, (status, answer)


def round_trip():
    status, answer = ask("/context_offload", history("/workspace/store"))
    assert status == 200 and answer["success"], (status, answer)
    left = answer["messages"][2]["content"]
    path = re.search(r"\(detailed result is stored in (/workspace/store/\S+)\)", left)[1]
    assert len(left) < len(content) / 10, len(left)
    status, answer = ask("/read_file", {"absolute_path": path, "max_tokens": 0})
    assert status == 200 and answer["answer"] == content, (status, answer["answer"][:300])


def stays_inside():
    status, answer = ask("/context_offload", history("/tmp/store"))
    assert status >= 400 and answer["metadata"]["error"]["field"] == "store_dir", (status, answer)


globals()[step]()
