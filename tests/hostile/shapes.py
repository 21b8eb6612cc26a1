"""JSON bodies at the body limit, each shaped to cost a parser the most of something."""

from __future__ import annotations

from collections.abc import Callable

Body = Callable[[int], bytes]


def _repeat(unit: bytes, size: int, joint: bytes = b",") -> bytes:
    count = max(1, size // (len(unit) + len(joint)))
    return joint.join([unit] * count)


def _messages(inside: bytes, store: bytes) -> bytes:
    head = b'{"store_dir":"' + store + b'","include_files":false,"messages":['
    return head + inside + b"]}"


def _user(content: bytes) -> bytes:
    return b'{"role":"user","content":' + content + b"}"


def _turn(result: bytes) -> bytes:
    """A call, its result, and a newest message behind it."""
    call = b'{"id":"call_1","type":"function","function":{"name":"t","arguments":"{}"}}'
    return b",".join(
        [
            _user(b'"go"'),
            b'{"role":"assistant","content":null,"tool_calls":[' + call + b"]}",
            b'{"role":"tool","tool_call_id":"call_1","content":' + result + b"}",
            _user(b'"on"'),
        ]
    )


def _string(text: bytes) -> bytes:
    return b'"' + text.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def _numbered(unit: str, size: int) -> bytes:
    count = size // (len(unit % 10_000_000) + 1)
    return ",".join(unit % (10_000_000 + n) for n in range(count)).encode()


def tiny_messages(size: int) -> bytes:
    """Millions of messages with one letter each."""
    return _repeat(_user(b'"a"'), size)


def empty_objects(size: int) -> bytes:
    """Messages that are `{}`: the most there can be."""
    return _repeat(b"{}", size)


def deep_arrays(size: int) -> bytes:
    """A message whose content nests as deep as the body is long."""
    half = size // 2
    return _user(b"[" * half + b"]" * half)


def deep_objects(size: int) -> bytes:
    """The same with objects."""
    count = size // 6
    return _user(b'{"a":' * count + b"1" + b"}" * count)


def one_string(size: int) -> bytes:
    """A tool result that is one string without a break."""
    return _turn(b'"' + b"a" * size + b'"')


def one_log(size: int) -> bytes:
    """A tool result of short lines."""
    return _turn(b'"' + _repeat(b"error: line of a log, exit code 1", size, b"\\n") + b'"')


def huge_number(size: int) -> bytes:
    """A number of as many digits."""
    return b'{"role":"user","content":"a","n":' + b"7" * size + b"}"


def many_keys(size: int) -> bytes:
    """One message with millions of members."""
    return b'{"role":"user","content":"a",' + _numbered('"k%d":1', size) + b"}"


def duplicate_keys(size: int) -> bytes:
    """The same member again and again; the last one counts."""
    return b'{"role":"user",' + _repeat(b'"content":"a"', size) + b"}"


def nul_escapes(size: int) -> bytes:
    """A string in which each character takes six bytes to spell."""
    return _turn(b'"' + b"\\u0000" * (size // 6) + b'"')


def lone_surrogates(size: int) -> bytes:
    """Halves of characters: no text has them."""
    return _turn(b'"' + b"\\ud800" * (size // 6) + b'"')


def wide_parts(size: int) -> bytes:
    """A message of millions of parts."""
    return _user(b"[" + _repeat(b'{"type":"text","text":"a"}', size) + b"]")


def tool_calls(size: int) -> bytes:
    """A message with hundreds of thousands of calls, none answered."""
    unit = '{"id":"call_%d","type":"function","function":{"name":"t","arguments":"{}"}}'
    return b'{"role":"assistant","content":null,"tool_calls":[' + _numbered(unit, size) + b"]}"


def arrays_of_arrays(size: int) -> bytes:
    """Content that is an array of empty arrays."""
    return _user(b"[" + _repeat(b"[]", size) + b"]")


def byte_order_mark(size: int) -> bytes:
    """No JSON text begins with one."""
    return tiny_messages(size)


def records_small(size: int) -> bytes:
    """A result that is an array of millions of records."""
    return _turn(_string(b"[" + _repeat(b'{"a":1}', size * 4 // 5) + b"]"))


def records_strange(size: int) -> bytes:
    """Records of which each has a field that no other has."""
    return _turn(_string(b"[" + _numbered('{"k%d":1}', size * 6 // 7) + b"]"))


def records_of_arrays(size: int) -> bytes:
    """Records with arrays of numbers inside."""
    inside = b'{"a":[' + _repeat(b"1", 200) + b"]}"
    return _turn(_string(b"[" + _repeat(inside, size * 63 // 64) + b"]"))


def snapshots(size: int) -> bytes:
    """A system message of nothing but snapshots, none of them ours."""
    unit = b"<state_snapshot>\\n</state_snapshot>\\n(Original 1 messages are stored in: a.json)\\n"
    return b'{"role":"system","content":"' + _repeat(unit, size, b"") + b'"},' + _user(b'"a"')


def references(size: int) -> bytes:
    """A result of nothing but references, none of them minted."""
    unit = b"(detailed result is stored in store/tool_call_1.txt)"
    return _turn(b'"' + _repeat(unit, size, b"\\n") + b'"')


def many_results(size: int) -> bytes:
    """Thousands of calls, each with a result that is worth moving."""
    log = b"error: line of a log, exit code 1\\n" * 330
    turns = []
    for n in range(max(1, size // (len(log) + 190))):
        call = b'{"id":"call_%d","type":"function","function":{"name":"t","arguments":"{}"}}' % n
        turns.append(b'{"role":"assistant","content":null,"tool_calls":[' + call + b"]}")
        answer = b'{"role":"tool","tool_call_id":"call_%d","content":"%d %s"}' % (n, n, log)
        turns.append(answer)
    return b",".join([_user(b'"go"'), *turns, _user(b'"on"')])


def chat(size: int) -> bytes:
    """Turns of order and answer: what compression takes."""
    words = b"The order was weighed and came to %d grams in all. "
    pairs = []
    for n in range(max(1, size // 4700)):
        pairs.append(_user(b'"Weigh lot %d."' % n))
        said = b"".join(words % (n * 80 + k) for k in range(80))
        pairs.append(b'{"role":"assistant","content":"' + said + b'"}')
    return b",".join(pairs)


SHAPES: dict[str, Body] = {
    function.__name__: function
    for function in (
        tiny_messages,
        empty_objects,
        deep_arrays,
        deep_objects,
        one_string,
        one_log,
        huge_number,
        many_keys,
        duplicate_keys,
        nul_escapes,
        lone_surrogates,
        wide_parts,
        tool_calls,
        arrays_of_arrays,
        byte_order_mark,
        records_small,
        records_strange,
        records_of_arrays,
        snapshots,
        references,
        many_results,
        chat,
    )
}


def body(name: str, size: int, store: str) -> bytes:
    """A request of `size` bytes at most, but for a little around it."""
    around = 700
    made = _messages(SHAPES[name](size - around), store.encode())
    return b"\xef\xbb\xbf" + made if name == "byte_order_mark" else made
