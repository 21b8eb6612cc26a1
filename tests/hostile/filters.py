"""jq filters and SQL statements of strangers: each is answered or refused in time, and none gets hold of more
than the records."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from patience import Patience
from server import Server, children, field_of_proc
from tally import Bench

CANARY = "CANARY-5d1e-environment"
VARIABLES = ("OPENAI_API_KEY", "UNBURDEN_LLM__API_KEY", "HOSTILE_SECRET")
# So little that some filters meet it.
WORKER_MIB = 128
# What a worker has before it confines itself, and takes between two looks at it.
WORKER_MORE_MIB = 16
SERVER_MIB = 400

FILTERS: tuple[str, ...] = (
    # Filters that reach for the process around them.
    "env",
    "$ENV",
    "env.OPENAI_API_KEY",
    "$ENV.HOSTILE_SECRET",
    "env | tojson | @base64",
    '$ENV | keys | join(",")',
    "input",
    "inputs",
    "[limit(9; inputs)]",
    "first(inputs)",
    "halt",
    "halt_error",
    'halt_error("x"; 7)',
    "debug",
    'debug("x")',
    "stderr",
    "input_filename",
    "input_line_number",
    "$__loc__",
    "$__prog_args",
    "now | todate",
    'getpath(["a","b"])',
    'import "a" as a; .',
    'import "/etc/passwd" as $x; $x',
    'include "../../outside"; .',
    'include "x" {search: "/etc"}; .',
    "modulemeta",
    'getenv("HOME")',
    "get_search_list",
    "builtins",
    "splits",
    "@sh",
    '@sh "rm \\(.)"',
    'system("id")',
    'exec("id")',
    'open("/etc/passwd")',
    'readfile("/etc/passwd")',
    'input("/proc/self/environ")',
    "repl",
    "get_comment",
    'ltrimstr("x")',
    "$x",
    "localtime | mktime",
    'strptime("%Y") | mktime',
    '"%s" | strftime(.)',
    "1e1000 | todate",
    # What never ends.
    "def f: f; f",
    "def f: [f]; f",
    "def f: {a: f}; f",
    "def f: f | f; f",
    "def f(g): f(f(g)); f(.)",
    "def f: def g: f; g; f",
    "repeat(.)",
    "repeat(1) | select(. == 2)",
    "[repeat(1)]",
    "last(repeat(1))",
    "recurse(.)",
    "[recurse([.])]",
    "[recurse(.; true)]",
    "range(1e12)",
    "[range(1e12)]",
    "last(range(1e12))",
    "reduce range(1e12) as $i (0; . + $i)",
    "foreach range(1e12) as $i (0; . + $i; empty)",
    "range(0; 1e12; 0)",
    "range(0; 1; 1e-12) | select(. > 2)",
    "limit(1e12; repeat(1))",
    "limit(0; repeat(1))",
    "first(repeat(empty))",
    "until(false; .)",
    "[while(true; .)]",
    "isempty(repeat(empty))",
    "any(repeat(false); .)",
    "all(repeat(true); .)",
    "label $f | repeat(1)",
    "[.[]?, repeat(null)] | length",
    # What grows.
    '"x" * 1e9',
    '"x" * 1000000000',
    '"x" * 1000000000 | length',
    '"x" * 1e308',
    "[range(1e7)] | map([range(1e3)])",
    "[range(1e6)] | tojson | [.,.,.,.] | tojson | tojson | tojson",
    "reduce range(60) as $i (.; [., .])",
    "reduce range(60) as $i (.; [., .]) | tojson | length",
    'reduce range(60) as $i ("x"; . + .)',
    'reduce range(60) as $i ("x"; . + .) | length',
    "reduce range(1e6) as $i (.; [.])",
    "reduce range(1e6) as $i (null; [.]) | tojson",
    "reduce range(1e6) as $i (null; {a: .}) | [paths] | length",
    "[paths] | map([paths]) | flatten",
    '[range(1e5)] | [paths(type == "number")] | combinations(9)',
    "[[range(50)], [range(50)], [range(50)], [range(50)], [range(50)]] | [combinations] | length",
    "[range(30)] | [combinations(6)] | length",
    "setpath([1e9]; 1)",
    ".[1e15] = 1",
    "[][1e9] = 1",
    "null | .[2147483647] = 1 | length",
    "getpath([range(1e6)])",
    "[range(1e6) | tostring] | add | length",
    '[range(1e5) | tostring] | reduce .[] as $x (""; . + $x) | length',
    '[limit(1e7; repeat("abcdefgh"))] | join(",") | length',
    '"a" * 1000000 | [match("a"; "g")] | length',
    '"a" * 1000000 | gsub("a"; "bbbbbbbbbb") | gsub("b"; "cccccccccc") | length',
    '"a" * 1000000 | gsub(""; "x") | length',
    '"a" * 100000 | gsub("(a+)+$"; "x") | length',
    '"a" * 100000 | test("(a|aa)+c")',
    '"a" * 100000 | [scan("a{0,1000}b")] | length',
    '"a" * 1000000 | split("") | length',
    '"a" * 1000000 | [splits("a")] | length',
    '"ab" * 1000000 | ascii_downcase | explode | implode | length',
    '"[" * 1000000 | fromjson',
    '("[" * 100000) + ("]" * 100000) | fromjson | tojson | length',
    '("9" * 1000000) | tonumber',
    '("{\\"a\\":" * 100000) | fromjson',
    "[range(1e6)] | sort_by(-.) | group_by(. % 7) | length",
    "[range(1e6)] | unique_by(. % 1000) | length",
    "[range(2e3)] | [.[] as $a | .[] as $b | $a * $b] | add",
    "pow(10; 400) | tostring",
    "[limit(1e6; repeat({}))] | tostream",
    "[range(1e5)] | tostream | tojson",
    "[range(1e6)] | @csv | @html | @uri | @base64 | @base64d | length",
    "[range(1e4)] | walk([.,.])",
    '[splits("a"; "b"; "c")]',
    "input_line_number as $x | def f(a;b;c): a; f(1;2;3)",
    'try error("\\(.)" * 10000000) catch length',
    'error("x" * 100000000)',
    "error(null)",
    "error([range(1e6)])",
    ". as [$a, {b: $c}] ?// $a | $a",
    # What a parser recurses in.
    "(" * 5000 + "." + ")" * 5000,
    "[" * 16_000,
    "." * 10_000,
    ".a" * 8000,
    "-" * 16_000 + "1",
    "1" + "+1" * 8000,
    "if . then " * 1600,
    '"\\(' * 2000 + '"',
    "def f: " * 2000,
    ". as $x | " * 1600 + ".",
    "try " * 4000 + ".",
    "reduce . as $x (" * 1000,
    "x" * 1_000_000,
    "\x00",
    "",
    " ",
    "#",
    "}",
    '"',
    "\ufeff.",
    "🦊",
)

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"

STATEMENTS: tuple[str, ...] = (
    # Filters that reach for the process around them.
    "SELECT load_extension('/tmp/x.so')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT edit('x')",
    "ATTACH '/etc/passwd' AS p",
    "VACUUM INTO '/tmp/x'",
    "PRAGMA database_list",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM records('/etc/passwd')",
    "SELECT * FROM records('../../outside')",
    "SELECT * FROM \"/proc/self/environ\"",
    "SELECT * FROM records('rows.jsonl'); DELETE FROM records",
    "SELECT sqlite_compileoption_get(1), sqlite_source_id()",
    # Filters without an end or a bound.
    f"{ENDLESS} SELECT count(*) FROM c",
    f"{ENDLESS} SELECT x FROM c",
    f"{ENDLESS} SELECT group_concat(x) FROM c",
    f"{ENDLESS} SELECT DISTINCT x FROM c ORDER BY x DESC",
    f"{ENDLESS} SELECT json_group_array(printf('%99999d', x)) FROM c",
    "SELECT count(*) FROM records a, records b, records c, records d, records e, records f",
    "SELECT a.record || b.record FROM records a, records b, records c, records d ORDER BY 1",
    "SELECT printf('%999999999d', 1)",
    "SELECT zeroblob(1000000000), randomblob(1000000000)",
    "SELECT replace(printf('%99999d', 1), ' ', printf('%99999d', 1))",
    "SELECT count(*) FROM records WHERE record LIKE '%1%2%3%4%5%6%7%8%9%0%1%2%3%'",
    "SELECT count(*) FROM records WHERE record REGEXP '(a|b)*(x+x+)+y'",
    "SELECT count(*) FROM records WHERE record REGEXP 'a{1000}{1000}'",
    "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "SELECT 1" + " UNION ALL SELECT 1" * 800,
    "SELECT '",
    "SELECT \"",
    ";",
)


class Memory:
    """The most that the server and its workers hold, looked at all the time."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.worker = self.workers = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.stop.is_set():
            # Its own pages, which the ceiling counts; those of the program are shared.
            held = [field_of_proc(child, "RssAnon") for child in children(self.server.pid)]
            self.worker = max([self.worker, *held])
            self.workers = max(self.workers, sum(held))
            time.sleep(0.003)


def filters(bench: Bench) -> None:
    """Each filter, on each record and on all of them as an array."""
    folder = Path(bench.folder) / "root"
    folder.mkdir()
    rows = "".join(f'{{"id":{n},"text":"row {n}","list":[1,2,3]}}\n' for n in range(50))
    (folder / "rows.jsonl").write_text(rows)
    deadline = bench.pick(300, 3000)
    environment = {name: CANARY for name in VARIABLES}
    environment["UNBURDEN_EXTRACT__DEADLINE_MS"] = str(deadline)
    environment["UNBURDEN_EXTRACT__MEMORY_BYTES"] = str(WORKER_MIB * 1024 * 1024)
    bench.tally.note("filters", len(FILTERS))
    bench.tally.note("statements", len(STATEMENTS))
    with Server(bench.program, str(folder), cwd=str(folder), environment=environment) as server:
        patience = Patience(bench, server, deadline / 1000 + bench.pick(1000, 200) / 1000)
        with Memory(server) as memory:
            for slurp in (False, True) if bench.full else (True,):
                for text in FILTERS:
                    _ask(bench, patience, f"jq {text[:60]!r}", {"query": text, "slurp": slurp})
            for text in STATEMENTS:
                _ask(bench, patience, f"sql {text[:60]!r}", {"sql": text})
        patience.note()
        _bounded(bench, server, memory)
        _nobody_left(bench, server)


def _ask(bench: Bench, patience: Patience, what: str, query: dict[str, object]) -> None:
    body = {"file_path": "rows.jsonl", **query}
    reply = patience.ask(what, "/lro_extract", body)
    if reply is None:
        return
    held = CANARY.encode() in reply.body or os.environ["PATH"].encode() in reply.body
    bench.tally.hold(not held, f"{what}: the environment came back: {reply.body[:300]!r}")
    bench.tally.hold(b"root:x:0" not in reply.body, f"{what}: a file came back")
    bench.tally.hold(reply.length < 8 * 1024 * 1024, f"{what}: {reply.length} bytes came back")
    bench.tally.add("over the memory", b'_memory"' in reply.body)


def _bounded(bench: Bench, server: Server, memory: Memory) -> None:
    tally = bench.tally
    tally.note("server peak MiB", round(server.peak_mib()))
    tally.note("worker peak MiB", round(memory.worker / 1024))
    tally.note("workers together MiB", round(memory.workers / 1024))
    held = memory.worker / 1024
    tally.hold(held > WORKER_MIB / 2, f"no worker came near its ceiling: {held} MiB at most")
    tally.hold(tally.figures["over the memory"] != "0", "no filter met the ceiling")
    tally.hold(held < WORKER_MIB + WORKER_MORE_MIB, f"a worker held {held} MiB")
    tally.hold(server.peak_mib() < SERVER_MIB, f"the server held {server.peak_mib()} MiB")


def _nobody_left(bench: Bench, server: Server) -> None:
    """A worker that is killed does not go on."""
    for _ in range(40):
        left = [child for child in children(server.pid) if field_of_proc(child, "VmRSS")]
        if not left:
            return
        time.sleep(0.05)
    bench.tally.fail(f"{len(left)} workers are left")
