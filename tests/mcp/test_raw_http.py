# SPDX-License-Identifier: Apache-2.0
"""What servers do by HTTP that a framework would not let them do, byte by byte."""

from __future__ import annotations

import base64
import gzip
import json
import os
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from isonomy.contract.misuse import Misuse
from isonomy.mcp import mcp_server
from isonomy.mcp.sockets import Sockets
from isonomy.runtime.executor import ToolExecutor
from tests.mcp.test_calls import failed
from tests.mcp.test_sessions import UNREADABLE

Answer = Callable[[socket.socket, bytes], None]
BROKE = ("connection_lost", 'the connection to the MCP server "raw" broke', "possible", None)
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class Raw:
    """A server that answers a call with what it is given; the rest as it should."""

    def __init__(self) -> None:
        self.answer: Answer = sends()
        self.requests: list[tuple[bytes, dict[str, str], dict[str, Any]]] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                out, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(out,), daemon=True).start()

    def _serve(self, out: socket.socket) -> None:
        with suppress(OSError, ValueError), out, out.makefile("rb") as lines:
            while (line := lines.readline()) != b"":
                pairs = (each.decode().partition(":") for each in iter(lines.readline, b"\r\n"))
                headers = {name.lower(): value.strip() for name, _, value in pairs}
                body = lines.read(int(headers.get("content-length", 0)))
                message = json.loads(body) if body else {}
                self.requests.append((line, headers, message))
                if not self._take(out, message):
                    return

    def _take(self, out: socket.socket, message: dict[str, Any]) -> bool:
        result: dict[str, Any] = {"content": [{"type": "text", "text": "done"}]}
        method = message.get("method")
        if method == "tools/call" and message["params"]["name"] == "raw":
            self.answer(out, reply(message["id"], result))
            return False
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {}, "serverInfo": {}}
        elif method == "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {}} for name in ("raw", "text")]}
        elif "id" not in message:
            out.sendall(b"HTTP/1.1 405 None\r\nContent-Length: 0\r\n\r\n")
            return True
        data = reply(message["id"], result)
        out.sendall(JSON + b"Content-Length: %d\r\n\r\n" % len(data) + data)
        return True

    def close(self) -> None:
        self._listener.close()


def reply(number: int, result: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


@pytest.fixture
def raw() -> Iterator[Raw]:
    server = Raw()
    yield server
    server.close()


def called(raw: Raw, answer: Answer, deadline: float = 10) -> Any:
    """Call the tool that is answered so; afterwards the server is of use as before."""
    raw.answer = answer
    with (
        mcp_server(url=f"http://{raw.address}/mcp", name="raw") as tools,
        ToolExecutor(tools) as executor,
    ):
        response = executor.call("raw", {}, deadline=deadline)
        assert executor.call("text", {}, deadline=10).unwrap() == "done"
        names = [
            message["params"]["name"]
            for _, _, message in raw.requests
            if message.get("method") == "tools/call"
        ]
        assert names == ["raw", "text"]
        return response


def sends(*parts: bytes | Callable[[bytes], bytes]) -> Answer:
    """Send each part on its own; what can be called makes one of the reply."""

    def answer(out: socket.socket, reply: bytes) -> None:
        for part in parts:
            out.sendall(part(reply) if callable(part) else part)
            time.sleep(0.01)

    return answer


def whole(reply: bytes) -> bytes:
    return reply


def chunk(reply: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(reply), reply)


CHUNKED = JSON + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
WELL = {
    "http-1.0-without-a-length": sends(b"HTTP/1.0 200 OK\r\n\r\n", whole),
    "until-the-end": sends(JSON + b"Connection: close\r\n\r\n", whole),
    "chunks": sends(CHUNKED, chunk, b"0\r\n\r\n"),
    "chunks-of-a-byte": sends(
        CHUNKED, lambda reply: b"".join(b"1;x=y\r\n%c\r\n" % each for each in reply), b"0\r\n\r\n"
    ),
    "trailers": sends(CHUNKED, chunk, b"0\r\nX-A: b\r\nX-B: c\r\n\r\n"),
    "a-length-beside-chunks": sends(
        JSON + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", chunk, b"0\r\n\r\n"
    ),
    "continue": sends(b"HTTP/1.1 100 Continue\r\n\r\n", CHUNKED, chunk, b"0\r\n\r\n"),
    "early-hints": sends(
        b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + CHUNKED,
        chunk,
        b"0\r\n\r\n",
    ),
    "status-201": sends(b"HTTP/1.1 201 Created\r\n\r\n", whole),
    "a-head-byte-by-byte": sends(*(bytes([each]) for each in CHUNKED), chunk, b"0\r\n\r\n"),
    "more-than-was-asked-for": sends(
        JSON, lambda reply: b"Content-Length: %d\r\n\r\n%b" % (len(reply), reply), JSON
    ),
    "lines-of-lf": sends(JSON.replace(b"\r", b"") + b"\n", whole),
    "sse": sends(EVENTS, lambda reply: b"data: %b\n\n" % reply),
    "sse-everything": sends(
        EVENTS,
        lambda reply: (
            b"\xef\xbb\xbf: hello\r\nretry: 5\r\nid: 1\r\nevent: message\r\nnonsense\r\n"
            b"data:%b\r\n\r\n" % reply
        ),
    ),
    "sse-cr": sends(EVENTS, lambda reply: b": a\rid: 1\rdata: %b\r\r" % reply),
    "sse-crlf-cut-in-two": sends(
        EVENTS,
        b"data: {\r",
        lambda reply: b"\ndata: %b\r" % reply[1:],
        b"\n\r",
        b"\n",
    ),
    "sse-lines-of-data": sends(
        EVENTS, lambda reply: b"data: %b\n\n" % reply.replace(b", ", b",\ndata: ")
    ),
    "sse-empty-events": sends(EVENTS, lambda reply: b"data\n\ndata:\n\n\n\ndata: %b\n\n" % reply),
    "sse-strays": sends(
        EVENTS, lambda reply: b'data: x\n\ndata: [1]\n\ndata: {"a":1}\n\ndata: %b\n\n' % reply
    ),
    "sse-in-chunks": sends(
        EVENTS.replace(b"Connection: close", b"Transfer-Encoding: chunked"),
        lambda reply: b"".join(map(chunk, (b"da", b"ta: ", reply[:9], reply[9:], b"\n", b"\n"))),
    ),
}


@pytest.mark.parametrize("answer", WELL.values(), ids=WELL)
def test_what_is_a_reply(raw: Raw, answer: Answer) -> None:
    assert called(raw, answer).unwrap() == "done"


BROKEN = {
    "nothing": sends(),
    "no-http": sends(b"SSH-2.0-OpenSSH\r\n"),
    "half-a-head": sends(JSON),
    "a-line-without-an-end": sends(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000),
    "many-headers": sends(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000 + b"\r\n"),
    "half-a-body": sends(JSON + b"Content-Length: 5000\r\n\r\n", whole),
    "chunks-cut-short": sends(CHUNKED, lambda reply: chunk(reply)[:-9]),
    "chunks-without-an-end": sends(CHUNKED, chunk),
    "a-chunk-that-has-no-size": sends(CHUNKED, b"zz\r\n", whole),
    "no-content": sends(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "sse-without-the-blank-line": sends(EVENTS, lambda reply: b"data: %b\n" % reply),
    "sse-nothing-but-comments": sends(EVENTS, b": a\n\n: b\n\n"),
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
def test_what_breaks(raw: Raw, answer: Answer) -> None:
    assert failed(called(raw, answer)) == BROKE


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
def test_redirects_are_not_followed(raw: Raw, status: int) -> None:
    target = b"HTTP/1.1 %d There\r\nLocation: http://%b/mcp\r\n" % (status, raw.address.encode())
    response = called(raw, sends(target + b"Connection: close\r\nContent-Length: 0\r\n\r\n"))
    said = f'the MCP server "raw" answered with status {status}'
    assert failed(response) == ("connection_lost", said, "possible", {"status": status})


def test_what_was_not_asked_for_compressed(raw: Raw) -> None:
    def packed(reply: bytes) -> bytes:
        data = gzip.compress(reply)
        return b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)

    assert failed(called(raw, sends(JSON, packed))) == ("protocol", UNREADABLE, "possible", None)


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        (CHUNKED, b"1\r\n \r\n"),
        (EVENTS, b": still there\n\n"),
        (EVENTS, b'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'),
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    ],
)
def test_what_drips_ends_with_the_deadline(raw: Raw, head: bytes, drop: bytes) -> None:
    def answer(out: socket.socket, _: bytes) -> None:
        out.sendall(head)
        while True:
            out.sendall(drop)
            time.sleep(0.02)

    began = time.monotonic()
    assert failed(called(raw, answer, deadline=0.4))[0] == "timeout"
    assert time.monotonic() - began < 5


def test_what_drips_behind_the_reply_prolongs_nothing(raw: Raw) -> None:
    def answer(out: socket.socket, reply: bytes) -> None:
        out.sendall(EVENTS.replace(b"Connection: close", b"Transfer-Encoding: chunked"))
        out.sendall(chunk(b"data: %b\n\n" % reply))
        while True:
            out.sendall(chunk(b":"))
            time.sleep(0.02)

    began = time.monotonic()
    assert called(raw, answer).unwrap() == "done"
    assert time.monotonic() - began < 5


def test_a_status_that_comes_before_the_request_is_read() -> None:
    """The body is larger than what sockets hold, and nobody reads it."""

    other = socket.create_server(("127.0.0.1", 0))

    def refuse() -> None:
        out, _ = other.accept()
        with out:
            out.recv(1_000)
            out.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            out.shutdown(socket.SHUT_WR)
            time.sleep(0.2)

    threading.Thread(target=refuse, daemon=True).start()
    sockets = Sockets(f"http://127.0.0.1:{other.getsockname()[1]}/")
    with other, sockets.use(timeout=5) as use:
        assert use.send("POST", b"x" * 50_000_000, {}).status == 413


def test_a_proxy_of_the_environment(raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://us%20er:pass@{raw.address}")
    monkeypatch.setenv("no_proxy", "")
    with (
        mcp_server(url="http://somewhere.invalid:8080/mcp?a=b#c", name="raw") as tools,
        ToolExecutor(tools) as executor,
    ):
        assert executor.call("text").unwrap() == "done"
    for line, headers, message in raw.requests:
        assert line.split()[1] == b"http://somewhere.invalid:8080/mcp?a=b", message
        assert headers["host"] == "somewhere.invalid:8080"
        assert headers["proxy-authorization"] == f"Basic {base64.b64encode(b'us er:pass').decode()}"


def test_an_address_that_the_environment_excepts(raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert called(raw, WELL["chunks"]).unwrap() == "done"


def test_headers_of_the_host_replace_none_of_ours(raw: Raw) -> None:
    headers = {"accept": "x/y", "CONTENT-TYPE": "x/y", "Authorization": "Bearer t"}
    with mcp_server(url=f"http://{raw.address}/", name="raw", headers=headers):
        pass
    for _, sent, _ in raw.requests:
        assert sent["accept"] == "application/json, text/event-stream"
        assert sent["content-type"] == "application/json"
        assert sent["authorization"] == "Bearer t"


@pytest.mark.parametrize(
    "given",
    [
        {"url": "http://h/a b"},
        {"url": "http://h/é"},
        {"url": "http://h:99999/"},
        {"url": "http://h:x/"},
        {"url": "ftp://h/"},
        {"url": "http:///a"},
        {"url": "http://h/", "headers": {"A": "secret\r\nB: c"}},
        {"url": "http://h/", "headers": {"A": "secret€"}},
        {"url": "http://h/", "headers": {"A b": "secret"}},
    ],
)
def test_what_cannot_be_sent_is_misuse(given: dict[str, Any]) -> None:
    with pytest.raises(Misuse) as misuse:
        mcp_server(**given, tools=["a"])
    assert "secret" not in str(misuse.value)


def test_many_descriptors(raw: Raw) -> None:
    """A process may have more than `select` takes."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    held: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, limits[1]), limits[1]))
    try:
        while not held or held[-1] < 1_100:
            held.append(os.open(os.devnull, os.O_RDONLY))
        with (
            mcp_server(url=f"http://{raw.address}/mcp", name="raw") as tools,
            ToolExecutor(tools) as executor,
        ):
            assert [executor.call("text", {}).unwrap() for _ in range(3)] == ["done"] * 3
    finally:
        for each in held:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_who_gives_up_late_breaks_nothing(raw: Raw) -> None:
    """The connection of a request that is over may be that of another one by now."""
    sockets = Sockets(f"http://{raw.address}/mcp")
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    with sockets.use(10) as first:
        first.send("POST", ping, {})
        first.done = first.read_whole()
    with sockets.use(10) as second:
        assert second.connection is first.connection
        first.cut()
        assert second.send("POST", ping, {}).status == 200
    sockets.close()
