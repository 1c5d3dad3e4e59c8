# SPDX-License-Identifier: Apache-2.0
"""Servers that are reached by streamable HTTP (clauses 14.11 to 14.14).

httpx comes with the extra `isonomy[mcp]`.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final

import httpx

from isonomy.contract.error import ErrorKind
from isonomy.contract.outcome import Settled
from isonomy.mcp.connection import LOGGER, Connection, SessionOver, Unreachable
from isonomy.mcp.messages import Events, TooLong, notification, read_message, request
from isonomy.mcp.pending import Pending
from isonomy.mcp.replies import settled_by_mcp

_ACCEPT: Final = "application/json, text/event-stream"
_CONNECT: Final = 10.0
"""Seconds that a connection may take to be opened."""
_NOTICE: Final = 5.0
"""Seconds that a notification may take."""
_PAUSE: Final = 1.0
"""Seconds between two attempts to hear what the server says by itself."""
_SESSION: Final = "Mcp-Session-Id"
_OK, _FAILED, _GONE = 200, 300, 404
_WITHOUT: Final = frozenset({404, 405})
"""What a server says that says nothing by itself."""


class HttpConnection(Connection):
    """One session with a server by HTTP, on an event loop in a thread of its own.

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
        self._url = url
        self._headers = {**headers, "Accept": _ACCEPT, "Content-Type": "application/json"}
        self._session: str | None = None
        self._loop = asyncio.new_event_loop()
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(None, connect=_CONNECT),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=64),
            follow_redirects=False,
        )
        self._thread = threading.Thread(target=self._run, name="isonomy-mcp-http", daemon=True)
        self._thread.start()

    def speaks(self, version: str) -> None:
        """Say from now on which revision of the protocol was agreed upon, and listen."""
        self._headers["MCP-Protocol-Version"] = version
        self._submit(self._listen())

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification; nobody waits until it has arrived."""
        self._reply(notification(method, params))

    def _reply(self, message: bytes) -> None:
        if not self.over:
            self._submit(self._tell(message))

    def _send(self, number: int, method: str, params: Mapping[str, Any], pending: Pending) -> None:
        data = request(number, method, params)
        task = self._submit(self._exchange(data, pending))
        try:
            pending.wait()
        finally:
            if pending.ended is None:
                task.cancel()

    # On the loop --------------------------------------------------------------------------------

    async def _exchange(self, data: bytes, pending: Pending) -> None:
        """Send a request and take what comes back, until the reply is among it."""
        session = self._session
        try:
            async with self._client.stream(
                "POST", self._url, content=data, headers=self._all_headers()
            ) as response:
                if response.status_code >= _FAILED or response.status_code < _OK:
                    await self._refused(response, pending, session)
                else:
                    self._session = response.headers.get(_SESSION, self._session)
                    await self._receive(response, pending)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as refused:
            pending.end(Unreachable(_reason(refused)))
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError):
            pending.end(self._broke())
        if pending.ended is None:
            pending.end(self._broke())

    async def _receive(self, response: httpx.Response, pending: Pending) -> None:
        if response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            async for event in self._events(response):
                self._take(event)
                if pending.ended is not None:
                    return
            return
        body = await self._body(response)
        if isinstance(body, TooLong):
            pending.end(self.too_large())
        elif body.strip():
            self._take(body)
            if pending.ended is None:
                pending.end({})

    async def _refused(
        self, response: httpx.Response, pending: Pending, session: str | None
    ) -> None:
        status = response.status_code
        body = await self._body(response)
        message = None if isinstance(body, TooLong) else read_message(body)
        if status == _GONE and session is not None:
            pending.end(SessionOver())
            return
        if message is not None and type(message.get("error")) is dict and "jsonrpc" in message:
            pending.end(message)
        else:
            said = f"the MCP server {self.name} answered with status {status}"
            details = {"status": status}
            pending.end(settled_by_mcp(ErrorKind.CONNECTION_LOST, said, details=details))

    async def _body(self, response: httpx.Response) -> bytes | TooLong:
        parts: list[bytes] = []
        size = 0
        async for part in response.aiter_bytes():
            parts.append(part)
            size += len(part)
            if size > self.cap:
                return TooLong(b"", b"")
        return b"".join(parts)

    async def _events(self, response: httpx.Response) -> AsyncIterator[bytes | TooLong]:
        events = Events(self.cap)
        async for part in response.aiter_bytes():
            for event in events.feed(part):
                yield event

    async def _tell(self, message: bytes) -> None:
        with suppress(httpx.HTTPError, TimeoutError):
            async with asyncio.timeout(_NOTICE):
                await self._client.post(self._url, content=message, headers=self._all_headers())

    async def _listen(self) -> None:
        """Hear what the server says by itself, if it does."""
        while not self.over:
            try:
                async with self._client.stream(
                    "GET", self._url, headers=self._all_headers()
                ) as response:
                    if response.status_code in _WITHOUT:
                        return
                    if response.status_code == _OK:
                        async for event in self._events(response):
                            self._take(event)
            except httpx.HTTPError as broken:
                LOGGER.debug("%s: %s", self.name, _reason(broken))
            await asyncio.sleep(_PAUSE)

    def _all_headers(self) -> dict[str, str]:
        if self._session is None:
            return self._headers
        return {**self._headers, _SESSION: self._session}

    def _broke(self) -> Settled:
        message = f"the connection to the MCP server {self.name} broke"
        return settled_by_mcp(ErrorKind.CONNECTION_LOST, message)

    # The loop -----------------------------------------------------------------------------------

    def _submit(self, work: Coroutine[Any, Any, None]) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def close(self) -> None:
        """End the session, whose end the server is told, in bounded time."""
        with self._state:
            if self.over:
                return
        self._end(self._broke)
        self._submit(self._leave())
        self._thread.join(_NOTICE + 1)

    async def _leave(self) -> None:
        if self._session is not None:
            with suppress(httpx.HTTPError, TimeoutError):
                async with asyncio.timeout(_NOTICE):
                    await self._client.delete(self._url, headers=self._all_headers())
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._client.aclose()
        self._loop.stop()


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
