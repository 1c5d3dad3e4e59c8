# SPDX-License-Identifier: Apache-2.0
"""An MCP server as a source of tools (clause 14)."""

from __future__ import annotations

import atexit
import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from types import TracebackType
from typing import Any, Final
from urllib.parse import urlsplit

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.forking import renew_after_fork
from isonomy.contract.jsontext import write
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Settled
from isonomy.mcp.beginning import NO_SESSION, Asking, begin
from isonomy.mcp.connection import LOGGER, Connection, Ended, SessionOver, Unreachable
from isonomy.mcp.http import HttpConnection
from isonomy.mcp.listing import listed
from isonomy.mcp.mcp_tool import McpTool, not_there
from isonomy.mcp.pending import Pending
from isonomy.mcp.replies import Output, read_reply, settled_by_mcp
from isonomy.mcp.stateless import Marked
from isonomy.mcp.stdio import StdioConnection
from isonomy.tools.amounts import seconds
from isonomy.tools.tool import Invocation, Tool

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE: Final = re.compile(r"[\t -~\x80-\xff]*")
MAX_REPLY: Final = 64 * 1024 * 1024
_PAUSE: Final = 1.0
"""Seconds after an attempt to open a connection that failed in which there is no other (14.13)."""

Open = Callable[[Callable[[], object]], Connection]


class McpUnavailable(Exception):  # noqa: N818 - it says what is not there
    """A server cannot be reached, and so nobody knows its tools."""


class McpServer(list[Tool]):
    """The tools of an MCP server, a list that can be closed. Made by `mcp_server`.

    Safe to use from several threads, which share one session. A session that was lost is opened
    again by the next call; nothing that may have been run is ever sent again (clause 14.11).
    """

    def __init__(
        self,
        name: str,
        open_connection: Open,
        *,
        timeout: float | None,
        allowed: Sequence[str] | None,
        start_timeout: float,
    ) -> None:
        super().__init__()
        #: The name that this host gave the server.
        self.name = name
        self._quoted = write(name).decode()
        self._open_connection = open_connection
        self._timeout = timeout
        self._allowed = allowed
        self._start_timeout = start_timeout
        self._opening = threading.RLock()
        self._connection: Connection | None = None
        self._stale = False
        self._closed = False
        self._refused: Unreachable | None = None
        self._not_before = 0.0
        self._tools: dict[str, McpTool] = {}
        renew_after_fork(self)
        try:
            self._opened()
        except Unreachable as unreachable:
            if allowed is None:
                raise McpUnavailable(self._says(unreachable)) from None
            LOGGER.warning("%s", self._says(unreachable))
            self._tools = {each: McpTool(self, each, {}, timeout) for each in allowed}
            self._unknown = True
        else:
            self._unknown = False
        self.extend(self._tools.values())
        _servers.add(self)

    def __hash__(self) -> int:  # type: ignore[override]  # it is itself, whatever its tools are
        return id(self)

    # Calls --------------------------------------------------------------------------------------

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        invocation: Invocation,
        output: Output | None,
        marked: Marked | None = None,
    ) -> Outcome:
        """Carry a call to the server; `McpTool` does that with arguments it has judged."""
        params = {"name": name, "arguments": arguments}
        try:
            reply = self._exchange(params, invocation, marked)
        except Unreachable as unreachable:
            return self._not_reached(unreachable)
        if isinstance(reply, Settled):
            return reply
        if reply is None:  # nobody waits; what is said is dropped
            return settled_by_mcp(ErrorKind.TIMEOUT, "nobody waits any more")
        return read_reply(reply, output)

    def _exchange(
        self, params: Mapping[str, Any], invocation: Invocation, marked: Marked | None
    ) -> Mapping[str, Any] | Settled | None:
        connection = self._opened()
        try:
            return self._send(connection, params, invocation, marked)
        except (SessionOver, Ended):
            self._drop(connection)
        connection = self._opened()
        try:  # once more: nothing was run (clauses 14.11 and 14.12)
            return self._send(connection, params, invocation, marked)
        except SessionOver:
            self._drop(connection)
            raise self._refuse(Unreachable(NO_SESSION)) from None

    def _send(
        self,
        connection: Connection,
        params: Mapping[str, Any],
        invocation: Invocation,
        marked: Marked | None,
    ) -> Mapping[str, Any] | Settled | None:
        context = invocation.context
        pending = Pending(None if context is None else context.progress, marked)
        invocation.on_cancel(pending.abandon)
        return connection.call("tools/call", params, pending)

    def described(self, name: str) -> McpTool | None:
        """Give a tool as the server listed it last, without asking anew; None for an unlisted."""
        return self._tools.get(name)

    def current(self, name: str, tool: McpTool) -> McpTool | Settled:
        """Give a tool as the server describes it now, or why it cannot be called."""
        if self._stale or self._unknown:
            try:
                self._refresh(self._opened())
            except Unreachable as unreachable:
                return self._not_reached(unreachable)
        now = self._tools.get(name)
        if now is None:
            return not_there(tool.name)
        # one that this host named otherwise is as good as the one that is listed
        return tool if now is tool or now.told is tool.told else now

    # The session --------------------------------------------------------------------------------

    def _opened(self) -> Connection:
        connection = self._connection
        if connection is not None and not connection.over and not connection.spent:
            return connection
        with self._opening:
            connection = self._connection
            if connection is not None and not connection.over:
                if not connection.spent:
                    return connection
                self._drop(connection)
            if self._closed:
                raise Unreachable("it was closed")
            if self._refused is not None and time.monotonic() < self._not_before:
                raise self._refused
            try:
                self._connection = connection = self._open()
            except Unreachable as unreachable:
                raise self._refuse(unreachable) from None
            self._refused = None
            return connection

    def _refuse(self, unreachable: Unreachable) -> Unreachable:
        """Have the same said again for a moment."""
        self._not_before = time.monotonic() + _PAUSE
        self._refused = unreachable
        return unreachable

    def _open(self) -> Connection:
        connection = self._open_connection(self._changed)
        try:
            ask = Asking(connection, self._start_timeout)
            begin(connection, ask)
            self._list(ask)
        except (Unreachable, SessionOver) as broken:
            connection.close()
            if isinstance(broken, SessionOver):
                raise Unreachable(NO_SESSION) from None
            raise
        return connection

    def _list(self, ask: Asking) -> None:
        self._stale = False  # before it is read: it may change meanwhile
        try:
            told = listed(ask.result, self._quoted)
        except (Unreachable, SessionOver):
            self._stale = True
            raise
        wanted = told if self._allowed is None else [name for name in self._allowed if name in told]
        for name in self._allowed or ():
            if name not in told:
                quoted = write(name).decode()
                LOGGER.warning("%s: it has no tool named %s; left out", self._quoted, quoted)
        known = self._tools
        tools: dict[str, McpTool] = {}
        for name in wanted:
            before = known.get(name)
            same = before is not None and before.told == told[name]
            tools[name] = (
                before
                if same and before is not None
                else McpTool(self, name, told[name], self._timeout)
            )
        self._tools = tools
        self._unknown = False

    def _refresh(self, connection: Connection) -> None:
        """Read the list again, unless another thread has just done so."""
        with self._opening:
            if not self._stale:
                return
            try:
                self._list(Asking(connection, self._start_timeout))
            except (SessionOver, Ended):  # a new one begins with it
                self._drop(connection)
                self._opened()

    def _changed(self) -> None:
        self._stale = True

    def _drop(self, connection: Connection) -> None:
        with self._opening:
            if self._connection is connection:
                self._connection = None
        connection.retire()

    def _says(self, unreachable: Unreachable) -> str:
        return f"the MCP server {self._quoted} cannot be reached: {unreachable}"

    def _not_reached(self, unreachable: Unreachable) -> Settled:
        said = self._says(unreachable)
        return settled_by_mcp(ErrorKind.CONNECTION_LOST, said, Effect.NONE)

    def renew(self) -> None:
        """Begin anew in a copy of the process; the session is that of the other one."""
        self._opening = threading.RLock()
        self._connection = None

    # The end ------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the session; what waits for a reply is `connection_lost`. Idempotent."""
        with self._opening:
            self._closed = True
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __enter__(self) -> McpServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        self.close()


def mcp_server(
    command: Sequence[str] | None = None,
    *,
    url: str | None = None,
    name: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float | None = None,
    tools: Iterable[str] | None = None,
    start_timeout: float = 30.0,
    max_reply: int = MAX_REPLY,
) -> McpServer:
    """Return the tools of an MCP server.

    Args:
        command: The program and its arguments, for a server that is a process of ours.
        url: Where it is, for one that is reached by streamable HTTP.
        name: What this host calls it; the program's or the host's name when left out.
        env: Environment variables of the process. Beside them it sees PATH, HOME and the like,
            and no others of this process.
        cwd: The working directory of the process; that of this one when left out.
        headers: Headers of every HTTP request, such as a bearer token.
        timeout: Seconds for one call; None for none.
        tools: The names of the tools to take; all when left out. With names, a server that is not
            there is no mistake: calls fail until it is.
        start_timeout: Seconds that opening a connection, beginning a session and reading the list
            of tools may take together.
        max_reply: The most bytes of one message of the server.

    Returns:
        The tools, a list that can be closed.

    Raises:
        McpUnavailable: The server cannot be reached, and `tools` was not given.
        Misuse: An argument is none.
    """
    if (command is None) == (url is None):
        raise Misuse("mcp_server takes a command or a url, one of them")
    if command is not None and headers:
        raise Misuse("mcp_server: headers are for a url; give a command its secrets in env")
    if url is not None and (env or cwd is not None):
        raise Misuse("mcp_server: env and cwd are for a command; give a url headers")
    limits = {
        "timeout": seconds("mcp_server: timeout", timeout),
        "start_timeout": seconds("mcp_server: start_timeout", start_timeout) or 30.0,
    }
    if type(max_reply) is not int or max_reply < 1:
        raise Misuse(f"mcp_server: max_reply is a number of bytes, got {max_reply!r}")
    opening: Open
    if command is not None:
        program = _program(command)
        name = name or PurePath(program[0]).name
        opening = _by_stdio(name, program, _variables(env or {}), cwd, max_reply)
    else:
        address = str(url)
        name = name or urlsplit(address).hostname or address
        opening = _by_http(name, address, _headers(headers or {}), max_reply)
    return McpServer(name, opening, allowed=_names(tools), **limits)  # type: ignore[arg-type]


def _names(tools: Iterable[str] | None) -> tuple[str, ...] | None:
    names = None if tools is None or isinstance(tools, str) else tuple(dict.fromkeys(tools))
    if isinstance(tools, str) or not all(isinstance(each, str) for each in names or ()):
        raise Misuse(f"mcp_server takes tools as a list of names, got {tools!r}")
    return names


def _variables(env: Mapping[str, str]) -> dict[str, str]:
    for name, value in env.items():
        sound = type(name) is str and type(value) is str
        if not sound:
            # not the value, which may be a secret
            raise Misuse(f"mcp_server: the variable {name!r} of env or its value is no text")
    return dict(env)


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        sound = type(name) is str and type(value) is str and _TOKEN.fullmatch(name)
        if not sound or not _VALUE.fullmatch(value):
            # not the value, which may be a secret
            raise Misuse(f"mcp_server: the header {name!r} or its value cannot be sent by HTTP")
    return dict(headers)


def _program(command: Sequence[str]) -> list[str]:
    given: Any = command
    if isinstance(given, str | bytes) or not all(isinstance(part, str) for part in command):
        raise Misuse(f"mcp_server takes a command as a list of texts, got {command!r}")
    if not command:
        raise Misuse("mcp_server was given an empty command")
    return list(command)


def _by_stdio(
    name: str,
    command: list[str],
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None,
    cap: int,
) -> Open:
    quoted = write(name).decode()
    folder = None if cwd is None else os.fspath(cwd)
    return lambda changed: StdioConnection(quoted, command, env, folder, cap, changed)


def _by_http(name: str, url: str, headers: Mapping[str, str], cap: int) -> Open:
    quoted = write(name).decode()
    return lambda changed: HttpConnection(quoted, url, headers, cap, changed)


_servers: Final[weakref.WeakSet[McpServer]] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for server in list(_servers):
        server.close()
