# SPDX-License-Identifier: Apache-2.0
"""Our own MCP server by streamable HTTP, as an ASGI application (clauses 14.29 and 14.30)."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from typing import Any, Final

from isonomy.contract.jsontext import write
from isonomy.mcp.http_guard import Guard, Refusal, told
from isonomy.mcp.http_sessions import Sessions
from isonomy.mcp.requests import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MAX_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    RpcError,
    is_id,
    read_json,
)
from isonomy.mcp.served import STATELESS
from isonomy.mcp.serving import (
    REVISIONS,
    SESSION_REVISIONS,
    VERSION,
    Conversation,
    Message,
    ToolService,
)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
_NOT_THERE: Final = {METHOD_NOT_FOUND: 404}
_BROKEN: Final = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
}
_STATELESS_STATUS: Final = {
    **_BROKEN,
    **_NOT_THERE,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
}
_MOST_TOLD: Final = 1_000
"""Notices that wait for a client to read them; further ones are dropped."""
_LAST: Final = 1.0
"""Seconds that calls have to end in when the server ends."""
_BEAT: Final = 15.0
"""Seconds after which a stream on which nothing happens says that it is there."""


class HttpServer:
    """Tools at the path `/mcp`, an ASGI application that any ASGI server runs, for one event loop.

    Args:
        service: The tools.
        guard: Who may ask; from loopback, without a token, when left out.
        path: Where it is; None for anywhere, where it is mounted at a path of its own.
        most_sessions: How many sessions there are at once.
        idle: Seconds after which a session that is not used ends.
        body_timeout: Seconds in which a request has to come whole.
    """

    def __init__(
        self,
        service: ToolService,
        guard: Guard | None = None,
        *,
        path: str | None = "/mcp",
        most_sessions: int = 1_000,
        idle: float = 1_800.0,
        body_timeout: float = 30.0,
    ) -> None:
        self._service = service
        self._guard = Guard() if guard is None else guard
        self._path = path
        self._sessions = Sessions(most_sessions, idle)
        self._body_timeout = body_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        answer = _Answer(send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await answer.refuse(refusal)
            return
        headers = told(scope["headers"]) or {}
        try:
            if scope["method"] == "POST":
                await self._post(headers, receive, answer)
            elif scope["method"] == "DELETE":
                await self._delete(headers, answer)
            else:
                allowed = {"allow": "POST, DELETE"}
                await answer.refuse(Refusal(405, "POST and DELETE are served", allowed))
        except _HttpError as refused:
            await answer.refuse(refused.refusal)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            event = (await receive())["type"]
            if event == "lifespan.shutdown":
                self._service.end()
            await send({"type": f"{event}.complete"})
            if event == "lifespan.shutdown":
                return

    def _refusal(self, scope: Scope) -> Refusal | None:
        refusal = self._guard.refusal(scope["headers"])
        if refusal is None and self._path is not None:
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            if path.rstrip("/") != self._path.rstrip("/"):
                return Refusal(404, f"the server is at {self._path}")
        return refusal

    async def _delete(self, headers: Mapping[str, str], answer: _Answer) -> None:
        key = headers.get("mcp-session-id")
        if key is None:
            raise _HttpError(400, "the header Mcp-Session-Id is missing")
        if not self._sessions.end(key):
            raise _HttpError(404, "there is no such session")
        await answer.empty(204)

    async def _post(self, headers: Mapping[str, str], receive: Receive, answer: _Answer) -> None:
        if headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            raise _HttpError(415, f"a message is {_JSON}")
        json, events = _accepted(headers.get("accept", "*/*"))
        if not json and not events:
            raise _HttpError(406, f"answers are {_JSON} or {_EVENTS}")
        body = await self._body(headers, receive)
        try:
            message = read_json(body)
            del body
            conversation, session = self._conversation(headers, message)
        except RpcError as error:
            await answer.json(error.reply(), _STATELESS_STATUS)
            return
        if session is not None:
            answer.headers["mcp-session-id"] = session
        if not json or (events and _may_take_long(message)):
            work = _stream(conversation, message, answer)
        else:
            work = _plain(conversation, message, answer)
        await _while_connected(work, receive, self._service, answer)

    async def _body(self, headers: Mapping[str, str], receive: Receive) -> bytes:
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length[:20]) > MAX_REQUEST:
            raise _HttpError(413, f"a message takes at most {MAX_REQUEST} bytes")
        parts = bytearray()
        try:
            async with asyncio.timeout(self._body_timeout):
                while True:
                    event = await receive()
                    if event["type"] == "http.disconnect":
                        raise _HttpError(400, "the message was cut")
                    parts += event.get("body", b"")
                    if len(parts) > MAX_REQUEST:
                        raise _HttpError(413, f"a message takes at most {MAX_REQUEST} bytes")
                    if not event.get("more_body", False):
                        return bytes(parts)
        except TimeoutError:
            raise _HttpError(408, "the message did not come in time") from None

    def _conversation(
        self, headers: Mapping[str, str], message: Any
    ) -> tuple[Conversation, str | None]:
        """Give who is talked to, and the id of a session that begins."""
        revision = headers.get("mcp-protocol-version")
        if revision == STATELESS or (revision is None and VERSION in _meta_of(message)):
            _check_stateless(headers, message)
            return Conversation(self._service, STATELESS), None
        if revision is not None and revision not in SESSION_REVISIONS:
            data = {"supported": list(REVISIONS), "requested": revision}
            number = _id_of(message)
            raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data, number=number)
        if _begins(message):
            conversation = Conversation(self._service)
            key = self._sessions.begin(conversation)
            if key is None:
                raise _HttpError(503, "there are too many sessions", {"retry-after": "1"})
            return conversation, key
        key = headers.get("mcp-session-id")
        if key is None:
            raise _HttpError(400, "the header Mcp-Session-Id is missing; begin with initialize")
        known = self._sessions.get(key)
        if known is None:
            raise _HttpError(404, "there is no such session; begin another with initialize")
        return known, None


async def _plain(conversation: Conversation, message: Any, answer: _Answer) -> None:
    """Answer with one JSON document."""
    given = await conversation.answer(message, lambda _notification: None)
    if given is None:  # notifications, or a call that the client cancelled
        await answer.empty(202)
    else:
        stateless = conversation.revision == STATELESS
        await answer.json(given, _STATELESS_STATUS if stateless else _BROKEN)


async def _stream(conversation: Conversation, message: Any, answer: _Answer) -> None:
    """Answer with a stream of events, of which the answer is the last."""
    coming: asyncio.Queue[Message] = asyncio.Queue()

    def tell(notification: Message) -> None:
        if coming.qsize() < _MOST_TOLD:
            coming.put_nowait(notification)

    answering = asyncio.ensure_future(conversation.answer(message, tell))
    answering.add_done_callback(lambda _done: coming.put_nowait({}))
    try:
        while True:
            try:
                notification = await asyncio.wait_for(coming.get(), _BEAT)
            except TimeoutError:
                if answering.done() and coming.empty():
                    break
                await answer.beat()
                continue
            if not notification:
                break
            await answer.event(notification)
        given = answering.result()
        if type(given) is list:  # a batch: each answer is an event of its own
            for each in given:
                await answer.event(each)
        elif given is not None:
            await answer.event(given)
        await answer.end_of_events()
    finally:
        answering.cancel()
        await asyncio.wait((answering,))


async def _while_connected(
    work: Coroutine[Any, Any, None], receive: Receive, service: ToolService, answer: _Answer
) -> None:
    """Do work until it is done, or nobody is there who would be told, or the server ends."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    ending = asyncio.ensure_future(service.ended())
    try:
        await asyncio.wait((working, leaving, ending), return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            one = asyncio.FIRST_COMPLETED
            await asyncio.wait((working, leaving), timeout=_LAST, return_when=one)
    finally:
        gone = leaving.done()
        for task in (working, leaving, ending):
            task.cancel()
        await asyncio.wait((working, leaving, ending))
    if not working.cancelled():
        working.result()
    elif not gone:
        await answer.give_up()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class _HttpError(Exception):
    """A request is answered with a status and a sentence."""

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(sentence)
        self.refusal = Refusal(status, sentence, headers or {})


class _Answer:
    """The answer to one HTTP request."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = self._streams = False
        #: Headers beside those that say what it is.
        self.headers: dict[str, str] = {}

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with a status and a sentence, and close where what came is not read."""
        self.headers |= refusal.headers
        if refusal.status in (408, 413):
            self.headers["connection"] = "close"
        error = RpcError(INVALID_REQUEST, refusal.sentence).reply()
        await self._whole(refusal.status, write(error), _JSON)

    async def empty(self, status: int) -> None:
        """Answer with a status alone."""
        await self._whole(status, b"", None)

    async def json(self, message: Any, statuses: Mapping[int, int]) -> None:
        """Answer with one message, or a batch of them, with the status of what is wrong."""
        error = message.get("error") if type(message) is dict else None
        status = 200 if error is None else statuses.get(error["code"], 200)
        await self._whole(status, write(message), _JSON)

    async def event(self, message: Any) -> None:
        """Tell a message on a stream of events."""
        await self._piece(b"event: message\ndata: " + write(message) + b"\n\n")

    async def beat(self) -> None:
        """Say on a stream of events that it is there."""
        await self._piece(b": \n\n")

    async def end_of_events(self) -> None:
        """End a stream of events; one on which nothing was told is no stream."""
        if self._streams:
            await self._piece(b"", more=False)
        else:
            await self.empty(202)

    async def give_up(self) -> None:
        """Answer no more, since the server ends."""
        if self._streams:
            await self.end_of_events()
        elif not self._begun:
            await self.refuse(Refusal(503, "the server ends"))

    async def _piece(self, data: bytes, *, more: bool = True) -> None:
        if not self._streams:
            self._streams = True
            self.headers |= {"content-type": _EVENTS, "cache-control": "no-store"}
            await self._start(200)
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def _whole(self, status: int, data: bytes, kind: str | None) -> None:
        if kind is not None:
            self.headers["content-type"] = kind
        if status not in (202, 204) or data:
            self.headers["content-length"] = str(len(data))
        elif status == 202:
            self.headers["content-length"] = "0"
        await self._start(status)
        await self._send({"type": "http.response.body", "body": data, "more_body": False})

    async def _start(self, status: int) -> None:
        self._begun = True
        pairs = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})


def _accepted(accept: str) -> tuple[bool, bool]:
    """Tell whether a client takes JSON, and whether it takes a stream of events."""
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    anything = "*/*" in kinds
    json = anything or _JSON in kinds or "application/*" in kinds
    return json, _EVENTS in kinds or "text/*" in kinds


def _may_take_long(message: Any) -> bool:
    """Tell whether something may have to be told before the answer."""
    if type(message) is list:
        return any(map(_may_take_long, message))
    if type(message) is not dict:
        return False
    return message.get("method") == "subscriptions/listen" or "progressToken" in _meta_of(message)


def _begins(message: Any) -> bool:
    """Tell whether a session begins with a message, which will be answered by a result."""
    if _id_of(message) is None or message.get("method") != "initialize":
        return False
    return type(_params_of(message).get("protocolVersion")) is str


def _id_of(message: Any) -> Any:
    number = message.get("id") if type(message) is dict else None
    return number if is_id(number) else None


def _params_of(message: Any) -> Mapping[str, Any]:
    params = message.get("params") if type(message) is dict else None
    return params if type(params) is dict else {}


def _meta_of(message: Any) -> Mapping[str, Any]:
    meta = _params_of(message).get("_meta")
    return meta if type(meta) is dict else {}


def _check_stateless(headers: Mapping[str, str], message: Any) -> None:
    """Check that headers and message of a request without a session say the same."""
    if type(message) is not dict or "method" not in message:
        raise RpcError(INVALID_REQUEST, "a message is one request or notification")
    if "id" not in message:
        return
    number = _id_of(message)
    meta = _meta_of(message)
    if VERSION not in meta:
        raise RpcError(INVALID_PARAMS, f"params._meta has {VERSION}", number=number)
    if headers.get("mcp-protocol-version") != meta[VERSION]:
        raise _mismatch("MCP-Protocol-Version", number)
    if headers.get("mcp-method") != message["method"]:
        raise _mismatch("Mcp-Method", number)
    name = _params_of(message).get("name")
    if message["method"] == "tools/call" and name is not None:
        given = _decoded(headers.get("mcp-name"))
        if given is None or given != name:
            raise _mismatch("Mcp-Name", number)


def _mismatch(header: str, number: Any) -> RpcError:
    sentence = f"the header {header} does not say what the request says"
    return RpcError(HEADER_MISMATCH, sentence, number=number)


def _decoded(header: str | None) -> str | None:
    """Give what a header says that may be written in base64, since it holds more than ASCII."""
    if header is None or not (header.startswith("=?base64?") and header.endswith("?=")):
        return header
    try:
        return base64.b64decode(header[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
