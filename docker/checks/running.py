"""Runs the Compose file of many replicas, and holds what it promises while parts of it fail.

    running.py     needs a Docker engine with Compose, and the token file that the Compose file names

An image `unburden` that the engine has is used as it is, else it is built. Every post is answered
while a replica is killed and while the store restarts; what was moved reads back the same.
"""
import http.client
import json
import pathlib
import re
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent.parent
# A project of its own: what else runs from that file is not touched.
project = "unburden-check"
compose = ["docker", "compose", "-p", project, "-f", str(here / "compose.replicas.yaml")]
POSTS = 60


def engine(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ask(path, body):
    connection = http.client.HTTPConnection("127.0.0.1", 8002, timeout=120)
    token = (here / "token").read_text().strip()
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    status, text = answer.status, answer.read()
    assert status == 200, f"{path}: {status} {text[:200]!r}"
    return json.loads(text)


def post(number, log):
    call = {"id": f"c{number}", "type": "function", "function": {"name": "read_log", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Read the log."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": log},
        {"role": "assistant", "content": "Done."},
    ]
    asked = {"context_manage_mode": "compact", "max_total_tokens": 0, "keep_recent_count": 0}
    answer = ask("/context_offload", {"store_dir": "s", "messages": messages, **asked})
    moved = re.search(r"stored in (\S+)\)$", answer["messages"][2]["content"])
    assert moved or answer["messages"] == messages, "neither moved nor unchanged"
    return moved and moved[1]


def main():
    built = subprocess.run(["docker", "image", "inspect", "unburden"], capture_output=True).returncode == 0
    try:
        engine(*compose, "up", "--detach", "--no-build" if built else "--build")
        # The balancer looks at its replicas every two seconds.
        time.sleep(6)
        logs, paths = {}, {}
        for number in range(POSTS):
            if number == POSTS // 3:
                engine("docker", "kill", f"{project}-unburden-2")
            if number == POSTS * 2 // 3:
                engine("docker", "restart", f"{project}-s3-1")
            logs[number] = "\n".join(f"line {line} of log {number}: nothing to see" for line in range(600))
            if path := post(number, logs[number]):
                paths[number] = path
            elif number < POSTS * 2 // 3:
                raise AssertionError(f"post {number} was not moved though the store was there")
        # Until the store is there again, reads say 503.
        time.sleep(5)
        assert post(POSTS, logs[0]), "nothing moves after the store is back"
        for number, path in paths.items():
            page = ask("/read_file", {"absolute_path": path, "offset": 300, "limit": 1})
            assert logs[number].split("\n")[300] in page["answer"], path
        print(f"{POSTS} posts answered, {len(paths)} moved and read back")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd)}: {error.stderr}")
    finally:
        subprocess.run([*compose, "down", "--volumes"], capture_output=True)


main()
