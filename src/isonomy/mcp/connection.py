# SPDX-License-Identifier: Apache-2.0
"""What every connection to a server does, whatever carries it (clauses 14.9, 14.14 and 14.15)."""

from __future__ import annotations

import logging
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Final

from isonomy.contract.error import ErrorKind
from isonomy.contract.forking import renew_after_fork
from isonomy.contract.outcome import Settled
from isonomy.mcp.messages import TooLong, answer, id_in, id_of, read_message
from isonomy.mcp.pending import Pending
from isonomy.mcp.replies import settled_by_mcp, unreadable

LOGGER: Final = logging.getLogger("isonomy.mcp")
_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "alert": logging.CRITICAL,
    "emergency": logging.CRITICAL,
}
_NUMBER: Final = re.compile("[0-9]{1,18}")
_ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
NOTICE: Final = 5.0
"""Seconds that a notification may take."""
_SHOWN: Final = 200
"""Characters of a foreign line that the log shows."""


class Unreachable(Exception):  # noqa: N818 - it says why
    """No connection can be opened; nothing was done by the server."""


class Ended(Unreachable):
    """The connection had ended before a byte of the request was written."""


class SessionOver(Exception):  # noqa: N818 - it is no error but a state
    """The server says that it does not know the session: the request was not run (14.12)."""


class Connection(ABC):
    """One open connection. Safe to use from several threads.

    Args:
        name: The server's name, as a JSON string.
        cap: The most bytes of one message.
        changed: Called when the server says that its tools have changed.
    """

    def __init__(self, name: str, cap: int, changed: Callable[[], object]) -> None:
        self.name = name
        self.cap = cap
        self._changed = changed
        self._numbers = count(1)
        self._state = threading.Lock()
        self._pending: dict[int, Pending] = {}
        self._told_of_strays = False
        self._retired = False
        self._subscription: Pending | None = None
        self._subscribed = threading.Event()
        renew_after_fork(self)
        #: What every request has in its `_meta`, where the revision wants that; None by others.
        self.meta: Mapping[str, Any] | None = None
        #: Whether it has ended.
        self.over = False
        self._how: Settled | None = None
        #: Whether what came says that the next call had better not use it.
        self.spent = False

    def call(
        self, method: str, params: Mapping[str, Any], pending: Pending
    ) -> Mapping[str, Any] | Settled | None:
        """Send a request and wait for its reply.

        Returns:
            The reply, or what came in its place; None where nobody waits any more.

        Raises:
            Ended: It has ended before anything was sent.
            Unreachable: The server is not there; nothing was sent.
            SessionOver: The server does not know the session; nothing was run.
        """
        with self._state:
            if self.over:
                raise Ended(self._how_it_ended())
            number = pending.number = next(self._numbers)
            self._pending[number] = pending
        if pending.report is not None:
            params = {**params, "_meta": {**(self.meta or {}), "progressToken": number}}
        elif self.meta is not None:
            params = {**params, "_meta": self.meta}
        waited = False
        try:
            self._send(number, method, params, pending)
            pending.wait()
            waited = True
        finally:
            with self._state:
                self._pending.pop(number, None)
            gone = pending.ended is None and (pending.abandoned or not waited)
            if gone and method == "tools/call":
                self._give_up(number)
            self._close_if_retired()
        if isinstance(pending.ended, Exception):
            raise pending.ended
        return pending.ended

    def speaks(self, version: str) -> None:  # noqa: B027 - most have nothing to do
        """Say which revision of the protocol was agreed upon."""

    def be_stateless(self, meta: Mapping[str, Any]) -> None:
        """Speak from now on by the revision that knows no sessions; each request has that meta."""
        self.meta = meta

    def subscribe(self, limit: float) -> None:
        """Ask to be told when the tools change, and wait so many seconds that the server takes it.

        What changes before it has taken it is seen where the tools are listed after that.
        """
        pending = self._subscription = Pending()
        pending.number = next(self._numbers)
        params = {"notifications": {"toolsListChanged": True}, "_meta": self.meta}
        self._ask_to_be_told(pending, params)
        self._subscribed.wait(limit)

    @abstractmethod
    def _ask_to_be_told(self, pending: Pending, params: Mapping[str, Any]) -> None:
        """Send `subscriptions/listen`."""

    @abstractmethod
    def notify(self, method: str, params: Mapping[str, Any], limit: float = NOTICE) -> None:
        """Send a notification, in so many seconds; where that is not possible, nothing."""

    def retire(self) -> None:
        """End the connection once nothing waits on it any more."""
        self._retired = True
        self._close_if_retired()

    def _close_if_retired(self) -> None:
        if self._retired and not self._pending:
            threading.Thread(target=self.close, name="isonomy-mcp-close", daemon=True).start()

    @abstractmethod
    def close(self) -> None:
        """End the connection, in bounded time; idempotent."""

    def renew(self) -> None:
        """Leave the connection to the process of which this one is a copy.

        Its threads are not here, and its replies are read there: nothing is sent from here.
        """
        self._state = threading.Lock()  # which may have been held by a thread that is not here
        if not self.over:
            self.over = True
            self._let_go()

    @abstractmethod
    def _let_go(self) -> None:
        """Close descriptors in a copy of the process, so that their other ends see its end."""

    @abstractmethod
    def _send(self, number: int, method: str, params: Mapping[str, Any], pending: Pending) -> None:
        """Send a request, whose end is told to `pending`."""

    @abstractmethod
    def _reply(self, message: bytes) -> None:
        """Send an answer to a request of the server."""

    def _give_up(self, number: int) -> None:
        """Tell the server that nobody waits for a request (clause 14.10)."""
        self.notify("notifications/cancelled", {"requestId": number})

    def _take(self, line: bytes | TooLong) -> None:
        """Do what a message of the server says."""
        if isinstance(line, TooLong):
            self._too_large(line)
            return
        message = read_message(line)
        if message is None:
            # What is broken may have been somebody's reply, who would wait for ever.
            number = id_in(line)
            pending = self._waiting(number)
            if pending is None:
                self._stray(line)
            else:
                pending.end(unreadable())
        else:
            self._take_message(message, line)

    def _take_message(self, message: dict[str, Any], line: bytes) -> None:
        method = message.get("method")
        if type(method) is str:
            self._asked(method, message)
        else:
            self._answered(message, line)

    def _answered(self, message: dict[str, Any], line: bytes) -> None:
        number = message.get("id")
        if type(number) is str and _NUMBER.fullmatch(number):  # as some servers give it back
            number = int(number)
        pending = self._waiting(number)
        if pending is None:
            self._stray(line)
            return
        pending.end(message)
        if pending is self._subscription:
            self._subscribed.set()  # or refused, or over

    def _waiting(self, number: Any) -> Pending | None:
        if type(number) is not int:
            return None
        asked = self._subscription
        return asked if asked is not None and asked.number == number else self._pending.get(number)

    def _asked(self, method: str, message: dict[str, Any]) -> None:
        params = message.get("params")
        fields: dict[str, Any] = params if type(params) is dict else {}
        if message.get("id") is not None:
            self._reply(answer(message["id"], method))
        elif method == "notifications/progress":
            self._progress(fields)
        elif method == "notifications/message":
            level = _LEVELS.get(str(fields.get("level")), logging.INFO)
            LOGGER.log(level, "%s: %s", self.name, str(fields.get("data"))[:8_192])
        elif method == "notifications/tools/list_changed":
            self._changed()
        elif method == _ACKNOWLEDGED:
            if self._subscribed.is_set():  # once more: something may have changed between the two
                self._changed()
            self._subscribed.set()

    def _progress(self, fields: dict[str, Any]) -> None:
        token, message = fields.get("progressToken"), fields.get("message")
        progress, total = _number(fields.get("progress")), _number(fields.get("total"))
        pending = self._pending.get(token) if type(token) is int else None
        if pending is not None and pending.report is not None and progress is not None:
            pending.report(progress, total, message if type(message) is str else None)

    def _too_large(self, line: TooLong) -> None:
        number = id_of(line.head, line.tail)
        with self._state:
            whose = list(self._pending.values())
        if number is not None:
            whose = [each for each in whose if each.number == number]
        for pending in whose:
            pending.end(self.too_large())

    def too_large(self) -> Settled:
        """Give what a reply beyond the cap becomes."""
        message = f"the reply takes more than {self.cap} bytes"
        return settled_by_mcp(ErrorKind.TOO_LARGE, message)

    def _stray(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip("\ufeff\r \t")
        if text and not self._told_of_strays:
            self._told_of_strays = True
            LOGGER.warning(
                "%s: it sent something that is no message that is waited for; it is left out, and"
                " more of the kind will be without a word: %s",
                self.name,
                ascii(text[:_SHOWN]),
            )

    def _end(self, why: Callable[[], Settled]) -> None:
        """End every request that waits."""
        with self._state:
            if self.over:
                return
            self._how = settled = why()
            self.over = True
            self._subscribed.set()
            waiting = list(self._pending.values())
        for pending in waiting:
            pending.end(settled)

    def _how_it_ended(self) -> str:
        """Tell what ended it, as far as that is known."""
        return "the connection has ended" if self._how is None else self._how.error.message


def _number(value: Any) -> float | None:
    return value if type(value) in (int, float) else None
