#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP server that means harm; it needs the standard library only.

    hostile.py               over its standard streams
    hostile.py http          over HTTP, by hand; the first line that it prints is its port

What a call does is in the tool's name: see `TOOLS` for either and `BY_STDIO`, `BY_HTTP`. The
environment variable `HOSTILE` says what is wrong before calls: one of `STARTS`.
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

Message = dict[str, Any]
HOW = os.environ.get("HOSTILE", "")
MIB = 1024 * 1024
GIB = 1024 * MIB


# What it says ------------------------------------------------------------------------------------


def text(of: str) -> Message:
    return {"content": [{"type": "text", "text": of}]}


def reply(number: Any, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


def raw_reply(number: Any, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"result":%s}' % (number, result)


def structured(number: Any, value: bytes) -> bytes:
    return raw_reply(number, b'{"content":[],"structuredContent":{"a":%s}}' % value)


def notice(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


# Tools whose reply is a message, whatever carries it.
TOOLS: dict[str, Callable[[int], bytes]] = {
    "echo": lambda number: reply(number, text("here")),
    "arrays_200": lambda number: structured(number, nested(200)),
    "arrays_1000": lambda number: structured(number, nested(1_000)),
    "arrays_10000": lambda number: structured(number, nested(10_000)),
    "arrays_million": lambda number: structured(number, nested(1_000_000)),
    "objects_10000": lambda number: structured(number, b'{"a":' * 10_000 + b"1" + b"}" * 10_000),
    "open_arrays": lambda number: raw_reply(number, b"[" * 5_000_000),
    "digits_10000": lambda number: structured(number, b"9" * 10_000),
    "digits_5000000": lambda number: structured(number, b"9" * 5_000_000),
    "exponent": lambda number: structured(number, b"1e999999999"),
    "small_exponent": lambda number: structured(number, b"1e-999999999"),
    "long_fraction": lambda number: structured(number, b"0." + b"3" * 5_000_000),
    "code_exponent": lambda number: (
        b'{"jsonrpc":"2.0","id":%d,"error":{"code":1e999999999,"message":"m"}}' % number
    ),
    "blocks": lambda number: reply(number, {"content": [{"type": "text", "text": ""}] * 200_000}),
    "members": lambda number: structured(
        number, json.dumps({f"m{n}": n for n in range(200_000)}).encode()
    ),
    "same_members": lambda number: structured(number, b"{" + b'"a":1,' * 500_000 + b'"a":2}'),
    "violations": lambda number: structured(
        number, json.dumps([f"v{n}" for n in range(100_000)]).encode()
    ),
    "surrogates": lambda number: reply(number, text("\ud800" * 200_000)),
}


class Odd:
    """Tools that answer with ids that are not theirs, and then, where they do at all, with it."""

    IDS: tuple[Any, ...] = (
        -1, 0, 1.5, 1e300, 10**30, True, None, "", "x", [], {}, [1], {"id": 1}, 999_999, "999999",
    )  # fmt: skip

    @staticmethod
    def wrong_ids(_: int) -> list[bytes]:
        return [reply(each, text("wrong")) for each in Odd.IDS]

    @staticmethod
    def wrong_then_right(number: int) -> list[bytes]:
        return [*Odd.wrong_ids(number), reply(number, text("right"))]

    @staticmethod
    def twice(number: int) -> list[bytes]:
        return [reply(number, text("first")), *[reply(number, text("second"))] * 50]


ODD: dict[str, Callable[[int], list[bytes]]] = {
    "wrong_ids": Odd.wrong_ids,
    "wrong_then_right": Odd.wrong_then_right,
    "twice": Odd.twice,
}


# Schemas -----------------------------------------------------------------------------------------


def deep_schema(depth: int) -> Message:
    schema: Message = {"type": "integer"}
    for _ in range(depth):
        schema = {"properties": {"a": schema}}
    return {"type": "object", **schema}


def laughs() -> Message:
    """Give a schema of 40 lines that is judged 2^40 times, where nobody counts."""
    part = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    return {"type": "object", "$ref": "#/$defs/d0", "$defs": {**part, "d40": {"minProperties": 9}}}


def of_text(**rules: Any) -> Message:
    return {"type": "object", "properties": {"text": {"type": "string", **rules}}}


SCHEMAS: dict[str, Any] = {
    "root_cycle": {"type": "object", "$ref": "#"},
    "part_cycle": {"type": "object", "properties": {"text": {"$ref": "#/properties/text"}}},
    "loop": {
        "type": "object",
        "properties": {"text": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "own_tree": {
        "type": "object",
        "properties": {"text": {}, "more": {"$ref": "#"}},
        "additionalProperties": False,
    },
    "laughs": laughs(),
    "deep_100": deep_schema(50),
    "pattern": of_text(pattern="^(a+)+$"),
    "pattern_alternatives": of_text(pattern="^(a|a|aa)*b$"),
    "pattern_counts": of_text(pattern="^((a{0,50}){0,50}){0,50}$"),
    "pattern_long": of_text(pattern="(" * 2_000 + "a" + ")*" * 2_000),
    "remote": {"type": "object", "$ref": "http://127.0.0.1:9/schema.json"},
    "file": {"type": "object", "$ref": "file:///etc/hostname"},
    "alternatives": {
        "type": "object",
        "properties": {"text": {"oneOf": [{"const": n} for n in range(20_000)]}},
    },
    "a_list": [1],
    "a_text": "object",
    "a_number": 7,
    "type_of_all": {"type": ["object", 7]},
    "odd_properties": {"type": "object", "properties": [1, 2]},
    "default_of_a_cycle": {
        "type": "object",
        "properties": {"text": {"default": {"a": "x" * 1_000}, "$ref": "#/properties/text"}},
    },
}


# How it starts -----------------------------------------------------------------------------------


def plain_tool(name: str) -> Message:
    return {"name": name, "description": name, "inputSchema": {"type": "object"}}


def page(params: Message) -> Message:
    """Give a page of tools."""
    if HOW == "many_tools":
        return {"tools": [plain_tool(f"t{n}") for n in range(100_000)]}
    if HOW == "same_page":
        return {"tools": [plain_tool("echo")], "nextCursor": "again"}
    if HOW == "endless_pages":
        cursor = int(params.get("cursor", "0"))
        return {"tools": [], "nextCursor": str(cursor + 1)}
    if HOW == "endless_tools":
        cursor = int(params.get("cursor", "0"))
        tools = [plain_tool(f"t{cursor}_{n}") for n in range(500)]
        return {"tools": tools, "nextCursor": str(cursor + 1)}
    if HOW == "long_cursors":
        return {"tools": [], "nextCursor": os.urandom(MIB).hex()}
    if HOW == "long_names":
        return {"tools": [plain_tool(f"{n}" + "n" * 5_000_000) for n in range(4)]}
    if HOW == "deep_schema":
        return {"tools": []}  # its bytes are made by hand
    if HOW == "schemas":
        return {"tools": [{"name": name, "inputSchema": each} for name, each in SCHEMAS.items()]}
    names = [*TOOLS, *ODD, *BY_STDIO, *BY_HTTP]
    promise = {"type": "object", "properties": {"a": {"items": {"type": "integer"}}}}
    listed = {name: plain_tool(name) for name in names}
    listed["violations"]["outputSchema"] = promise
    return {"tools": list(listed.values())}


STARTS = frozenset(
    {
        "many_tools", "same_page", "endless_pages", "endless_tools", "long_cursors", "long_names",
        "deep_schema", "schemas", "endless_line", "silent", "flood", "drip_head", "drip_body",
        "drip_events", "endless_head", "endless_hints",
    }
)  # fmt: skip


def answered(message: Message) -> bytes | None:
    """Give the answer to what is no call, or to a call that is answered by one message."""
    method, number = message.get("method"), message.get("id")
    params = message.get("params") or {}
    if number is None or method is None:
        return None
    if method == "initialize":
        told = {"capabilities": {"tools": {}}, "serverInfo": {"name": "hostile", "version": "1"}}
        return reply(number, {"protocolVersion": params["protocolVersion"], **told})
    if method == "tools/list" and HOW == "deep_schema":
        schema = b'{"properties":{"a":' * 5_000 + b"{}" + b"}}" * 5_000
        return raw_reply(number, b'{"tools":[{"name":"deep","inputSchema":%s}]}' % schema)
    if method == "tools/list":
        return reply(number, page(params))
    if method == "tools/call" and HOW == "schemas":
        return reply(number, text("accepted"))
    if method == "tools/call":
        made = TOOLS.get(params["name"])
        return None if made is None else made(number)
    error = {"code": -32601, "message": "no such method"}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()


def pieces(number: int, size: int) -> Iterator[bytes]:
    """Give a reply of so many bytes in pieces."""
    head, tail = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"a":"' % number, b'"}}'
    yield head
    piece = b"x" * MIB
    for _ in range(size // MIB):
        yield piece
    yield tail


def endless(number: int) -> Iterator[bytes]:
    """Give a reply without an end in pieces."""
    yield b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"a":"' % number
    piece = b"x" * 65_536
    while True:
        yield piece


# By its standard streams -------------------------------------------------------------------------

OUT = threading.Lock()


def write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def say(message: bytes) -> None:
    with OUT:
        write(message + b"\n")


def in_one_line(parts: Iterator[bytes]) -> None:
    with OUT:
        for part in parts:
            write(part)
        write(b"\n")


def flood(number: int, made: Callable[[int], bytes]) -> None:
    """Say the same kind of thing for ever, in large pieces so that it is fast."""
    while True:
        with OUT:
            write(b"".join(made(n) + b"\n" for n in range(200)))


def stray_line(number: int) -> None:
    with OUT:
        while True:
            write(b"x" * 65_536)


def to_standard_error(number: int) -> None:
    for _ in range(32):
        os.write(2, b"e" * MIB)
    say(reply(number, text("said it")))


def stops_reading(number: int) -> None:
    time.sleep(600)


def pings(number: int) -> None:
    """Ask for ever and read no answers."""
    while True:
        say(b'{"jsonrpc":"2.0","id":"p","method":"ping"}')


def byte_by_byte(number: int) -> None:
    with OUT:
        write(b'{"jsonrpc":"2.0","id":%d,"result":' % number)
        while True:
            write(b" ")


BY_STDIO: dict[str, Callable[[int], None]] = {
    "giant": lambda number: in_one_line(pieces(number, GIB)),
    "endless_line": lambda number: in_one_line(endless(number)),
    "stray_line": stray_line,
    "byte_by_byte": byte_by_byte,
    "log_flood": lambda number: flood(
        number, lambda n: notice("notifications/message", level="info", data="x" * 200)
    ),
    "unknown_flood": lambda number: flood(number, lambda n: notice(f"notifications/x{n}")),
    "changed_flood": lambda number: flood(
        number, lambda n: notice("notifications/tools/list_changed")
    ),
    "progress_flood": lambda number: flood(
        number,
        lambda n: notice(
            "notifications/progress", progressToken=number, progress=n, message="m" * 200
        ),
    ),
    "stray_flood": lambda number: flood(number, lambda n: b"no message at all"),
    "reply_flood": lambda number: flood(number, lambda n: reply(10_000 + n, text("stray"))),
    "blank_flood": lambda number: flood(number, lambda n: b""),
    "error_stream": to_standard_error,
    "stops_reading": stops_reading,
    "pings": pings,
}
#: Those that the loop itself runs, and so reads nothing meanwhile.
IN_THE_LOOP = frozenset({"stops_reading", "pings"})


def by_standard_streams() -> None:
    if HOW == "silent":
        time.sleep(600)
    if HOW == "endless_line":
        stray_line(0)
    if HOW == "flood":
        flood(0, lambda n: b"no message at all")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        answer = answered(message)
        if answer is not None:
            say(answer)
        elif message.get("method") == "tools/call":
            name, number = message["params"]["name"], message["id"]
            if name in ODD:
                for each in ODD[name](number):
                    say(each)
            elif name in IN_THE_LOOP:
                BY_STDIO[name](number)
            elif name in BY_STDIO:
                threading.Thread(target=BY_STDIO[name], args=(number,), daemon=True).start()
    os._exit(0)


# By HTTP -----------------------------------------------------------------------------------------


class Peer:
    """One connection of a client."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._file = sock.makefile("rb")

    def serve(self) -> None:
        try:
            while self._request():
                pass
        except OSError:
            pass
        finally:
            self._file.close()
            self._sock.close()

    def _request(self) -> bool:
        start = self._file.readline().split()
        if not start:
            return False
        length = 0
        while (line := self._file.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = self._file.read(length)
        if start[0] != b"POST":
            self.head(405, length=0)
            return True
        message = json.loads(body)
        if message.get("method") == "initialize" and HOW in HTTP_STARTS:
            HTTP_STARTS[HOW](self, message["id"])
            return False
        answer = answered(message)
        if answer is not None:
            self.whole(answer)
        elif message.get("method") == "tools/call":
            name, number = message["params"]["name"], message["id"]
            if name in ODD:
                self.events()
                for each in ODD[name](number):
                    self.event(each)
                return False
            BY_HTTP[name](self, number)
            return False
        else:
            self.head(202, length=0)
        return True

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def head(self, status: int = 200, *, length: int | None = None, more: str = "") -> None:
        size = "" if length is None else f"Content-Length: {length}\r\n"
        kind = "" if "Content-Type" in more else "Content-Type: application/json\r\n"
        self.send(f"HTTP/1.1 {status} X\r\n{kind}{size}{more}\r\n".encode())

    def whole(self, body: bytes) -> None:
        self.head(length=len(body), more="Mcp-Session-Id: s1\r\n")
        self.send(body)

    def events(self) -> None:
        self.head(more="Content-Type: text/event-stream\r\n")

    def event(self, message: bytes) -> None:
        self.send(b"data: " + message + b"\n\n")

    # What it does wrong

    def body_of(self, parts: Iterator[bytes], *, length: int | None = None) -> None:
        self.head(length=length, more="Connection: close\r\n")
        for part in parts:
            self.send(part)

    def chunks_of(self, parts: Iterator[bytes]) -> None:
        self.head(more="Transfer-Encoding: chunked\r\n")
        for part in parts:
            self.send(b"%x\r\n%s\r\n" % (len(part), part))
        self.send(b"0\r\n\r\n")

    def event_of(self, parts: Iterator[bytes]) -> None:
        self.events()
        self.send(b"data: ")
        for part in parts:
            self.send(part)
        self.send(b"\n\n")

    def short_lines(self) -> None:
        """Send an event of lines of two bytes each, for ever."""
        self.events()
        while True:
            self.send(b"data:xy\n" * 8_192)

    def drip(self, data: bytes) -> None:
        """Send something byte by byte, for ever."""
        while True:
            for byte in data:
                self.send(bytes([byte]))
                time.sleep(0.05)

    def drip_head(self) -> None:
        self.send(b"HTTP/1.1 200 X\r\n")
        self.drip(b"X-More: and more\r\n")

    def drip_body(self) -> None:
        self.head(length=10_000_000)
        self.drip(b" ")

    def drip_events(self) -> None:
        self.events()
        self.drip(b": still here\n\n")

    def endless_head(self, line: bytes) -> None:
        self.send(b"HTTP/1.1 200 X\r\n")
        while True:
            self.send(line * 1_000)

    def endless_hints(self) -> None:
        """Say 100 Continue for ever."""
        while True:
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)

    def bomb(self, coding: str) -> None:
        """Send 512 MiB of blanks as half a mebibyte."""
        made = gzip.compress(b" " * MIB * 512, compresslevel=9)
        self.head(length=len(made), more=f"Content-Encoding: {coding}\r\n")
        self.send(made)

    def event_flood(self, made: Callable[[int], bytes]) -> None:
        self.events()
        while True:
            self.send(b"".join(b"data: " + made(n) + b"\n\n" for n in range(200)))

    def odd_length(self, length: str) -> None:
        self.head(more=f"Content-Length: {length}\r\n")
        self.send(b"{}")

    def chunk_line(self) -> None:
        """Begin a chunk whose length has no end."""
        self.head(more="Transfer-Encoding: chunked\r\n")
        while True:
            self.send(b"0" * 65_536)

    def trailers(self) -> None:
        self.head(more="Transfer-Encoding: chunked\r\n")
        self.send(b"2\r\n{}\r\n0\r\n")
        while True:
            self.send(b"X-More: and more\r\n" * 1_000)


def tokens(number: int) -> Callable[[int], bytes]:
    return lambda n: notice("notifications/progress", progressToken=number, progress=n)


BY_HTTP: dict[str, Callable[[Peer, int], None]] = {
    "giant_body": lambda peer, number: peer.body_of(pieces(number, 192 * MIB)),
    "giant_length": lambda peer, number: peer.body_of(pieces(number, 192 * MIB), length=GIB),
    "giant_chunks": lambda peer, number: peer.chunks_of(pieces(number, GIB)),
    "giant_event": lambda peer, number: peer.event_of(pieces(number, 192 * MIB)),
    "endless_event": lambda peer, number: peer.event_of(endless(number)),
    "short_lines": lambda peer, number: peer.short_lines(),
    "slow_head": lambda peer, number: peer.drip_head(),
    "slow_body": lambda peer, number: peer.drip_body(),
    "slow_events": lambda peer, number: peer.drip_events(),
    "endless_head": lambda peer, number: peer.endless_head(b"X-More: and more\r\n"),
    "endless_field": lambda peer, number: peer.endless_head(b"x" * 64),
    "endless_hints": lambda peer, number: peer.endless_hints(),
    "gzip_bomb": lambda peer, number: peer.bomb("gzip"),
    "event_flood": lambda peer, number: peer.event_flood(
        lambda n: notice("notifications/message", level="info", data="x" * 200)
    ),
    "event_progress": lambda peer, number: peer.event_flood(tokens(number)),
    "event_changed": lambda peer, number: peer.event_flood(
        lambda n: notice("notifications/tools/list_changed")
    ),
    "negative_length": lambda peer, number: peer.odd_length("-5"),
    "long_length": lambda peer, number: peer.odd_length("9" * 40),
    "no_length": lambda peer, number: peer.odd_length("many"),
    "chunk_line": lambda peer, number: peer.chunk_line(),
    "trailers": lambda peer, number: peer.trailers(),
    "status_line": lambda peer, number: peer.send(b"HTTP/1.1 " + b"2" * 10_000_000),
    "no_http": lambda peer, number: peer.send(b"SSH-2.0-server\r\n" * 10),
}
HTTP_STARTS: dict[str, Callable[[Peer, int], None]] = {
    "silent": lambda peer, number: time.sleep(600),
    "drip_head": lambda peer, number: peer.drip_head(),
    "drip_body": lambda peer, number: peer.drip_body(),
    "drip_events": lambda peer, number: peer.drip_events(),
    "endless_head": lambda peer, number: peer.endless_head(b"X-More: and more\r\n"),
    "endless_hints": lambda peer, number: peer.endless_hints(),
    "flood": lambda peer, number: peer.event_flood(lambda n: notice(f"notifications/x{n}")),
}


def by_http() -> None:
    listening = socket.create_server(("127.0.0.1", 0), backlog=100)
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    while True:
        sock, _ = listening.accept()
        threading.Thread(target=Peer(sock).serve, daemon=True).start()


if __name__ == "__main__":
    assert not HOW or HOW in STARTS, HOW
    by_http() if sys.argv[1:] == ["http"] else by_standard_streams()
