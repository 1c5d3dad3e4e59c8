# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of `isonomy serve`: uvicorn, which waits for headers no longer than it should."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

_HEADERS: Final = 10.0
"""Seconds in which the headers of a request have to come."""
_HEADER_BYTES: Final = 65_536


class _Patient(H11Protocol):
    """HTTP by h11; a client that sends its headers a byte at a time is let go."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._wait_no_more()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(_HEADERS, self._let_go)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _let_go(self) -> None:
        self._waiting = None
        if self.conn.their_state is h11.IDLE:
            self.transport.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to who runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def patient_server(app: Any, most: int, last: int) -> uvicorn.Server:
    """Return a server of an ASGI application.

    Args:
        app: The application.
        most: Connections at once; more are answered with 503.
        last: Seconds that requests have which run when it ends.
    """
    return _Server(
        uvicorn.Config(
            app,
            http=_Patient,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",  # what clients do wrong is not told to who runs it
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=most,
            timeout_graceful_shutdown=last,
            h11_max_incomplete_event_size=_HEADER_BYTES,
        )
    )
