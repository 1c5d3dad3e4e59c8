# SPDX-License-Identifier: Apache-2.0
"""The sessions of our own MCP server by HTTP: a bounded number of them, ended when idle."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from typing import NamedTuple

from isonomy.mcp.serving import Conversation


class _Session(NamedTuple):
    conversation: Conversation
    used: float


class Sessions:
    """Conversations by the id of their session, the one that was used last at the end.

    Args:
        most: How many there are at once. With one more, that which has been idle for longest ends.
        idle: Seconds after which one that nothing is run for ends.
    """

    def __init__(self, most: int, idle: float) -> None:
        self._most = most
        self._idle = idle
        self._known: OrderedDict[str, _Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def begin(self, conversation: Conversation) -> str | None:
        """Begin a session and give its id; None where all that there may be are at work."""
        self._end_idle()
        if len(self._known) >= self._most:
            idle = (key for key, each in self._known.items() if each.conversation.is_idle)
            longest = next(idle, None)
            if longest is None:
                return None
            del self._known[longest]
        key = secrets.token_urlsafe(32)
        self._known[key] = _Session(conversation, time.monotonic())
        return key

    def get(self, key: str) -> Conversation | None:
        """Give the conversation of a session, which counts as used; None for an unknown one."""
        self._end_idle()
        session = self._known.pop(key, None)
        if session is None:
            return None
        self._known[key] = session._replace(used=time.monotonic())
        return session.conversation

    def end(self, key: str) -> bool:
        """End a session and what it runs; false for an unknown one."""
        session = self._known.pop(key, None)
        if session is None:
            return False
        session.conversation.end()
        return True

    def _end_idle(self) -> None:
        before = time.monotonic() - self._idle
        while self._known:
            key, session = next(iter(self._known.items()))
            if session.used > before:
                return
            if session.conversation.is_idle:
                del self._known[key]
            else:
                self._known[key] = session._replace(used=time.monotonic())
                self._known.move_to_end(key)
