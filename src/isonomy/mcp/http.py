# SPDX-License-Identifier: Apache-2.0
"""Servers that are reached by streamable HTTP (clauses 14.11 to 14.14).

A call's thread sends its request and reads what comes back. Whoever gives a call up closes its
connection, so that no thread waits for a server that does not answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any, Final

from isonomy.contract.error import ErrorKind
from isonomy.contract.outcome import Settled
from isonomy.mcp.connection import LOGGER, NOTICE, Connection, SessionOver, Unreachable
from isonomy.mcp.messages import Events, TooLong, notification, read_message, request
from isonomy.mcp.pending import Pending
from isonomy.mcp.replies import settled_by_mcp, unreadable
from isonomy.mcp.sockets import NotConnected, Sockets, Use
from isonomy.mcp.stateless import REVISION, stateless_headers

_ACCEPT: Final = "application/json, text/event-stream"
_PAUSE: Final = 1.0
"""Seconds between two attempts to hear what the server says by itself."""
_SESSION: Final = "Mcp-Session-Id"
_VERSION: Final = "MCP-Protocol-Version"
_OK, _MORE, _OURS, _GONE, _THEIRS = 200, 300, 400, 404, 500
_SILENT: Final = frozenset({404, 405})
"""What a server answers that says nothing by itself."""
_CHUNK: Final = 65_536


class HttpConnection(Connection):
    """One session with a server by HTTP.

    Args:
        name: The server's name, as a JSON string.
        url: Where it is.
        headers: Headers of every request.
        cap: The most bytes of one message.
        changed: Called when the server says that its tools have changed.
    """

    def __init__(
        self,
        name: str,
        url: str,
        headers: Mapping[str, str],
        cap: int,
        changed: Callable[[], object],
    ) -> None:
        super().__init__(name, cap, changed)
        self._sockets = Sockets(url)
        ours = {"Accept": _ACCEPT, "Content-Type": "application/json"}
        taken = {each.lower() for each in (*ours, _SESSION, _VERSION)}
        given = {each: value for each, value in headers.items() if each.lower() not in taken}
        self._headers = {**self._sockets.headers(), **given, **ours}
        self._session: str | None = None
        self._left = threading.Event()

    def speaks(self, version: str) -> None:
        """Say from now on which revision of the protocol was agreed upon, and listen."""
        self._headers = {**self._headers, _VERSION: version}
        self._begin(self._listen)

    def be_stateless(self, meta: Mapping[str, Any]) -> None:
        """See `Connection.be_stateless`."""
        super().be_stateless(meta)
        self._session = None
        self._headers = {**self._headers, _VERSION: REVISION}

    def _begin(self, listen: Callable[[], None]) -> None:
        threading.Thread(target=listen, name="isonomy-mcp-listen", daemon=True).start()

    def notify(self, method: str, params: Mapping[str, object], limit: float = NOTICE) -> None:
        """Send a notification, in bounded time; where that is not possible, nothing."""
        if not self.over and self.meta is None:  # nothing is told to a server without sessions
            self._tell("POST", notification(method, params), min(limit, NOTICE))

    def _reply(self, message: bytes) -> None:
        if not self.over and self.meta is None:
            self._tell("POST", message)

    # A request ----------------------------------------------------------------------------------

    def _send(
        self, number: int, method: str, params: Mapping[str, object], pending: Pending
    ) -> None:
        session = self._session
        with self._sockets.use() as use:
            pending.interrupt = use.cut
            if pending.abandoned:
                return
            headers = self._all_headers()
            if self.meta is not None:
                headers = {**headers, **stateless_headers(method, params, pending.marked)}
            try:
                response = use.send("POST", request(number, method, params), headers)
                self._receive(response, pending, session)
            except NotConnected as refused:
                if not pending.abandoned:
                    raise Unreachable(str(refused)) from None
            except (OSError, HTTPException, ValueError):
                pass  # cut by the server, or by who gave the call up
            finally:
                pending.interrupt = None
            use.done = pending.ended is not None and use.read_whole()
        if not pending.abandoned:
            pending.end(self._broke())

    def _receive(self, response: HTTPResponse, pending: Pending, session: str | None) -> None:
        """Take what comes back, until the reply is among it."""
        if not _OK <= response.status < _MORE:
            self._refused(response, pending, session)
        elif _is_events(response):
            self._keep_session(response)
            for event in self._events(response):
                if isinstance(event, TooLong):  # of this request, whatever its id
                    pending.end(self.too_large())
                else:
                    self._take(event)
                if pending.ended is not None:
                    return
        else:
            self._keep_session(response)
            body = self._body(response)
            if isinstance(body, TooLong):
                pending.end(self.too_large())
            elif body:
                self._replied(body, pending)

    def _keep_session(self, response: HTTPResponse) -> None:
        if self.meta is None:
            self._session = response.headers.get(_SESSION, self._session)

    def _replied(self, body: bytes, pending: Pending) -> None:
        """Take a body that is no stream, of which is told whose it is by where it came."""
        message = read_message(body)
        if message is None:
            pending.end(unreadable())
        elif message.get("id") is None and "method" not in message:
            pending.end(message)
        else:
            self._take_message(message, body)

    def _refused(self, response: HTTPResponse, pending: Pending, session: str | None) -> None:
        body = self._body(response)
        if response.status == _GONE and session is not None:
            pending.end(SessionOver())
            return
        # Some servers answer so that they do not know the session, where others say 404.
        self.spent |= session is not None and _OURS <= response.status < _THEIRS
        message = None if isinstance(body, TooLong) else read_message(body)
        if message is not None and type(message.get("error")) is dict and "jsonrpc" in message:
            pending.end(message)
            return
        said = f"the MCP server {self.name} answered with status {response.status}"
        details = {"status": response.status}
        pending.end(settled_by_mcp(ErrorKind.CONNECTION_LOST, said, details=details))

    def _body(self, response: HTTPResponse) -> bytes | TooLong:
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > self.cap:
                return TooLong(b"", b"")
        if response.length:
            raise HTTPException("the body was cut")
        return b"".join(parts)

    def _events(self, response: HTTPResponse) -> Iterator[bytes | TooLong]:
        events = Events(self.cap)
        while part := response.read1(_CHUNK):
            yield from events.feed(part)

    # What nobody waits for ----------------------------------------------------------------------

    def _tell(self, method: str, message: bytes, limit: float = NOTICE) -> None:
        try:
            with self._sockets.use(timeout=limit) as use, use.cut_after(limit):
                use.send(method, message, self._all_headers())
                use.done = use.read_whole()
        except (OSError, HTTPException, ValueError) as broken:
            LOGGER.debug("%s: %s could not be sent: %s", self.name, method, broken)

    def _listen(self) -> None:
        """Hear what the server says by itself, if it does."""
        while not self.over:
            try:
                with self._sockets.use() as use:
                    if not self._hear(use):
                        return
            except (OSError, HTTPException, ValueError) as broken:
                LOGGER.debug("%s: %s", self.name, broken)
            self._left.wait(_PAUSE)

    def _ask_to_be_told(self, pending: Pending, params: Mapping[str, Any]) -> None:
        self._begin(lambda: self._be_told(pending, params))

    def _be_told(self, pending: Pending, params: Mapping[str, Any]) -> None:
        """Hear what the server tells of changes, as long as it does.

        Where its stream breaks it is asked again, until it says itself that this is the end.
        """
        goes_on = True
        while goes_on and not self.over:
            try:
                with self._sockets.use() as use:
                    goes_on = self._hear_changes(use, pending, params)
            except (OSError, HTTPException, ValueError) as broken:
                LOGGER.debug("%s: %s", self.name, broken)
            if not self._subscribed.is_set():  # one that has never told anything
                self._subscribed.set()
                return
            self._left.wait(_PAUSE)

    def _hear_changes(self, use: Use, pending: Pending, params: Mapping[str, Any]) -> bool:
        method = "subscriptions/listen"
        headers = {**self._all_headers(), **stateless_headers(method, params, None)}
        response = use.send("POST", request(pending.number, method, params), headers)
        if response.status != _OK or not _is_events(response):
            return False
        for event in self._events(response):
            self._take(event)
            if pending.ended is not None:
                return False
        return True

    def _hear(self, use: Use) -> bool:
        response = use.send("GET", None, self._all_headers())
        if response.status in _SILENT:
            use.done = use.read_whole()
            return False
        if response.status == _OK and _is_events(response):
            for event in self._events(response):
                self._take(event)
        return True

    def _all_headers(self) -> dict[str, str]:
        if self._session is None:
            return self._headers
        return {**self._headers, _SESSION: self._session}

    def _broke(self) -> Settled:
        message = f"the connection to the MCP server {self.name} broke"
        return settled_by_mcp(ErrorKind.CONNECTION_LOST, message)

    def _let_go(self) -> None:
        self._sockets.let_go()

    def close(self) -> None:
        """End the session, whose end the server is told, in bounded time."""
        if self.over:
            return
        self._end(self._broke)
        self._left.set()
        self._sockets.cut()
        if self._session is not None:
            self._tell("DELETE", b"")
        self._sockets.close()


def _is_events(response: HTTPResponse) -> bool:
    kind = response.headers.get("Content-Type", "")
    return kind.lower().startswith("text/event-stream")
