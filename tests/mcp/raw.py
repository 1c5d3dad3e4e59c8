#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP server that answers byte by byte, to be wrong where a library for HTTP could not be.

    raw.py LOG              streamable HTTP; the first line that it prints is its port
    raw.py LOG stdio        over its standard streams, by revision 2026-07-28

What a call of a tool does is in the tool's name: see `ANSWERS` and `Connection`. Messages, with the
headers of their requests, are added to the file LOG as lines of JSON, and so is `closed` with the
name of a tool whose stream was closed by the client. `RAW_START` says what goes wrong before calls:
`stateless` (it speaks 2026-07-28 alone), `refuses` (it refuses `initialize`, and speaks another
revision), `drips` (its answer to `initialize` never ends), `pages` (pages of tools that never end
and take a while each), `forgets` (it knows no session when a tool is called), `revision`.
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Message = dict[str, Any]
START = os.environ.get("RAW_START", "")
STATELESS = "2026-07-28"
CAPABILITIES = {"tools": {"listChanged": True}}
MARKED = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {
            "type": "object",
            "properties": {"count": {"type": "integer", "x-mcp-header": "Count"}},
        },
        "bad": {"type": "number", "x-mcp-header": "Bad"},
    },
}


def text(of: str) -> Message:
    return {"content": [{"type": "text", "text": of}]}


def reply(number: Any, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


def refusal(number: Any, code: int, message: str) -> bytes:
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()


def answer(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    kind = "Content-Type: application/json"
    head = f"HTTP/1.1 {status}\r\n{kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def without_length(body: bytes, version: str = "1.1", kind: str = "application/json") -> bytes:
    return f"HTTP/{version} 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + body


def chunked(
    pieces: list[bytes], last: bytes = b"0\r\n\r\n", kind: str = "application/json"
) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    return (
        head.encode() + b"".join(b"%x;a=b\r\n%s\r\n" % (len(each), each) for each in pieces) + last
    )


def events(body: bytes) -> bytes:
    return without_length(body, kind="Text/Event-Stream; charset=utf-8")


def in_lines(body: bytes, end: bytes) -> bytes:
    """Give a message as an event of several lines, between others."""
    lines = json.dumps(json.loads(body), indent=1).encode().split(b"\n")
    data = end.join(b"data:" + each for each in lines)
    other = [b": a comment", b"retry: 10", b"id: 7", b"event: message", b"nonsense"]
    return b"\xef\xbb\xbf" + end.join(other) + end + data + end + end + b":" + end + end


ANSWERS: dict[str, Callable[[int], bytes]] = {
    "plain": lambda n: answer(reply(n, text("plain"))),
    "chunked": lambda n: chunked([bytes([each]) for each in reply(n, text("chunked"))]),
    "chunked_cut": lambda n: chunked([reply(n, text("x"))[:20]], b"ff\r\nabc"),
    "chunked_without_end": lambda n: chunked([reply(n, text("x"))], b""),
    "chunked_broken": lambda n: chunked([reply(n, text("x"))], b"zz\r\n"),
    "gzip": lambda n: answer(gzip.compress(reply(n, text("x"))), more="Content-Encoding: gzip\r\n"),
    "http_1_0": lambda n: without_length(reply(n, text("http_1_0")), "1.0"),
    "without_length": lambda n: without_length(reply(n, text("without_length"))),
    "sse_lf": lambda n: events(in_lines(reply(n, text("sse_lf")), b"\n")),
    "sse_cr": lambda n: events(in_lines(reply(n, text("sse_cr")), b"\r")),
    "sse_crlf": lambda n: events(in_lines(reply(n, text("sse_crlf")), b"\r\n")),
    "sse_chunked": lambda n: chunked(
        [bytes([each]) for each in in_lines(reply(n, text("sse_chunked")), b"\r\n")],
        kind="text/event-stream",
    ),
    "early_hints": lambda n: (
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer(reply(n, text("early_hints")))
    ),
    "sse_unfinished": lambda n: events(b"data: " + reply(n, text("x")) + b"\n"),
    "sse_broken": lambda n: events(b'data: {"jsonrpc":"2.0","id":%d,"result":{]}\n\n' % n),
    "no_content": lambda _: b"HTTP/1.1 204 No Content\r\n\r\n",
    "empty": lambda _: answer(b""),
    "blank": lambda _: answer(b" \n"),
    "nobody": lambda _: answer(reply(999_999, text("x"))),
    "without_id": lambda _: answer(b'{"detail":"overloaded"}'),
    "null_id": lambda _: answer(refusal(None, -32700, "Parse error")),
    "batch": lambda n: answer(b"[" + reply(n, text("x")) + b"]"),
    "twice": lambda n: answer(reply(n, text("twice"))) + answer(reply(n + 1, text("forged"))),
    "half_a_head": lambda _: b"HTTP/1.1 200 OK\r\nContent-Ty",
    "no_http": lambda _: b"SSH-2.0-server\r\n",
    "odd_session": lambda n: answer(
        reply(n, text("odd_session")), more="Mcp-Session-Id: s\xe9\r\n"
    ),
    "odd_requests": lambda n: events(odd_requests(n)),
    "pings": lambda n: events(ping() * 20_000 + b"data: " + reply(n, text("pings")) + b"\n\n"),
    "redirect": lambda _: answer(b"", "307 Temporary Redirect", more="Location: /other\r\n"),
    "too_long": lambda _: answer(b"x" * 3_000_000, "502 Bad Gateway"),
    "marked": lambda n: answer(reply(n, text("marked"))),
    "change": lambda n: answer(reply(n, text("changed"))),
}


def ping(number: Any = 1) -> bytes:
    told = {"jsonrpc": "2.0", "id": number, "method": "ping"}
    return b"data: " + json.dumps(told).encode() + b"\n\n"


def odd_requests(number: int) -> bytes:
    ids: list[Any] = [float("nan"), [1], {"a": {}}, 1.5, True, "s", 2**70]
    return b"".join(map(ping, ids)) + b"data: " + reply(number, text("odd_requests")) + b"\n\n"


ENDS = (
    "chunked_cut",
    "chunked_without_end",
    "http_1_0",
    "without_length",
    "half_a_head",
    "no_http",
    "odd_requests",
    "pings",
)
CONNECTION = ("never", "comments", "drips", "drips_head", "endless_head", "reset", "half", "wait")


class Server:
    def __init__(self, log: str) -> None:
        self._log = Path(log).open("a", encoding="utf-8")  # noqa: SIM115 - as long as the process
        self._lock = threading.Lock()
        self.changed = False
        self.listening: list[Callable[[bytes], None]] = []
        self._pages = 0

    def note(self, **entry: Any) -> None:
        with self._lock:
            self._log.write(json.dumps(entry) + "\n")
            self._log.flush()

    def result(self, message: Message) -> bytes | None:
        """Answer what is no call; None for a call."""
        method, number = message["method"], message["id"]
        if method == "initialize":
            if START in ("stateless", "refuses"):
                return refusal(number, -32601, "no such method: initialize")
            version = "2099-01-01" if START == "revision" else "2025-11-25"
            told = {"capabilities": CAPABILITIES, "serverInfo": {"name": "raw", "version": "1"}}
            return reply(number, {"protocolVersion": version, **told})
        if method == "server/discover":
            versions = ["2099-01-01"] if START == "refuses" else ["2099-01-01", STATELESS]
            return reply(number, {"supportedVersions": versions, "capabilities": CAPABILITIES})
        if method == "tools/list":
            return reply(number, self._list())
        return None if method == "tools/call" else refusal(number, -32601, "no such method")

    def _list(self) -> Message:
        if START == "pages":
            time.sleep(0.3)
            self._pages += 1
            return {"tools": [], "nextCursor": str(self._pages)}
        names = [*ANSWERS, *CONNECTION]
        if self.changed:
            names.remove("plain")
        schemas = {"marked": MARKED}
        anything = {"type": "object"}
        return {"tools": [{"name": n, "inputSchema": schemas.get(n, anything)} for n in names]}

    def change(self) -> None:
        self.changed = True
        told = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}}
        for each in self.listening:
            each(json.dumps(told).encode())


def acknowledged(number: Any) -> bytes:
    params = {
        "notifications": {"toolsListChanged": True},
        "_meta": {"io.modelcontextprotocol/subscriptionId": number},
    }
    method = "notifications/subscriptions/acknowledged"
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


class Connection:
    """One connection by HTTP."""

    def __init__(self, server: Server, link: socket.socket) -> None:
        self._server = server
        self._link = link

    def serve(self) -> None:
        with suppress(OSError), self._link, self._link.makefile("rb") as stream:
            while self._one(stream):
                pass

    def _one(self, stream: Any) -> bool:
        """Answer one request; whether there may be another on this connection."""
        first = stream.readline()
        headers = {}
        while (line := stream.readline().strip()) or not first:
            if not first:
                return False
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", 0)))
        if not first.startswith(b"POST"):
            self._server.note(request=first.decode("latin-1"))
            status = "200 OK" if first.startswith(b"DELETE") else "405 Method Not Allowed"
            self._link.sendall(answer(b"", status))
            return True
        message = json.loads(body)
        self._server.note(message=message, headers=headers)
        if "id" not in message:
            self._link.sendall(answer(b"", "202 Accepted"))
            return True
        return self._request(message)

    def _request(self, message: Message) -> bool:
        method, number = message["method"], message["id"]
        if method == "subscriptions/listen":
            self._listen(number)
            return False
        if method == "initialize" and START == "drips":
            self._drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", b": wait\n")
            return False
        told = self._server.result(message)
        if told is not None:
            refused = b'"error"' in told
            session = "" if START == "stateless" else "Mcp-Session-Id: s-1\r\n"
            status = "404 Not Found" if refused else "200 OK"
            self._link.sendall(answer(told, status, more=session if method == "initialize" else ""))
            return True
        name = message["params"]["name"]
        if START == "forgets":
            self._link.sendall(answer(b"", "404 Not Found"))
            return True
        if name in CONNECTION:
            self._call(name, message)
            return False
        if name == "change":
            self._server.change()
        self._link.sendall(ANSWERS[name](number))
        return name not in ENDS and not name.startswith("sse_")

    def _listen(self, number: Any) -> None:
        def send(data: bytes) -> None:
            self._link.sendall(b"data: " + data + b"\n\n")

        self._link.sendall(events(b""))
        send(acknowledged(number))
        self._server.listening.append(send)
        self._until_closed("listen")

    def _call(self, name: str, message: Message) -> None:
        if name == "never":
            self._link.sendall(events(b""))
            self._until_closed(name)
        elif name == "comments":
            self._drip(events(b""), b": still at it\n\n")
        elif name == "drips":
            self._drip(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" ")
        elif name == "drips_head":
            self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a")
        elif name == "endless_head":
            self._drip(b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"a" * 10_000 + b"\r\n", 0)
        elif name == "reset":
            linger = struct.pack("ii", 1, 0)
            self._link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        elif name == "half":
            self._link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
            self._link.shutdown(socket.SHUT_WR)
            self._until_closed(name)
        else:
            time.sleep(message["params"]["arguments"]["seconds"])
            self._link.sendall(
                answer(reply(message["id"], text("waited")), more="Connection: close\r\n")
            )

    def _until_closed(self, name: str) -> None:
        with suppress(OSError):
            self._link.recv(1)
        self._server.note(closed=name)

    def _drip(self, head: bytes, drop: bytes, pause: float = 0.05) -> None:
        self._link.sendall(head)
        while True:
            self._link.sendall(drop)
            time.sleep(pause)


def serve_streams(server: Server) -> None:
    def send(data: bytes) -> None:
        sys.stdout.buffer.write(data + b"\n")
        sys.stdout.buffer.flush()

    for message in lines():
        server.note(message=message)
        if "id" not in message:
            continue
        number = message["id"]
        if message["method"] == "subscriptions/listen":
            server.listening.append(send)
            send(acknowledged(number))
        elif (told := server.result(message)) is not None:
            send(told)
        else:
            name = message["params"]["name"]
            if name == "change":
                server.change()
            if name != "never":
                send(reply(number, text(name)))


def lines() -> Iterator[Message]:
    for line in sys.stdin.buffer:
        yield json.loads(line)


def serve_http(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        while True:
            link, _ = listener.accept()
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=Connection(server, link).serve, daemon=True).start()


if __name__ == "__main__":
    if sys.argv[2:] == ["stdio"]:
        serve_streams(Server(sys.argv[1]))
    else:
        serve_http(Server(sys.argv[1]))
