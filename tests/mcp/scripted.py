#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted MCP server that does what real ones do wrong; it needs the standard library only.

    scripted.py LOG              over its standard streams
    scripted.py LOG http         over streamable HTTP; the first line that it prints is its port

What a call of a tool does is in the tool's name: see `TOOLS` and `HTTP_ONLY`. Every message that
comes is added to the file LOG as one line of JSON, so that a test can tell what was sent, and how
often; HTTP requests with their headers. The environment says what goes wrong before calls:
`SCRIPTED_LIST`: `many` (more tools than a client takes), `loop` (pages without an end), `pages`
(two pages), `odd` (tools without a name, a name twice, schemas that are none); `SCRIPTED_START`:
`silent` (no answer to `initialize`), `garbage` (lines that are no messages before it), `revision`
(one that nobody knows), `exit`, `deaf` (it neither ends with its input nor at SIGTERM), `drip` (an
answer to `initialize` that never comes to its end), `stateless` (it speaks 2026-07-28 alone),
`newer` (it refuses `initialize` and speaks a revision that nobody knows), `refuses` (it does that
with all requests).
`SCRIPTED_LIST` may also be `endless` (new pages for ever, each after a moment).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Send = Callable[[Any], None]
Message = dict[str, Any]


def text(of: str) -> Message:
    return {"content": [{"type": "text", "text": of}]}


class Script:
    """What the server does, whatever carries the messages."""

    def __init__(self, log: str) -> None:
        self._log = Path(log).open("a", encoding="utf-8")  # noqa: SIM115 - as long as the process
        self._lock = threading.Lock()
        self._held: list[tuple[int, Any]] = []
        self._gone = False
        self._listening: list[tuple[Any, Send]] = []
        self.stateless = os.environ.get("SCRIPTED_START") in ("stateless", "newer", "refuses")
        self.changed = False

    def note(self, **entry: Any) -> None:
        with self._lock:
            self._log.write(json.dumps(entry) + "\n")
            self._log.flush()

    def take(self, message: Message, send: Send) -> None:
        """Answer a message; `send` takes objects, or bytes that are sent as they are."""
        method, number = message.get("method"), message.get("id")
        params = message.get("params") or {}
        if number is None or method is None:
            return
        if self.stateless:
            self._statelessly(str(method), params, number, send)
        elif method == "initialize":
            self._start(params, number, send)
        elif method == "tools/list":
            send(reply(number, self._list(params)))
        elif method == "tools/call":
            self._call(params, number, send)
        else:
            send(failure(number, -32601, "no such method"))

    def _statelessly(self, method: str, params: Message, number: Any, send: Send) -> None:
        """Answer by 2026-07-28."""
        how = os.environ.get("SCRIPTED_START")
        meta = params.get("_meta") or {}
        missing = [each for each in STATELESS if f"io.modelcontextprotocol/{each}" not in meta]
        if method == "initialize":
            send(failure(number, -32601, "initialize is not known here"))
        elif how == "refuses":
            send(failure(number, -32601, "nor is anything else"))
        elif missing:
            send(failure(number, -32602, f"_meta has no {missing[0]}"))
        elif method == "server/discover":
            versions = ["2099-01-01"] if how == "newer" else ["2026-07-28", "2099-01-01"]
            send(complete(number, {"supportedVersions": versions, "capabilities": {"tools": {}}}))
        elif method == "subscriptions/listen":
            asked = params["notifications"]
            self.tell("subscriptions/acknowledged", number, send, notifications=asked)
            self._listening.append((number, send))
        elif method == "tools/list":
            send(complete(number, self._list(params)))
        elif method == "tools/call" and params["name"] == "change":
            self._gone = self.changed = True
            for each, to in self._listening:
                self.tell("tools/list_changed", each, to)
            send(complete(number, text("changed")))
        elif method == "tools/call":
            self._call(params, number, lambda each: send(completed(each)))
        else:
            send(failure(number, -32601, "no such method"))

    def tell(self, what: str, subscription: Any, send: Send, **params: Any) -> None:
        meta = {"io.modelcontextprotocol/subscriptionId": subscription}
        told = {"method": f"notifications/{what}", "params": {**params, "_meta": meta}}
        with contextlib.suppress(OSError, ValueError):
            send({"jsonrpc": "2.0", **told})

    def end_telling(self, by_a_reply: bool) -> None:
        """End the subscriptions; a reply says that this is the end of it."""
        ended, self._listening = self._listening, []
        for number, send in ended if by_a_reply else ():
            send(complete(number, {}))

    def _start(self, params: Message, number: int, send: Send) -> None:
        how = os.environ.get("SCRIPTED_START")
        if how == "exit":
            os._exit(4)
        if how == "silent":
            return
        if how == "drip":
            threading.Thread(target=drip, args=(number, 60, send), daemon=True).start()
            return
        if how == "garbage":
            send(b"\xef\xbb\xbfstarting up\n\n{not json\n[1,2]\n{}\n\xff\xfe\n")
        send(
            reply(
                number,
                {
                    "protocolVersion": "1999-01-01"
                    if how == "revision"
                    else params["protocolVersion"],
                    "capabilities": {"tools": {"listChanged": True}, "logging": {}},
                    "serverInfo": {"name": "scripted", "version": "1"},
                },
            )
        )

    def _list(self, params: Message) -> Message:
        how = os.environ.get("SCRIPTED_LIST")
        if how == "many":
            return {"tools": [{"name": f"t{n}", "inputSchema": {}} for n in range(100_000)]}
        if how == "loop":
            return {"tools": [TOOLS["echo"]], "nextCursor": "again"}
        if how == "endless":
            time.sleep(0.2)
            return {"tools": [], "nextCursor": str(random.random())}
        if how == "pages" and "cursor" not in params:
            return {"tools": [TOOLS["echo"]], "nextCursor": "2"}
        if how == "pages":
            return {"tools": [TOOLS["is_error"]]}
        if how == "odd":
            cyclic = {"type": "object", "$ref": "#"}
            odd = [{"name": ""}, {"inputSchema": {}}, "x", TOOLS["echo"], {"name": "echo"}]
            return {"tools": [*odd, {"name": "cyclic", "inputSchema": cyclic}, {"name": "open"}]}
        tools = dict(TOOLS)
        if self._gone:
            del tools["vanishes"]
        if self.changed:
            tools["echo"] = {**tools["echo"], "inputSchema": {"type": "object", "maxProperties": 0}}
        return {"tools": list(tools.values())}

    def _call(self, params: Message, number: int, send: Send) -> None:
        name, given = params["name"], params.get("arguments") or {}
        if name == "slow":
            threading.Thread(target=self._slowly, args=(given, number, send), daemon=True).start()
        elif name == "together":
            self._together(given, number, send)
        else:
            self._at_once(name, given, number, params, send)

    def _slowly(self, given: Message, number: int, send: Send) -> None:
        time.sleep(given.get("seconds", 1))
        send(reply(number, text("late")))

    def _together(self, given: Message, number: int, send: Send) -> None:
        """Answer once so many calls have come, in any order, some twice, some to nobody."""
        with self._lock:
            self._held.append((number, given["i"]))
            if len(self._held) < given["of"]:
                return
            held, self._held = self._held, []
        random.Random(7).shuffle(held)
        for at, (each, i) in enumerate(held):
            send(reply(each, text(str(i))))
            if at % 10 == 0:
                send(reply(each, text("twice")))
                send(reply(1_000_000 + at, text("nobody's")))

    def _at_once(self, name: str, given: Message, number: int, params: Message, send: Send) -> None:
        if name in REPLIES:
            send(reply(number, REPLIES[name]))
        elif name == "echo":
            send(reply(number, {**text(json.dumps(given)), "structuredContent": given}))
        elif name == "rpc_error":
            send(failure(number, -32602, "bad id", {"field": "id"}))
        elif name == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif name == "exit":
            os._exit(3)
        elif name == "close_output":
            os.close(1)
        elif name == "orphan":
            if os.fork() == 0:
                time.sleep(30)  # with the pipes open
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        elif name == "garbage":
            send(b'\xef\xbb\xbf\n\nlog line\n[1]\n\xff\xfe\n{"a":\n')
            send(reply(number, text("after garbage")))
        elif name == "broken_reply":
            send(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[}}\n' % number)
        elif name == "not_numbers":
            send(
                b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":'
                b'{"a":NaN,"b":12345678901234567890,"c":-Infinity}}}\n' % number
            )
        elif name == "raw":
            of = given["reply"].replace('"id":7', f'"id":{json.dumps(number)}', 1)
            send(of.encode("utf-8", "surrogatepass") + b"\n")
        elif name == "trickle":
            seconds = given.get("seconds", 20)
            threading.Thread(target=drip, args=(number, seconds, send), daemon=True).start()
        elif name == "text_id":
            send({**reply(0, text("ok")), "id": str(number)})
        elif name == "size":
            send(reply(number, text("x" * given["bytes"])))
        elif name == "size_id_last":
            whole = text("x" * given["bytes"])
            send({"jsonrpc": "2.0", "result": whole, "id": number})
        elif name == "asks":
            send({"jsonrpc": "2.0", "id": "s-1", "method": "ping"})
            send({"jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": {}})
            send(reply(number, text("asked")))
        elif name == "progress":
            self._progress(number, params, send)
        elif name == "change":
            self._gone = self.changed = True
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            send(reply(number, text("changed")))
        elif name == "unlisted":
            send(failure(number, -32602, "Unknown tool: unlisted"))
        elif name != "never":
            send(reply(number, text(name)))

    def _progress(self, number: int, params: Message, send: Send) -> None:
        token = (params.get("_meta") or {}).get("progressToken")
        for done in (1, 2, 3):
            told = {"progressToken": token, "progress": done, "total": 3, "message": f"step {done}"}
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})
        log = {"level": "warning", "logger": "l", "data": {"disk": "full"}}
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": log})
        send(reply(number, text("done")))


def drip(number: Any, seconds: float, send: Send) -> None:
    """Send a reply of which a byte comes now and then."""

    def parts() -> Iterator[bytes]:
        yield b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % number
        for _ in range(int(seconds * 20)):
            time.sleep(0.05)
            yield b"x"
        yield b'"}]}}\n'

    send(parts())


def complete(number: Any, result: Message) -> Message:
    return reply(number, {"resultType": "complete", **result})


def completed(message: Any) -> Any:
    """Give a reply as 2026-07-28 has it."""
    if isinstance(message, dict) and isinstance(message.get("result"), dict):
        return complete(message["id"], message["result"])
    return message


def reply(number: Any, result: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def failure(number: Any, code: int, message: str, data: Any = None) -> Message:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": number, "error": error}


REPLIES: dict[str, Any] = {
    "is_error": {**text("boom"), "isError": True, "structuredContent": {"code": "RATE"}},
    "text": text("hello"),
    "not_an_object": [1, 2],
    "input_required": {"resultType": "input_required", "inputRequests": {"a": {}}},
}
HTTP_ONLY = (
    *("status_401", "status_403", "status_404", "status_500", "status_302", "accepted"),
    *("json_error_400", "html", "cut", "sse", "sse_end", "sse_cut", "expired", "drip"),
    *("empty", "forgotten", "json_error_404", "telling_breaks", "telling_ends"),
)
STATELESS = ("protocolVersion", "clientInfo", "clientCapabilities")
MARKED: Message = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {
            "type": "object",
            "properties": {"n": {"type": "integer", "x-mcp-header": "N"}},
        },
        "bad": {"type": "number", "x-mcp-header": "Bad"},
    },
}
TOOLS: dict[str, Message] = {
    name: {"name": name, "description": name, "inputSchema": {"type": "object"}}
    for name in (
        *REPLIES,
        *("echo", "rpc_error", "die", "exit", "close_output", "orphan", "garbage", "broken_reply"),
        *("not_numbers", "text_id", "size", "size_id_last", "asks", "progress", "change"),
        *("vanishes", "unlisted", "never", "slow", "together", "raw", "trickle"),
        *HTTP_ONLY,
    )
}
TOOLS["marked"] = {"name": "marked", "inputSchema": MARKED}


def parts_of(message: Any, end: bytes = b"") -> Iterable[bytes]:
    """Give what is sent for a message: an object, bytes, or what gives bytes."""
    if isinstance(message, dict):
        return [json.dumps(message).encode() + end]
    return [message] if isinstance(message, bytes) else message


def serve_streams(script: Script) -> None:
    lock, out = threading.Lock(), sys.stdout.buffer

    def send(message: Any) -> None:
        with lock:
            for part in parts_of(message, b"\n"):
                out.write(part)
                out.flush()

    script.note(pid=os.getpid())
    for line in sys.stdin.buffer:
        message = json.loads(line)
        script.note(message=message)
        script.take(message, send)
    while os.environ.get("SCRIPTED_START") == "deaf":
        time.sleep(1)


def serve_http(script: Script) -> None:
    sessions: set[str] = set()
    listening: list[Any] = []
    broken: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.answer(405, b"")

        def do_DELETE(self) -> None:
            script.note(deleted=self.headers.get("Mcp-Session-Id"))
            sessions.discard(str(self.headers.get("Mcp-Session-Id")))
            self.answer(200, b"")

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {key.lower(): value for key, value in self.headers.items()}
            script.note(message=message, headers=headers)
            name = (message.get("params") or {}).get("name")
            session = headers.get("mcp-session-id")
            if script.stateless:
                session = None
                if (wrong := mismatch(message, headers)) is not None:
                    self.answer(400, json.dumps(failure(message["id"], -32020, wrong)).encode())
                    return
            elif message.get("method") == "initialize":
                session = f"s{random.randrange(10**9)}"
                sessions.add(session)
            elif session not in sessions:
                self.answer(404, b"no such session", kind="text/plain")
                return
            if message.get("id") is None or "method" not in message:
                self.answer(202, b"")
            elif message["method"] == "tools/call" and name in HTTP_ONLY:
                self.misbehave(str(name), message, str(session), sessions)
            elif message["method"] == "subscriptions/listen":
                listening.append(self)
                self.stream(message)
            elif message["method"] == "tools/call" and name in ("progress", "slow", "never"):
                self.stream(message)
            else:
                self.plainly(message, session)

        def plainly(self, message: Message, session: str | None) -> None:
            sent: list[Any] = []
            done = threading.Event()

            def send(each: Any) -> None:
                sent.append(each)
                done.set()

            script.take(message, send)
            done.wait()
            last = sent[-1]
            if isinstance(last, dict | bytes):
                self.answer(200, b"".join(parts_of(last)), session=session)
                return
            self.head(200, "application/json", 1_000_000, session)
            for part in last:
                self.wfile.write(part)
                self.wfile.flush()

        def stream(self, message: Message, also: bytes = b"") -> None:
            """Answer with server-sent events, the last of which is the reply."""
            self.head(200, "text/event-stream")
            self.wfile.write(b": a comment\r\n\r\nid: 1\r\ndata:\r\n\r\n" + also)
            done = threading.Event()

            def send(each: Any) -> None:
                self.wfile.write(b"event: message\ndata: " + json.dumps(each).encode() + b"\n\n")
                self.wfile.flush()
                if each.get("id") == message["id"]:
                    done.set()

            script.take(message, send)
            while not done.wait(0.05) and self not in broken:
                if select.select([self.connection], [], [], 0)[0]:
                    script.note(closed=message)
                    break
            self.close_connection = True

        def misbehave(self, name: str, message: Message, session: str, known: set[str]) -> None:
            if name.startswith("status_"):
                self.answer(int(name[7:]), b"upstream says no", kind="text/plain")
            elif name == "accepted":
                self.answer(202, b"")
            elif name == "empty":
                self.answer(200, b"")
            elif name == "forgotten" and not script.changed:
                script.changed = True
                known.clear()
                self.answer(400, json.dumps(failure(None, -32000, "no valid session")).encode())
            elif name == "json_error_404":
                self.answer(404, json.dumps(failure(message["id"], -32601, "gone")).encode())
            elif name in ("telling_breaks", "telling_ends"):
                script.end_telling(name == "telling_ends")
                broken.extend(listening)
                self.plainly(message, None)
            elif name == "json_error_400":
                body = json.dumps(failure(message["id"], -32602, "bad id", {"a": 1})).encode()
                self.answer(400, body)
            elif name == "html":
                self.answer(200, b"<html>", kind="text/html")
            elif name == "cut":
                self.head(200, "application/json", 1_000)
                self.wfile.write(b'{"jsonrpc"')
                self.close_connection = True
            elif name == "sse":
                self.stream(message, b'data: {"jsonrpc":"2.0","id":99999,"result":{}}\n\n')
            elif name == "sse_end":
                self.head(200, "text/event-stream")
                self.close_connection = True
            elif name == "sse_cut":
                self.head(200, "text/event-stream", 1_000)
                self.wfile.write(b"data: {")
                self.close_connection = True
            elif name == "expired" and session in known and not script.changed:
                script.changed = True
                known.clear()
                self.answer(404, b"gone", kind="text/plain")
            elif name == "drip":
                self.head(200, "application/json", 1_000)
                for _ in range(100):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.1)
            else:
                self.plainly(message, session)

        def answer(
            self,
            status: int,
            body: bytes,
            kind: str = "application/json",
            session: str | None = None,
        ) -> None:
            self.head(status, kind, len(body), session)
            self.wfile.write(body)

        def head(
            self, status: int, kind: str, length: int | None = None, session: str | None = None
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            if length is None:
                self.send_header("Connection", "close")
            else:
                self.send_header("Content-Length", str(length))
            if session is not None:
                self.send_header("Mcp-Session-Id", session)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()

    def mismatch(message: Message, headers: dict[str, str]) -> str | None:
        """Name the header that does not say what a request says, by 2026-07-28."""
        params = message.get("params") or {}
        version = (params.get("_meta") or {}).get("io.modelcontextprotocol/protocolVersion")
        wanted = {"mcp-method": message["method"], "mcp-protocol-version": version}
        if message["method"] == "tools/call":
            wanted["mcp-name"] = params["name"]
        if message["method"] == "initialize":
            return None
        return next((each for each in wanted if headers.get(each) != wanted[each]), None)

    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    if os.environ.get("SCRIPTED_START") == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    the_script = Script(sys.argv[1])
    if sys.argv[2:] == ["http"]:
        serve_http(the_script)
    else:
        serve_streams(the_script)
