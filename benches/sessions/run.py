#!/usr/bin/env python3
"""What sessions of an agent cost over many turns, with prompt caching.

    cargo build --release && benches/sessions/run.py [--limit TOKENS] [--binary FILE] [NAME...]

Real histories from ../shared/histories grow turn by turn. Before each turn of the model the
history goes through one of the variants; what comes back is what the provider is sent.

- as is: the whole history
- truncated: the newest messages that fit into the limit, behind the system messages
- compact, auto, compress: this service with `max_total_tokens` or `target_tokens` as the limit.
  `whole`: the client keeps its history and posts all of it on each turn. `kept`: the client goes
  on with what came back.

A token costs 0.1 where the request begins as the one before it (a prompt cache has it) and 1.25
where it is new (it is written to the cache). Truncation breaks the cache on each turn, so its
tokens are not written to it and cost 1.0 beyond what is the same. A message that differs anywhere
counts as new as a whole. A rewrite is a request that does not begin with the one before it.
Token counts are the service's own.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
HISTORIES = HERE.parent / "shared" / "histories"
CACHED, WRITTEN, UNCACHED = 0.1, 1.25, 1.0


class Service:
    """The binary, on a folder of its own."""

    def __init__(self, binary, folder):
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--root", folder]
        self.folder, self.tokens = folder, {}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        host, port = self.process.stdout.readline().strip().removeprefix("listening on http://").split(":")
        self.connection = http.client.HTTPConnection(host, int(port))

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(self.connection.getresponse().read())
        if not answer.get("success"):
            sys.exit(f"{path}: {json.dumps(answer)[:400]}")
        return answer

    def count(self, messages, form):
        """The tokens of each message."""
        keys = [json.dumps(message) for message in messages]
        new = [at for at, key in enumerate(keys) if key not in self.tokens]
        if new:
            body = {"messages": messages, "format": form}
            counted = self.post("/count_tokens", body)["metadata"]["tokens_by_message"]
            self.tokens.update((keys[at], counted[at]) for at in new)
        return [self.tokens[key] for key in keys]

    def beside(self, session, system):
        key = json.dumps([session["tools"], system])
        if key not in self.tokens:
            body = {"messages": session["messages"][:1], "format": session["format"]}
            body |= {name: value for name, value in [("system", system), ("tools", session["tools"])] if value}
            parts = self.post("/count_tokens", body)["metadata"]["tokens_by_part"]
            self.tokens[key] = parts.get("system", 0), parts.get("tools", 0)
        return self.tokens[key]


def is_models(message):
    """Whether the model wrote a message, or an item of it."""
    kind = message.get("type")
    if kind in ("function_call", "reasoning", "local_shell_call", "custom_tool_call"):
        return True
    return message.get("role") in ("assistant", "model")


def turns(messages):
    """The lengths of the history at which the model is asked."""
    asked = [at for at in range(1, len(messages)) if is_models(messages[at]) and not is_models(messages[at - 1])]
    return asked + ([] if is_models(messages[-1]) else [len(messages)])


def sessions(names):
    forms = {"vercel": "ai-sdk"}
    for file in sorted(HISTORIES.glob("*.json")):
        if names and not any(name in file.name for name in names):
            continue
        session = json.loads(file.read_text())
        form = session["format"]
        if form == "other":
            form = "bedrock" if "bedrock" in file.name else "pi" if "-pi-" in file.name else "openai-chat"
        yield file.stem, {
            "messages": session["messages"],
            "format": forms.get(form, form),
            "system": session.get("system"),
            "tools": session.get("tools"),
        }


def is_systems(message):
    return message.get("role") in ("system", "developer")


def as_is(service, session, limit):
    return lambda messages, new: (messages + new, session["system"])


def truncated(service, session, limit):
    history = []

    def send(_, new):
        history.extend(new)
        tokens = service.count(history, session["format"])
        left = limit - sum(service.beside(session, session["system"]))
        left -= sum(t for message, t in zip(history, tokens) if is_systems(message))
        at = len(history)
        while at and (is_systems(history[at - 1]) or tokens[at - 1] <= left):
            at -= 1
            left -= 0 if is_systems(history[at]) else tokens[at]
        # A cut falls before a message of the model or of the user, not before results.
        starts = [i for i in range(at, len(history)) if is_models(history[i]) or is_systems(history[i])]
        at = starts[0] if at and starts else at
        return [m for m in history[:at] if is_systems(m)] + history[at:], session["system"]

    return send


def managed(mode, style, settings):
    def variant(service, session, limit):
        history, system = [], session["system"]
        body = {
            "context_manage_mode": mode, "format": session["format"], "include_files": False,
            "store_dir": tempfile.mkdtemp(dir=service.folder), settings: limit,
        }
        if session["tools"]:
            body["tools"] = session["tools"]

        def send(_, new):
            nonlocal history, system
            history = history + new
            about = {"system": system} if system is not None else {}
            answer = service.post("/context_offload", body | about | {"messages": history})
            sent = answer["messages"], answer.get("system", system)
            if style == "kept":
                history, system = sent
            return sent

        return send

    return variant


VARIANTS = {"as is": as_is, "truncated": truncated}
for mode in ("compact", "auto", "compress"):
    for name in ("max_total_tokens", "target_tokens"):
        for style in ("whole", "kept"):
            short = name.split("_")[0].replace("target", "target").replace("max", "total")
            VARIANTS[f"{mode} {short} {style}"] = managed(mode, style, name)


def run(service, session, name, limit):
    """The cost of a session, the rewrites, the most tokens of a request."""
    send = VARIANTS[name](service, session, limit)
    price = UNCACHED if name == "truncated" else WRITTEN
    cost, rewrites, rewritten, peak, before, messages, at = 0.0, 0, 0, 0, None, [], 0
    lengths = turns(session["messages"])
    for length in lengths:
        messages, system = send(messages, session["messages"][at:length])
        at = length
        sizes = service.count(messages, session["format"])
        of_system, of_tools = service.beside(session, system)
        keys = [json.dumps(message) for message in messages]
        same, whole = 0, of_system + of_tools + sum(sizes)
        if before:
            same = of_tools
            if before[1] == system:
                same += of_system
                for i, (was, key) in enumerate(zip(before[0], keys)):
                    if was != key:
                        break
                    same += sizes[i]
            if before[1] != system or keys[: len(before[0])] != before[0]:
                rewrites += 1
        before = keys, system
        cost += CACHED * same + price * (whole - same)
        peak = max(peak, whole)
    return cost, rewrites, peak, len(lengths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=str(HERE / "target/release/unburden"))
    parser.add_argument("--limit", type=int, default=20_000)
    parser.add_argument("--only", default="", help="variants whose names contain this")
    parser.add_argument("names", nargs="*", help="parts of the names of histories")
    asked = parser.parse_args()
    variants = [v for v in VARIANTS if asked.only in v or v in ("as is", "truncated")]
    totals = {name: [0.0, 0, 0, 0, 0.0] for name in variants}
    with tempfile.TemporaryDirectory() as folder:
        service = Service(asked.binary, folder)
        try:
            for name, session in sessions(asked.names):
                size = sum(service.count(session["messages"], session["format"]))
                size += sum(service.beside(session, session["system"]))
                if size <= asked.limit:
                    continue
                rows = {variant: run(service, session, variant, asked.limit) for variant in variants}
                unmanaged = rows["as is"]
                print(f"{name}: {size:,} tokens, {unmanaged[3]} turns, as is {unmanaged[0]:,.0f}", flush=True)
                for variant, (cost, rewrites, peak, count) in rows.items():
                    total = totals[variant]
                    total[0] += cost
                    total[1] += rewrites
                    total[2] += count
                    total[3] = max(total[3], peak)
                    total[4] = max(total[4], cost / unmanaged[0])
                    print(f"    {variant:<24}{cost / unmanaged[0]:7.2f}{rewrites:5d}{peak:9,d}", flush=True)
        finally:
            service.process.terminate()
            service.process.wait()
    whole, cut = totals["as is"][0], totals["truncated"][0]
    if not whole:
        sys.exit(f"no history of {HISTORIES} has such a name and more than {asked.limit:,} tokens")
    print(f"\n{'limit ' + format(asked.limit, ','):<26}{'cost':>12}{'/as is':>8}{'/truncated':>11}"
          f"{'worst/as is':>12}{'rewrites/10':>12}{'peak':>9}")
    for variant, (cost, rewrites, count, peak, worst) in totals.items():
        print(f"{variant:<26}{cost:12,.0f}{cost / whole:8.2f}{cost / cut:11.2f}{worst:12.2f}"
              f"{10 * rewrites / count:12.2f}{peak:9,d}")


if __name__ == "__main__":
    main()
