# SPDX-License-Identifier: Apache-2.0
"""What a server tells of its tools (clause 14.16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final

from isonomy.contract.error import is_blank
from isonomy.contract.jsontext import write
from isonomy.contract.outcome import Settled
from isonomy.mcp.connection import LOGGER, Unreachable

MOST_TOOLS: Final = 10_000
_MOST_PAGES: Final = 1_000

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Sends a request and gives its result; raises `Unreachable`."""


def result_of(reply: Mapping[str, Any] | Settled | None, method: str) -> Mapping[str, Any]:
    """Give the result of a request that is no call of a tool.

    Raises:
        Unreachable: There is none.
    """
    if isinstance(reply, Settled):
        raise Unreachable(reply.error.message)
    result = None if reply is None else reply.get("result")
    error = None if reply is None else reply.get("error")
    if error is None and type(result) is dict:
        return result
    said = f": {error['message']}" if type(error) is dict and error.get("message") else ""
    raise Unreachable(f"it does not answer {method} as it should{said}"[:1_000])


def listed(ask: Ask, server: str) -> dict[str, Mapping[str, Any]]:
    """Give the tools of all pages by their names, in order.

    Raises:
        Unreachable: There are too many, or the pages come round again.
    """
    tools: dict[str, Mapping[str, Any]] = {}
    params: dict[str, Any] = {}
    seen: set[bytes] = set()
    while True:
        page = ask("tools/list", params)
        entries = page.get("tools")
        for entry in entries if type(entries) is list else ():
            _add(tools, entry, server)
        if len(tools) > MOST_TOOLS:
            raise Unreachable(f"it offers more than {MOST_TOOLS} tools")
        cursor = page.get("nextCursor")
        if cursor is None:
            return tools
        digest = sha256(write(cursor)).digest()  # a cursor may be as long as a message
        if digest in seen or len(seen) >= _MOST_PAGES:
            raise Unreachable("the pages of its tools have no end")
        seen.add(digest)
        params = {"cursor": cursor}


def _add(tools: dict[str, Mapping[str, Any]], entry: Any, server: str) -> None:
    name = entry.get("name") if type(entry) is dict else None
    if type(name) is not str or is_blank(name):
        LOGGER.warning("%s: a tool without a name is left out", server)
    elif name in tools:
        quoted = write(name[:200]).decode()
        LOGGER.warning("%s: a second tool of the name %s is left out", server, quoted)
    else:
        tools[name] = entry
