# SPDX-License-Identifier: Apache-2.0
"""HTTP connections to one address: kept for the next request, and cut from any thread."""

from __future__ import annotations

import base64
import os
import re
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, cast
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from isonomy.contract.misuse import Misuse

_CONNECT: Final = 10.0
"""Seconds that a connection may take to be opened."""
_KEPT: Final = 64
"""Connections that are kept open when nothing is done with them."""
_MOMENT: Final = 0.1
"""Seconds in which they have to come."""
_SWITCHING, _OK = 101, 200
_REST: Final = 65_536
"""Bytes behind a reply that are read so that its connection can be used again."""


_UNFIT: Final = re.compile(r"[^!-~]")


class NotConnected(OSError):  # noqa: N818 - it says why
    """No connection can be opened; nothing was sent."""


class _Response(HTTPResponse):
    """A response, before which there may be others that say that it will come (1xx)."""

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            status: tuple[str, int, str] = super()._read_status()  # type: ignore[misc]
            if not _SWITCHING < status[1] < _OK:
                return status
            while self.fp.readline(_REST).strip():
                pass


class Use:
    """One connection while one request is done with it.

    Args:
        connection: The connection.
        target: What the request line names.
    """

    def __init__(self, connection: HTTPConnection, target: str, timeout: float | None) -> None:
        self.connection = connection
        self._target = target
        self._timeout = timeout
        self._response: HTTPResponse | None = None
        # That of the connection, which lets go of it where a response is its last.
        self._socket: socket.socket | None = None
        self._is_cut = self._is_over = False
        self._ending = threading.Lock()
        #: Whether the response was read to its end, and the connection can be used again.
        self.done = False

    def send(self, method: str, body: bytes | None, headers: Mapping[str, str]) -> HTTPResponse:
        """Send a request and wait for the head of its response.

        Raises:
            NotConnected: There is no connection.
            OSError: It broke. So does `HTTPException`.
        """
        if self.connection.sock is None:
            self._connect()
        self._socket = sock = cast("socket.socket", self.connection.sock)
        sock.settimeout(self._timeout)
        if self._is_cut:
            self.cut()
        try:
            self.connection.request(method, self._target, body, dict(headers))
        except (BrokenPipeError, ConnectionResetError):
            # It may have answered before it had read everything, and then have closed.
            with suppress(HTTPException, OSError):
                self._response = self.connection.getresponse()
                return self._response
            raise
        self._response = self.connection.getresponse()
        return self._response

    def _connect(self) -> None:
        """Connect so that it can be cut at each step."""
        connection: Any = self.connection
        connection._create_connection = self._created
        try:
            HTTPConnection.connect(connection)
            if isinstance(connection, HTTPSConnection):
                name = connection._tunnel_host or connection.host  # type: ignore[attr-defined]
                sock = connection._context.wrap_socket(  # type: ignore[attr-defined]
                    connection.sock, server_hostname=name, do_handshake_on_connect=False
                )
                self._socket = connection.sock = sock
                sock.do_handshake()
        except (OSError, HTTPException, ValueError) as refused:
            reason = refused.strerror if isinstance(refused, OSError) else None
            raise NotConnected(reason or str(refused)) from None
        finally:
            connection._create_connection = socket.create_connection
        if self._is_cut:
            raise NotConnected("nobody waits any more")

    def _created(self, address: tuple[str, int], timeout: float, _: Any) -> socket.socket:
        """Give a socket that is connected to the first of the addresses that takes it."""
        last = time.monotonic() + timeout
        refused = OSError("it has no address")
        for family, kind, number, _name, place in socket.getaddrinfo(
            *address, type=socket.SOCK_STREAM
        ):
            if self._is_cut:
                break
            self._socket = sock = socket.socket(family, kind, number)
            try:
                sock.settimeout(max(0.001, last - time.monotonic()))
                sock.connect(place)
                sock.settimeout(timeout)
            except OSError as broken:
                refused = broken
                sock.close()
            else:
                return sock
        raise refused

    def read_whole(self) -> bool:
        """Read the rest of the response, if it is short; tell whether it was."""
        response = self._response
        if response is None:
            return False
        if not response.isclosed():
            if response.length is None and not response.chunked:
                return False
            with suppress(OSError, HTTPException, ValueError), self.cut_after(_MOMENT):
                response.read(_REST)
        return response.isclosed()

    @contextmanager
    def cut_after(self, limit: float) -> Iterator[None]:
        """Break the connection after so many seconds, however slowly something still comes."""
        timer = threading.Timer(limit, self.cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def cut(self) -> None:
        """Break the connection, whatever thread waits on it; once the use is over, nothing."""
        with self._ending:
            if self._is_over:  # somebody else's by now
                return
            self._is_cut = True
            if self._socket is not None:
                with suppress(OSError):
                    # past TLS, which would say farewell
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def end(self) -> bool:
        """End the use; tell whether its connection can be used again."""
        with self._ending:
            self._is_over = True
        return self.done and not self._is_cut and self.connection.sock is not None

    def let_go(self) -> None:
        """Close the descriptor alone; what reads from it belongs to a thread that is not here."""
        self._ending, self._is_over = threading.Lock(), True
        if self._socket is not None:
            number = self._socket.detach()
            if number >= 0:
                os.close(number)


class Sockets:
    """Connections to the address of a url, by a proxy where the environment names one.

    Safe to use from several threads.

    Raises:
        Misuse: It is no url of http or https.
    """

    def __init__(self, url: str) -> None:
        no_url = f"an MCP server's url begins with http:// or https://, got {url!r}"
        try:
            parts = urlsplit(url)
            sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError as wrong:  # a port that is none, say
            raise Misuse(no_url) from wrong
        if not sound:
            raise Misuse(no_url)
        if _UNFIT.search(f"{parts.path}{parts.query}"):
            raise Misuse(f"the path of an MCP server's url has to be percent-encoded, got {url!r}")
        self._parts = parts
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._proxy = _proxy(parts)
        path = parts.path or "/"
        self._target = f"{path}?{parts.query}" if parts.query else path
        if self._proxy is not None and self._tls is None:
            port = "" if parts.port is None else f":{parts.port}"
            host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
            self._target = f"http://{host}{port}{self._target}"
        self._lock = threading.Lock()
        self._idle: list[HTTPConnection] = []
        self._used: set[Use] = set()
        self._closed = False

    @contextmanager
    def use(self, timeout: float | None = None) -> Iterator[Use]:
        """Give a connection for one request; kept afterwards where its `done` says so."""
        use = Use(self._taken() or self._new(), self._target, timeout)
        with self._lock:
            self._used.add(use)
        try:
            yield use
        finally:
            can_be_kept = use.end()
            with self._lock:
                self._used.discard(use)
                keeps = can_be_kept and not self._closed and len(self._idle) < _KEPT
                if keeps:
                    self._idle.append(use.connection)
            if not keeps:
                use.connection.close()

    def cut(self) -> None:
        """Break all connections that are used now."""
        with self._lock:
            used = list(self._used)
        for use in used:
            use.cut()

    def close(self) -> None:
        """Close those that are not used, and keep none from now on."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def let_go(self) -> None:
        """Close all descriptors in a copy of the process, which says nothing to the server."""
        self._lock = threading.Lock()
        used, self._used = self._used, set()
        for use in used:
            use.let_go()
        self.close()

    def _taken(self) -> HTTPConnection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            # What can be read of one that is idle is its end.
            if connection.sock is not None and not _can_be_read(connection.sock):
                return connection
            connection.close()

    def _new(self) -> HTTPConnection:
        host, port = str(self._parts.hostname), self._parts.port
        at, at_port = (host, port) if self._proxy is None else self._proxy[:2]
        connection: HTTPConnection
        if self._tls is None:
            connection = HTTPConnection(at, at_port, timeout=_CONNECT)
        else:
            connection = HTTPSConnection(at, at_port, timeout=_CONNECT, context=self._tls)
            if self._proxy is not None:
                connection.set_tunnel(host, port or 443, self._proxy[2])
        connection.response_class = _Response
        return connection

    def headers(self) -> dict[str, str]:
        """Give the headers that each request has for the sake of a proxy."""
        return {} if self._proxy is None or self._tls is not None else self._proxy[2]


def _can_be_read(sock: socket.socket) -> bool:
    poll = select.poll()  # `select` takes no descriptor from 1,024 on
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _proxy(parts: SplitResult) -> tuple[str, int | None, dict[str, str]] | None:
    """Give host, port and headers of the proxy that the environment names for a url."""
    named = getproxies().get(parts.scheme)
    if named is None or proxy_bypass(parts.netloc):
        return None
    proxy = urlsplit(named if "//" in named else f"//{named}")
    if proxy.hostname is None:
        return None
    headers = {}
    if proxy.username is not None:
        who = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(who.encode()).decode()}"
    return proxy.hostname, proxy.port, headers
