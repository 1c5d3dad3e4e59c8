# SPDX-License-Identifier: Apache-2.0
"""Servers that are reached by streamable HTTP (clauses 14.11 to 14.14).

A call's thread sends its request and reads what comes back. Whoever gives a call up closes its
connection, so that no thread waits for a server that does not answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from typing import Final

from isonomy.contract.error import ErrorKind
from isonomy.contract.outcome import Settled
from isonomy.mcp.connection import LOGGER, Connection, SessionOver, Unreachable
from isonomy.mcp.messages import Events, TooLong, notification, read_message, request
from isonomy.mcp.pending import Pending
from isonomy.mcp.replies import settled_by_mcp
from isonomy.mcp.sockets import NotConnected, Sockets, Use

_ACCEPT: Final = "application/json, text/event-stream"
_NOTICE: Final = 5.0
"""Seconds that a notification may take."""
_PAUSE: Final = 1.0
"""Seconds between two attempts to hear what the server says by itself."""
_SESSION: Final = "Mcp-Session-Id"
_OK, _MORE, _GONE = 200, 300, 404
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
        self._headers = {**headers, "Accept": _ACCEPT, "Content-Type": "application/json"}
        self._session: str | None = None
        self._left = threading.Event()

    def speaks(self, version: str) -> None:
        """Say from now on which revision of the protocol was agreed upon, and listen."""
        self._headers = {**self._headers, "MCP-Protocol-Version": version}
        threading.Thread(target=self._listen, name="isonomy-mcp-listen", daemon=True).start()

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification, in bounded time; where that is not possible, nothing."""
        self._reply(notification(method, params))

    def _reply(self, message: bytes) -> None:
        if not self.over:
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
            try:
                response = use.send("POST", request(number, method, params), self._all_headers())
                self._receive(response, pending, session)
            except NotConnected as refused:
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
            self._session = response.headers.get(_SESSION, self._session)
            for event in self._events(response):
                self._take(event)
                if pending.ended is not None:
                    return
        else:
            self._session = response.headers.get(_SESSION, self._session)
            body = self._body(response)
            if isinstance(body, TooLong):
                pending.end(self.too_large())
            elif body.strip():
                self._take(body)
                pending.end({})  # where that was no reply

    def _refused(self, response: HTTPResponse, pending: Pending, session: str | None) -> None:
        body = self._body(response)
        if response.status == _GONE and session is not None:
            pending.end(SessionOver())
            return
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

    def _tell(self, method: str, message: bytes) -> None:
        try:
            with self._sockets.use(timeout=_NOTICE) as use:
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
