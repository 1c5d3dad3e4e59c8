# SPDX-License-Identifier: Apache-2.0
"""How a host and a server begin (clauses 14.19 and 14.20)."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

from isonomy.contract.error import is_blank
from isonomy.contract.jsontext import write
from isonomy.contract.outcome import Settled
from isonomy.mcp.connection import Connection, Unreachable
from isonomy.mcp.listing import result_of
from isonomy.mcp.pending import Pending
from isonomy.mcp.replies import NO_MESSAGE
from isonomy.mcp.stateless import REVISION, stateless_meta

OFFERED: Final = "2025-11-25"
"""The revision of the protocol that is offered."""
REVISIONS: Final = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", OFFERED})
NO_SESSION: Final = "it knows no session that it has just begun"
_MOST_SAID: Final = 1_000
_MOMENT: Final = 1.0
"""Seconds in which a server that tells of changes says so; the list is read after that."""


class Asking:
    """Requests to a server that are no calls; all of them have one time together. For one thread.

    Args:
        connection: Where they are sent.
        limit: Seconds for all of them.
    """

    def __init__(self, connection: Connection, limit: float) -> None:
        self._connection = connection
        self._limit = limit
        self._last = time.monotonic() + limit

    def left(self) -> float:
        """Tell the seconds that are left."""
        return max(0.0, self._last - time.monotonic())

    def result(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give the result of a request; raises as `reply` does, and where there is none."""
        return result_of(self.reply(method, params), method)

    def reply(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any] | Settled:
        """Give the reply to a request, or what came in its place.

        Raises:
            Unreachable: There is none, in time or at all.
            SessionOver: The server does not know the session.
        """
        pending = Pending()
        timer = threading.Timer(self.left(), pending.abandon)
        timer.daemon = True
        timer.start()
        try:
            reply = self._connection.call(method, params, pending)
        finally:
            timer.cancel()
        if reply is None:
            raise Unreachable(f"it did not answer {method} in {self._limit:g} seconds")
        return reply


def begin(connection: Connection, ask: Asking) -> None:
    """Agree upon a revision.

    Raises:
        Unreachable: There is none that both speak.
    """
    info = {"name": "isonomy", "version": version("isonomy")}
    offer = {"protocolVersion": OFFERED, "capabilities": {}, "clientInfo": info}
    reply = ask.reply("initialize", offer)
    error = None if isinstance(reply, Settled) else reply.get("error")
    if type(error) is dict:
        connection.be_stateless(stateless_meta(info))
        if not _is_stateless(ask):
            said = f"it does not answer initialize as it should: {_text(error)}"
            raise Unreachable(said[:_MOST_SAID])
        connection.subscribe(min(_MOMENT, ask.left()))
        return
    revision = result_of(reply, "initialize").get("protocolVersion")
    if type(revision) is not str or revision not in REVISIONS:
        raise Unreachable(f"it speaks the revision {_json(revision)}"[:_MOST_SAID])
    connection.speaks(revision)
    connection.notify("notifications/initialized", {}, ask.left())


def _is_stateless(ask: Asking) -> bool:
    try:
        supported = ask.result("server/discover", {}).get("supportedVersions")
    except Unreachable:
        return False
    return type(supported) is list and REVISION in supported


def _text(error: Mapping[str, Any]) -> str:
    message = error.get("message")
    return NO_MESSAGE if type(message) is not str or is_blank(message) else message


def _json(value: Any) -> str:
    try:
        return write(value).decode()
    except ValueError:  # a float that is no number
        return str(value)
