# SPDX-License-Identifier: Apache-2.0
"""Our own MCP server by HTTP, request by request (clauses 14.29 and 14.30)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from isonomy import Misuse, ToolResponse
from isonomy.contract.call import ToolCall
from isonomy.mcp.http_guard import Guard
from isonomy.mcp.served import STATELESS
from isonomy.mcp.serving import VERSION, ToolService
from isonomy.mcp.serving_http import HttpServer
from isonomy.tools.context import Progress

HANG = 30
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


class Reply:
    """What came back: a status, headers, and messages, of JSON or of events."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.ended = False

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        assert int(self.headers["content-length"]) == len(self.body)
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        assert self.headers["content-type"] == "text/event-stream"
        found = [part for part in self.body.decode().split("\n\n") if part.startswith("event:")]
        return [json.loads(part.partition("\ndata: ")[2]) for part in found]


class Web:
    """Sends requests to an application as a server of HTTP would."""

    def __init__(self, app: HttpServer) -> None:
        self.app = app
        self.session: str | None = None

    async def request(
        self,
        method: str,
        headers: dict[str, str],
        body: list[bytes | None] | None = None,
        path: str = "/mcp",
        reply: Reply | None = None,
        cut: bool = False,
        **scope: Any,
    ) -> Reply:
        """Send the pieces of a body; a None behind them is the client's leaving."""
        pieces = [b""] if body is None else list(body)
        reply = Reply() if reply is None else reply
        forever = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not pieces:
                await forever.wait()
            piece = pieces.pop(0)
            if piece is None:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": piece, "more_body": cut or any(pieces)}

        async def send(event: Any) -> None:
            if event["type"] == "http.response.start":
                reply.status = event["status"]
                reply.headers = {key.decode(): value.decode() for key, value in event["headers"]}
            else:
                reply.body += event["body"]
                reply.ended = not event["more_body"]

        given = {"host": "127.0.0.1:80"} | headers
        pairs = [(key.encode(), value.encode()) for key, value in given.items()]
        scope = {"type": "http", "method": method, "path": path, "headers": pairs} | scope
        async with asyncio.timeout(HANG):
            await self.app(scope, receive, send)
        return reply

    async def post(self, message: Any, /, into: Reply | None = None, **headers: Any) -> Reply:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        given = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        if self.session is not None:
            given["mcp-session-id"] = self.session
        given |= {key.replace("_", "-"): value for key, value in headers.items()}
        return await self.request("POST", given, [data], reply=into)

    async def begin(self, revision: str = "2025-11-25") -> Reply:
        reply = await self.post(ask("initialize", {"protocolVersion": revision}))
        self.session = reply.headers["mcp-session-id"]
        return reply


def ask(method: str, params: Any = None, number: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


def stateless(method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
    return ask(method, {"_meta": {VERSION: STATELESS, CAPABILITIES: {}}, **params}, number)


class Body:
    """A tool that does as it is told, and says what became of it."""

    def __init__(self) -> None:
        self.ready, self.go, self.gone = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __call__(self, call: ToolCall, progress: Progress | None) -> ToolResponse:
        if call.tool == "wait":
            self.ready.set()
            try:
                await self.go.wait()
            except asyncio.CancelledError:
                self.gone.set()
                raise
        if progress is not None:
            progress(1, 2, None)
            progress(2, 2, None)
        return ToolResponse.success(call.arguments)


@pytest.fixture
def body() -> Body:
    return Body()


@pytest.fixture
def service(body: Body) -> ToolService:
    return ToolService([], body)


@pytest.fixture
def web(service: ToolService) -> Web:
    return Web(HttpServer(service))


CALL = ask("tools/call", {"name": "t", "arguments": {"a": 1}})
WAIT = ask("tools/call", {"name": "wait", "arguments": {"a": 1}})
STEPS = ask("tools/call", {"name": "t", "arguments": {}, "_meta": {"progressToken": 5}})


# Sessions ---------------------------------------------------------------------------------------


async def test_a_session_begins_and_ends(web: Web) -> None:
    begun = await web.begin()
    assert begun.status == 200
    assert begun.json["result"]["protocolVersion"] == "2025-11-25"
    assert web.session is not None
    assert len(web.session) >= 32
    noticed = await web.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (noticed.status, noticed.body) == (202, b"")
    assert (await web.post(CALL)).json["result"]["structuredContent"] == {"a": 1}
    session = {"mcp-session-id": web.session}
    assert (await web.request("DELETE", session)).status == 204
    assert (await web.request("DELETE", session)).status == 404
    assert (await web.post(CALL)).status == 404


async def test_a_session_is_needed(web: Web) -> None:
    for session in (None, "", "x" * 10_000):
        web.session = session
        assert (await web.post(CALL)).status == (400 if session is None else 404)
    assert (await web.request("DELETE", {})).status == 400


async def test_what_begins_no_session(web: Web) -> None:
    for params in ({}, {"protocolVersion": 7}):
        assert (await web.post(ask("initialize", params))).status == 400
    for number in (None, 1.5):
        begin = ask("initialize", {"protocolVersion": "2025-11-25"}, number)
        assert (await web.post(begin)).status == 400


async def test_sessions_are_bounded(service: ToolService, body: Body) -> None:
    webs = [Web(HttpServer(service, most_sessions=2))]
    webs += [Web(webs[0].app) for _ in range(3)]
    for each in webs[:2]:
        await each.begin()
    assert (await webs[0].post(CALL)).status == 200
    await webs[2].begin()  # in place of the one that was used longest ago
    assert [(await each.post(CALL)).status for each in webs[:3]] == [200, 404, 200]
    waiting = [asyncio.create_task(webs[at].post({**WAIT, "id": at})) for at in (0, 2)]
    await asyncio.sleep(0.01)
    assert (await webs[3].post(ask("initialize", {"protocolVersion": "x"}))).status == 503
    body.go.set()
    assert [(await each).status for each in waiting] == [200, 200]
    await webs[3].begin()


async def test_a_session_that_is_not_used_ends(service: ToolService, body: Body) -> None:
    web = Web(HttpServer(service, idle=0.05))
    await web.begin()
    waiting = asyncio.create_task(web.post(WAIT))
    await asyncio.sleep(0.1)
    assert (await web.post({**CALL, "id": 2})).status == 200  # for a call was running
    body.go.set()
    assert (await waiting).status == 200
    await asyncio.sleep(0.1)
    assert (await web.post(CALL)).status == 404


async def test_the_end_of_a_session_cancels_its_calls(web: Web, body: Body) -> None:
    await web.begin()
    waiting = asyncio.create_task(web.post(WAIT))
    await body.ready.wait()
    assert (await web.request("DELETE", {"mcp-session-id": str(web.session)})).status == 204
    assert (await waiting).status == 202
    assert body.gone.is_set()


@pytest.mark.parametrize("revision", ["2025-11-25", "2025-03-26", "2024-11-05"])
async def test_a_revision_that_is_known_is_taken(web: Web, revision: str) -> None:
    await web.begin()
    assert (await web.post(CALL, mcp_protocol_version=revision)).status == 200


async def test_a_revision_that_nobody_knows(web: Web) -> None:
    await web.begin()
    refused = await web.post(CALL, mcp_protocol_version="2031-01-01")
    assert refused.status == 400
    assert refused.json["id"] == 1
    assert refused.json["error"]["code"] == -32022
    assert "2026-07-28" in refused.json["error"]["data"]["supported"]


async def test_batches(web: Web) -> None:
    await web.begin("2025-03-26")
    batch = await web.post([CALL, {**CALL, "id": 2}])
    assert [each["id"] for each in batch.json] == [1, 2]
    notices = await web.post([{"jsonrpc": "2.0", "method": "notifications/x"}])
    assert (notices.status, notices.body) == (202, b"")
    streamed = await web.post([{**STEPS, "id": 3}, CALL])
    assert [each.get("id") for each in streamed.events] == [None, None, 3, 1]
    await web.begin("2025-06-18")
    assert (await web.post([CALL])).status == 400


# Streams ----------------------------------------------------------------------------------------


async def test_progress_is_streamed(web: Web) -> None:
    await web.begin()
    told = (await web.post(STEPS)).events
    assert [each["params"]["progress"] for each in told[:2]] == [1, 2]
    assert told[2]["id"] == 1
    assert told[2]["result"]["isError"] is False


@pytest.mark.parametrize(
    ("accept", "status", "kind"),
    [
        ("application/json", 200, "application/json"),
        ("application/json;q=0.9, text/event-stream;q=0.8", 200, "application/json"),
        ("text/event-stream", 200, "text/event-stream"),
        ("*/*", 200, "application/json"),
        ("text/html", 406, "application/json"),
        ("", 406, "application/json"),
    ],
)
async def test_what_a_client_accepts(web: Web, accept: str, status: int, kind: str) -> None:
    await web.begin()
    reply = await web.post(CALL, accept=accept)
    assert (reply.status, reply.headers["content-type"]) == (status, kind)


async def test_a_notice_is_taken_whatever_is_accepted(web: Web) -> None:
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for accept in ("application/json", "text/event-stream", "*/*"):
        await web.begin()
        reply = await web.post(notice, accept=accept)
        assert (reply.status, reply.body) == (202, b"")


async def test_progress_is_dropped_where_only_json_is_taken(web: Web) -> None:
    await web.begin()
    assert (await web.post(STEPS, accept="application/json")).json["id"] == 1


async def test_a_call_that_is_cancelled(web: Web, body: Body) -> None:
    await web.begin()
    for message in (WAIT, ask("tools/call", {**WAIT["params"], "_meta": {"progressToken": 1}})):
        body.ready.clear()
        waiting = asyncio.create_task(web.post(message))
        await body.ready.wait()
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        assert (await web.post(notice)).status == 202
        reply = await waiting
        assert (reply.status, reply.body) == (202, b"")


@pytest.mark.parametrize("meta", [{}, {"progressToken": 1}])
async def test_a_client_that_leaves_cancels_its_call(web: Web, body: Body, meta: Any) -> None:
    await web.begin()
    message = ask("tools/call", {"name": "wait", "_meta": meta})
    headers = {
        "content-type": "application/json",
        "accept": "*/*, text/event-stream",
        "mcp-session-id": str(web.session),
    }
    leaves: list[bytes | None] = [json.dumps(message).encode(), None]
    reply = await web.request("POST", headers, leaves)
    assert reply.status == 0
    assert body.ready.is_set() == body.gone.is_set()
    assert (await web.post(CALL)).status == 200


async def test_a_stream_of_news(web: Web, service: ToolService) -> None:
    reply = Reply()
    listening = asyncio.create_task(
        web.post(
            stateless("subscriptions/listen"),
            into=reply,
            mcp_protocol_version=STATELESS,
            mcp_method="subscriptions/listen",
        )
    )
    await asyncio.sleep(0.01)
    assert [each["method"] for each in reply.events] == ["notifications/subscriptions/acknowledged"]
    service.end()
    assert (await listening).events[-1]["result"]["resultType"] == "complete"


@pytest.mark.parametrize("meta", [{}, {"progressToken": 1}])
async def test_the_end_of_the_server_ends_calls(
    web: Web, service: ToolService, body: Body, meta: Any
) -> None:
    await web.begin()
    message = ask("tools/call", {"name": "wait", "_meta": meta})
    waiting = asyncio.create_task(web.post(message))
    await body.ready.wait()
    service.end()
    reply = await waiting
    assert reply.ended
    assert body.gone.is_set()
    assert reply.status == 503


# Without a session ------------------------------------------------------------------------------

HEADERS: dict[str, Any] = {
    "mcp_protocol_version": STATELESS,
    "mcp_method": "tools/call",
    "mcp_name": "t",
}


async def test_no_session_is_needed_by_the_newest_revision(web: Web) -> None:
    reply = await web.post(stateless("tools/call", name="t", arguments=[1]), **HEADERS)
    assert reply.json["result"]["resultType"] == "complete"
    assert "mcp-session-id" not in reply.headers
    name = "=?base64?w6k=?="
    reply = await web.post(stateless("tools/call", name="é"), **{**HEADERS, "mcp_name": name})
    assert reply.status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {**HEADERS, "mcp_name": "u"},
        {**HEADERS, "mcp_name": "=?base64?!?="},
        {**HEADERS, "mcp_method": "tools/list"},
        {"mcp_protocol_version": STATELESS},
        {},
    ],
)
async def test_headers_that_say_something_else(web: Web, headers: dict[str, Any]) -> None:
    refused = await web.post(stateless("tools/call", name="t"), **headers)
    assert refused.status == 400
    assert refused.json["error"]["code"] == -32020
    assert refused.json["id"] == 1


@pytest.mark.parametrize(
    ("message", "method", "status", "code"),
    [
        (stateless("nope"), "nope", 404, -32601),
        (stateless("ping"), "ping", 404, -32601),
        (stateless("tools/call"), "tools/call", 400, -32602),
        (ask("tools/list"), "tools/list", 400, -32602),
        ([stateless("tools/list")], "tools/list", 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, "tools/list", 400, -32600),
    ],
)
async def test_statuses_of_errors(
    web: Web, message: Any, method: str, status: int, code: int
) -> None:
    refused = await web.post(message, mcp_protocol_version=STATELESS, mcp_method=method)
    assert (refused.status, refused.json["error"]["code"]) == (status, code)


async def test_a_notice_without_a_session(web: Web) -> None:
    notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert (await web.post(notice, mcp_protocol_version=STATELESS)).status == 202


# What is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "OPTIONS", "HEAD", "ODD"])
async def test_other_methods(web: Web, method: str) -> None:
    refused = await web.request(method, {})
    assert refused.status == 405
    assert refused.headers["allow"] == "POST, DELETE"


async def test_other_paths(web: Web, service: ToolService) -> None:
    for path in ("/", "/mcp/x", "/MCP", "/x/mcp"):
        assert (await web.request("GET", {}, path=path)).status == 404
    assert (await web.request("GET", {}, path="/mcp/")).status == 405
    assert (await web.request("GET", {}, path="/x/mcp", root_path="/x")).status == 405
    anywhere = Web(HttpServer(service, path=None))
    assert (await anywhere.request("GET", {}, path="/x")).status == 405


@pytest.mark.parametrize("kind", ["", "text/plain", "application/jsonl", "multipart/form-data"])
async def test_other_kinds_of_content(web: Web, kind: str) -> None:
    assert (await web.post(CALL, content_type=kind)).status == 415


async def test_kinds_of_json(web: Web) -> None:
    await web.begin()
    assert (await web.post(CALL, content_type="Application/JSON; charset=utf-8")).status == 200


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"NaN", b'{"a":1,"a":2}', b"[" * 600])
async def test_what_is_no_json(web: Web, data: bytes) -> None:
    refused = await web.post(data)
    assert (refused.status, refused.json["error"]["code"]) == (400, -32700)


async def test_the_id_of_what_is_no_json(web: Web) -> None:
    for number in (7, "seven"):
        data = json.dumps({"jsonrpc": "2.0", "id": number, "params": {"n": 1}}).encode()
        refused = await web.post(data.replace(b"1}", b"NaN}"))
        assert (refused.json["id"], refused.json["error"]["code"]) == (number, -32700)


async def test_a_body_that_is_too_long(web: Web) -> None:
    kind = {"content-type": "application/json"}
    for length in (str(16 * 1024 * 1024 + 1), "9" * 5_000, "-1", "x"):
        refused = await web.request("POST", {**kind, "content-length": length})
        assert refused.status == 413
        assert refused.headers["connection"] == "close"
    piece = b" " * (1024 * 1024)
    assert (await web.request("POST", kind, [piece] * 17)).status == 413
    assert (await web.request("POST", kind, [piece] * 16)).status == 400  # no JSON


async def test_a_body_that_does_not_come(service: ToolService) -> None:
    web = Web(HttpServer(service, body_timeout=0.05))
    forever = asyncio.Event()
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        await forever.wait()
        raise AssertionError

    async def send(event: Any) -> None:
        sent.append(event)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
    async with asyncio.timeout(HANG):
        await web.app(scope, receive, send)
    assert sent[0]["status"] == 408


async def test_a_body_that_is_cut(web: Web) -> None:
    kind = {"content-type": "application/json"}
    assert (await web.request("POST", kind, [b"{}", None], cut=True)).status == 400
    assert (await web.request("POST", kind, [b"{}"])).json["error"]["code"] == -32600


# Who may ask ------------------------------------------------------------------------------------


async def status(service: ToolService, guard: Guard, **headers: str) -> int:
    given = {key.replace("_", "-"): value for key, value in headers.items()}
    return (await Web(HttpServer(service, guard)).request("GET", given)).status


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        *(("localhost", 405), ("LOCALHOST:80", 405), ("127.0.0.1:8000", 405), ("[::1]:8", 405)),
        *(("127.8.9.1", 405), ("tools.example:8", 405), ("evil.example", 403), ("", 403)),
        *(("127.0.0.1.evil.example", 403), ("localhost.evil.example", 403), ("10.0.0.1", 403)),
        *(("user@localhost", 403), ("localhost/evil", 403), ("localhost:x", 403), ("[::1", 403)),
        *(("evil.example:80@localhost", 403), ("0.0.0.0", 403), ("localhost#", 403)),
    ],
)
async def test_hosts(service: ToolService, host: str, wanted: int) -> None:
    assert await status(service, Guard(hosts=["Tools.example"]), host=host) == wanted
    assert await status(service, Guard(hosts=None), host=host) == 405


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        *(("http://localhost", 405), ("http://localhost:6274", 405), ("https://127.0.0.1", 405)),
        *(("http://[::1]:1", 405), ("https://app.example", 405), ("HTTPS://APP.example", 405)),
        *(("null", 403), ("", 403), ("http://evil.example", 403), ("http://app.example", 403)),
        *(("https://app.example.evil", 403), ("https://app.example:444", 403)),
        *(("http://localhost.evil.example", 403), ("http://localhost@evil.example", 403)),
        *(("file://localhost", 403), ("chrome-extension://localhost", 403), ("localhost", 403)),
    ],
)
async def test_origins(service: ToolService, origin: str, wanted: int) -> None:
    assert await status(service, Guard(origins=["https://app.example/"]), origin=origin) == wanted


@pytest.mark.parametrize(
    "origin", ["app.example", "https://app.example/page", "https://", "https://u@app.example", "*"]
)
def test_what_is_no_origin(origin: str) -> None:
    with pytest.raises(Misuse, match="an origin is a scheme and a host"):
        Guard(origins=["https://app.example", origin])


@pytest.mark.parametrize("host", ["http://a.example", "a.example:80", "a/b", "[::1]", "", "*:1"])
def test_what_is_no_host(host: str) -> None:
    with pytest.raises(Misuse, match="a host is a name without scheme and port"):
        Guard(hosts=["a.example", "2001:db8::1", "10.0.0.7", host])


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        *(("Bearer s3cret", 405), ("bearer s3cret", 405), ("Bearer  s3cret", 405)),
        *(("Bearer s3cre", 401), ("Bearer s3crets", 401), ("Bearer", 401), ("", 401)),
        *(("Basic s3cret", 401), ("s3cret", 401), ("Bearer é", 401), ("Bearer s3cret x", 401)),
    ],
)
async def test_tokens(service: ToolService, given: str, wanted: int) -> None:
    assert await status(service, Guard("s3cret"), authorization=given) == wanted


async def test_no_token_is_no_entry(service: ToolService) -> None:
    web = Web(HttpServer(service, Guard("s3cret")))
    refused = await web.post(CALL)
    assert refused.status == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert b"s3cret" not in refused.body


async def test_a_header_twice(service: ToolService) -> None:
    for name in (b"authorization", b"host", b"Origin", b"mcp-session-id"):
        headers = [(b"host", b"localhost"), (name, b"a"), (name.upper(), b"b")]
        assert Guard(hosts=None).refusal(headers)[0] == 400  # type: ignore[index]


@pytest.mark.parametrize("token", ["", " ", "a b", "é", "a\nb", "a\r\nX: y"])
def test_a_token_that_no_header_can_hold(token: str) -> None:
    with pytest.raises(Misuse) as misuse:
        Guard(token)
    assert "a\nb" not in str(misuse.value)
