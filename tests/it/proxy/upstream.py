"""A scripted MCP server for the tests of the proxy, on standard input and output or over
streamable HTTP. What it receives goes to a log as it came; what it answers is spelled here
and never made by a JSON library, where the spelling matters.

    upstream.py LOG stdio|json|sse [OPTION=VALUE…]

OPTIONS: names (of further tools, separated by commas), pages (of the list of tools),
status (that every POST gets), break (streams that end before an answer; go on by Last-Event-ID),
first (bytes, as hexadecimal, that a list of tools is preceded by; standard output only),
hidden (names that a list for the proxy itself does not have), named (the name of an event that
comes before each answer; events only).
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOG, MODE = sys.argv[1], sys.argv[2]
OPTIONS = dict(option.split("=", 1) for option in sys.argv[3:])
LOCK = threading.Lock()
ANSWERS = {}
ARRIVED = threading.Condition()
WAITING = []
ODD = r'{"a": 1.10,"n":12345678901234567890123, "odd":{"z":null,"\u00e9":"\u00e9\ud83d\ude00","a":1e400},"a":2}'
TOOLS = ["records", "text", "echo", "slow", "progress", "sample", "big", "both", "structured",
         "image", "fail", "die", "wrong", "resource"]


def log(**entry):
    with LOCK, open(LOG, "a") as file:
        file.write(json.dumps(entry) + "\n")


def records(count):
    return "[" + ", ".join(
        '{"id":%d,"price":1.10,"big":12345678901234567890123,"name":"n\\u00e9 %d"}' % (n, n)
        for n in range(count)) + "]"


def met(count):
    """Whether so many calls come to be under way at once; waits for the others."""
    with ARRIVED:
        WAITING.append(count)
        ARRIVED.notify_all()
        return ARRIVED.wait_for(lambda: len(WAITING) >= count, timeout=50)


def lines(count):
    return "".join("line %d of a long text, with \"quotes\" and \u00e9\n" % n for n in range(count))


def tool(name):
    schema = ',"outputSchema":{"type":"object","x":1.10}' if name in ("both", "structured") else ""
    return '{"name":"%s","unknown":1.10,"inputSchema":{"type":"object"}%s}' % (name, schema)


def tools(cursor, proxys_own):
    names = TOOLS + [name for name in OPTIONS.get("names", "").split(",") if name]
    if proxys_own:
        names = [name for name in names if name not in OPTIONS.get("hidden", "").split(",")]
    pages, page = int(OPTIONS.get("pages", "1")), int(cursor or 0)
    size = -(-len(names) // pages)
    part = ",".join(tool(name) for name in names[page * size:(page + 1) * size])
    more = ',"nextCursor":"%d"' % (page + 1) if page + 1 < pages else ""
    return '{"tools":[%s],"odd":1.10%s}' % (part, more)


def text(value, rest=""):
    return '{"content":[{"type":"text","text":%s}]%s}' % (json.dumps(value), rest)


def called(name, arguments, tell, ask):
    count = arguments.get("n", 400)
    if name == "records":
        return text(records(count))
    if name == "text":
        return text(lines(count))
    if name == "blocks":
        blocks = ('{"type":"text","text":%s}' % json.dumps(block) for block in arguments["texts"])
        return '{"content":[%s],"isError":false}' % ",".join(blocks)
    if name == "big":
        return text(lines(200_000))
    if name == "both":
        return text(json.dumps(json.loads(records(count))), ',"structuredContent":%s' % json.dumps(
            {"result": json.loads(records(count))}))
    if name == "structured":
        return text("%d rows" % count, ',"structuredContent":{"rows":%s},"isError":false,"x":1.10'
                    % records(count))
    if name == "image":
        return '{"content":[{"type":"image","data":"%s","mimeType":"image/png"}]}' % ("QUJD" * 9000)
    if name == "resource":
        return '{"content":[{"type":"resource","resource":{"uri":"a:b","text":%s}}]}' % json.dumps(
            lines(count))
    if name == "slow":
        if "together" in arguments and not met(arguments["together"]):
            return text("nobody else came")
        time.sleep(arguments.get("seconds", 1))
        return text(arguments.get("say", lines(count)))
    if name == "progress":
        tell('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1.10}}')
        return text(lines(count))
    if name == "sample":
        return text(ask('{"jsonrpc":"2.0","id": "s-1","method":"sampling/createMessage","params":{"x":1.10}}', "s-1"))
    if name == "wrong":
        return '{"content":[{"type":"text","text":"%s"}],"isError":true}' % ("bad " * 3000)
    if name == "tell":
        tell(arguments["line"])
    if name == "die":
        os._exit(3)
    return '{"content":[{"type":"text","text":"called %s"}],"x":1.10}' % name


def answer(body, tell, ask):
    """The answer to a message as text; None where it gets none."""
    message = json.loads(body)
    method, params = message.get("method"), message.get("params") or {}
    if method is None:
        with ARRIVED:
            ANSWERS[message["id"]] = body
            ARRIVED.notify_all()
        return None
    if "id" not in message:
        if method == "x/silent":
            OPTIONS["names"] = params["names"]
        if method == "x/tell":
            tell(params["line"])
        if method == "x/change":
            OPTIONS["names"] = params["names"]
            tell('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
        return None
    if method == "initialize":
        result = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"scripted","version":"1"},"odd":1.10}'
    elif method == "tools/list":
        if MODE == "stdio" and "first" in OPTIONS:
            with LOCK:
                sys.stdout.buffer.write(bytes.fromhex(OPTIONS["first"]) + b"\n")
                sys.stdout.buffer.flush()
        result = tools(params.get("cursor"), "unburden" in str(message["id"]))
    elif method == "tools/call" and params["name"] == "fail":
        return '{"jsonrpc":"2.0", "id":%s,"error":{"code":-32602,"message":"no","data":{"x":1.10}}}' % json.dumps(message["id"])
    elif method == "tools/call":
        result = called(params["name"], params.get("arguments") or {}, tell, ask)
    else:
        result = ODD
    return '{"jsonrpc":"2.0", "id":%s,"result":%s,"extra":[ 1.0 ]}' % (json.dumps(message["id"]), result)


def wait(tell):
    def ask(request, key):
        tell(request)
        with ARRIVED:
            ARRIVED.wait_for(lambda: key in ANSWERS, timeout=10)
            return ANSWERS[key]
    return ask


def stdio():
    def tell(line):
        with LOCK:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def work(body):
        said = answer(body, tell, wait(tell))
        if said is not None:
            tell(said)

    for line in sys.stdin:
        log(body=line.rstrip("\n"))
        threading.Thread(target=work, args=(line.rstrip("\n"),), daemon=True).start()
    log(ended=True)


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    broken = {}
    resumed = 0

    def log_message(self, *_):
        pass

    def begin(self, status, kind=None, length=None, **headers):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if length is None:
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def whole(self, status, body, kind="application/json", **headers):
        body = body.encode()
        self.begin(status, kind, len(body), **headers)
        self.wfile.write(body)

    def event(self, message, number=1, name="message"):
        data = message.replace(",\"", ",\n\"", 1)
        said = "event: %s\nid: %d\nretry: 20\n%s\n\n" % (
            name, number, "\n".join("data: " + line for line in data.split("\n")))
        with LOCK:
            self.wfile.write(said.encode())
            self.wfile.flush()

    def seen(self, body=""):
        log(verb=self.command, headers={k.lower(): v for k, v in self.headers.items()}, body=body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.seen(body)
        if "status" in OPTIONS:
            return self.whole(int(OPTIONS["status"]), OPTIONS.get("says", "no"), "text/plain")
        first = '"initialize"' in body
        if not first and "2026-07-28" not in body and self.headers["Mcp-Session-Id"] != "session-1":
            return self.whole(404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
        session = {"Mcp_Session_Id": "session-1"} if first else {}
        message = json.loads(body)
        if "id" not in message or "method" not in message:
            answer(body, lambda _: None, None)
            return self.begin(202, length=0)
        if MODE == "json" and '"progress"' not in body and '"sample"' not in body:
            said = answer(body, None, None).replace(",\"", ",\r\n  \"", 1)
            if "other" in OPTIONS and "x/unknown" in body:
                said = said.replace('"id":', '"id":9')
            return self.whole(200, said + "\n", **session)
        self.begin(200, "text/event-stream", **session)
        self.wfile.write(b": a comment\n\nid: 0\nretry: 20\ndata:\n\n")
        if "named" in OPTIONS:
            self.event('{"jsonrpc":"2.0","method":"notifications/named"}', 7, OPTIONS["named"])
        if "break" in OPTIONS and '"tools/call"' in body:
            Server.broken["0"] = answer(body, self.event, wait(self.event))
            return None
        self.event(answer(body, self.event, wait(self.event)))
        return None

    def do_GET(self):
        self.seen()
        if "Last-Event-Id" in self.headers and self.headers["Last-Event-Id"] in Server.broken:
            self.begin(200, "text/event-stream")
            Server.resumed += 1
            if Server.resumed % int(OPTIONS["break"]):
                return None
            return self.event(Server.broken.pop(self.headers["Last-Event-Id"]))
        if "listen" not in OPTIONS:
            return self.whole(405, "")
        self.begin(200, "text/event-stream")
        number = int(self.headers.get("Last-Event-Id", "40")) + 1
        self.event('{"jsonrpc":"2.0","method":"notifications/message","params":{"number":%d}}' % number, number)
        return None

    def do_DELETE(self):
        self.seen()
        self.begin(204, length=0)


if MODE == "stdio":
    stdio()
else:
    # Fifty clients at once are more than the five that wait for an accept by default.
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    print(server.server_address[1], flush=True)
    server.serve_forever()
