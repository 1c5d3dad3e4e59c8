# SPDX-License-Identifier: Apache-2.0
"""Tools as an MCP server, whatever carries its messages (clauses 14.23 to 14.29)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import version
from itertools import islice
from typing import Any, Final, Protocol

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind, ToolError
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.contract.tagged import PortableError
from isonomy.mcp.mcp_tool import McpTool
from isonomy.mcp.requests import (
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Request,
    RpcError,
    is_response,
)
from isonomy.mcp.served import LATEST, STATELESS, Disclosure, served
from isonomy.tools.context import Progress
from isonomy.tools.tool import Tool

SESSION_REVISIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST)
"""The revisions that begin with `initialize`."""
REVISIONS: Final = (*SESSION_REVISIONS, STATELESS)
BATCHES: Final = "2025-03-26"
"""The one revision with batches of messages."""

_OURS: Final = "io.modelcontextprotocol/"
VERSION: Final = _OURS + "protocolVersion"
_PAGE: Final = 1_000
"""Tools of one page of the list."""
_TOLD: Final = ("title", "annotations", "outputSchema", "icons", "_meta")
"""What a server tells of a tool beside what every tool has (clause 14.23)."""

_log = logging.getLogger("isonomy.mcp")

Message = dict[str, Any]
Tell = Callable[[Message], None]
"""Sends a notification to the client; called in the event loop's thread."""


class CallTool(Protocol):
    """Runs one call, and tells of its progress from whichever thread that comes.

    To cancel the task that awaits it is the caller's cancellation (clause 8.9).
    """

    async def __call__(self, call: ToolCall, progress: Progress | None, /) -> ToolResponse:
        """Run the call and give its response."""
        ...


class ToolService:
    """Tools as they are served: the list of them, and how they are called.

    For one event loop; what it holds is not changed by what clients send.

    Args:
        tools: The tools.
        call: Runs a call.
        disclosure: What clients are told of failures.
        name: The server's name.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        call: CallTool,
        disclosure: Disclosure = Disclosure(),  # noqa: B008 - immutable
        name: str = "isonomy",
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self.call = call
        self.disclosure = disclosure
        self.info = {"name": name, "version": version("isonomy")}
        self._ending = asyncio.Event()

    def __len__(self) -> int:
        return len(self._tools)

    def page(self, cursor: Any) -> dict[str, Any]:
        """Give the page of the list of tools that a cursor names, the first one for None."""
        start = 0
        if cursor is not None:
            known = type(cursor) is str and cursor.isascii() and cursor.isdigit()
            start = int(cursor[:9]) if known else 0
            if not 0 < start < len(self._tools):
                raise RpcError(INVALID_PARAMS, "cursor is none that this server gave")
        tools = islice(self._tools.values(), start, start + _PAGE)
        page: dict[str, Any] = {"tools": list(map(_entry, tools))}
        if start + _PAGE < len(self._tools):
            page["nextCursor"] = str(start + _PAGE)
        return page

    def result_of(self, name: str, response: ToolResponse, revision: str) -> dict[str, Any]:
        """Give the result that a response of a tool becomes."""
        promised = "outputSchema" in _told_of(self._tools.get(name))
        try:
            return served(response, self.disclosure, revision=revision, output_schema=promised)
        except PortableError as refused:  # what no tool's result is, its content or meta may be
            failure = ToolFailure(ToolError(ErrorKind(refused.kind), refused.message))
            return served(failure, self.disclosure, revision=revision, output_schema=promised)

    def end(self) -> None:
        """End what waits for news of this server."""
        self._ending.set()

    async def ended(self) -> None:
        """Wait until the server ends."""
        await self._ending.wait()


def _entry(tool: Tool) -> dict[str, Any]:
    """Give what the list says of a tool (clause 14.23)."""
    now = tool.latest if isinstance(tool, McpTool) else tool
    schema: dict[str, Any] = dict(now.input_schema)
    # Which some clients want to read, and which every list of arguments is.
    schema.setdefault("type", "object")
    entry = {"name": tool.name, "description": now.description, "inputSchema": schema}
    return entry | _told_of(tool)


def _told_of(tool: Tool | None) -> dict[str, Any]:
    """Give what another server tells of a tool beside what every tool has."""
    if not isinstance(tool, McpTool):
        return {}
    told = tool.latest.told
    return {key: told[key] for key in _TOLD if told.get(key) is not None}


class Conversation:
    """One client: the revision that it speaks, and its calls that run.

    Args:
        service: The tools.
        revision: What it speaks until it says otherwise.
    """

    def __init__(self, service: ToolService, revision: str = LATEST) -> None:
        self._service = service
        self._running: dict[str | int, asyncio.Task[Message]] = {}
        #: The revision that was agreed.
        self.revision = revision

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being run for this client."""
        return not self._running

    def end(self) -> None:
        """Cancel what is being run for this client."""
        for task in tuple(self._running.values()):
            task.cancel()

    async def answer(self, message: Any, tell: Tell) -> Any:
        """Do what a message asks for, and give the answer; None where there is none.

        A message is a JSON tree, as is the answer. Where the task that awaits this is cancelled,
        that is the caller's cancellation of what it runs (clause 14.29).

        Args:
            message: What the client sent.
            tell: Takes what is to be told to the client before the answer.
        """
        if type(message) is not list:
            return await self._answer_one(message, tell)
        if self.revision != BATCHES:
            return RpcError(INVALID_REQUEST, "batches are not taken").reply()
        if not message:
            return RpcError(INVALID_REQUEST, "the batch is empty").reply()
        answers = await asyncio.gather(*[self._answer_one(each, tell) for each in message])
        return [each for each in answers if each is not None] or None

    async def _answer_one(self, message: Any, tell: Tell) -> Message | None:
        if is_response(message):
            return None
        try:
            request = Request(message)
        except RpcError as error:
            return error.reply()
        number = request.number
        if number is None:
            self._notice(request)
            return None
        if number in self._running:
            # Under the id of both, this would pass for the answer to the first.
            return RpcError(INVALID_REQUEST, "a request with this id is being run").reply()
        try:
            begun = self._begin(number, request, tell)
            result = begun if isinstance(begun, dict) else await self._run(number, begun)
        except RpcError as error:
            return error.reply(number)
        return None if result is None else {"jsonrpc": "2.0", "id": number, "result": result}

    async def _run(self, number: str | int, begun: Coroutine[Any, Any, Message]) -> Message | None:
        """Run what takes time, and give its result; None where the client cancelled it."""
        task = asyncio.ensure_future(begun)
        self._running[number] = task
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait((task,))
            raise
        finally:
            del self._running[number]
        if task.cancelled():
            return None
        raised = task.exception()
        if raised is None:
            return task.result()
        _log.error("a request broke", exc_info=raised)
        raise RpcError(INTERNAL, "Internal error")

    def _notice(self, request: Request) -> None:
        if request.method == "notifications/cancelled":
            number = request.params.get("requestId")
            if type(number) is str or type(number) is int:
                task = self._running.get(number)
                if task is not None:
                    task.cancel()

    def _begin(
        self, number: str | int, request: Request, tell: Tell
    ) -> Message | Coroutine[Any, Any, Message]:
        """Give the result of a request, or what gives it where that takes time."""
        revision = self._revision_of(request)
        method = request.method
        if method == "tools/call":
            return self._call(self._call_of(request), request, revision, tell)
        if method == "tools/list":
            page = self._service.page(request.params.get("cursor"))
            return self._stateless(page) if revision == STATELESS else page
        if revision == STATELESS:
            if method == "server/discover":
                told = {"supportedVersions": list(REVISIONS), "capabilities": {"tools": {}}}
                return self._stateless(told)
            if method == "subscriptions/listen":
                return self._listen(number, tell)
        elif method == "initialize":
            return self._initialize(request.params)
        elif method == "ping":
            return {}
        raise RpcError(METHOD_NOT_FOUND, "Method not found")

    def _revision_of(self, request: Request) -> str:
        if VERSION not in request.meta:
            return self.revision
        asked = request.meta[VERSION]
        if type(asked) is not str:
            raise RpcError(INVALID_PARAMS, f"{VERSION} is a string")
        if asked != STATELESS:
            data = {"supported": list(REVISIONS), "requested": asked}
            raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        return STATELESS

    def _initialize(self, params: Mapping[str, Any]) -> Message:
        asked = params.get("protocolVersion")
        if type(asked) is not str:
            raise RpcError(INVALID_PARAMS, "initialize has a string `protocolVersion`")
        self.revision = asked if asked in SESSION_REVISIONS else LATEST
        return {
            "protocolVersion": self.revision,
            "capabilities": {"tools": {}},
            "serverInfo": self._service.info,
        }

    def _stateless(self, told: Mapping[str, Any]) -> Message:
        meta = {_OURS + "serverInfo": self._service.info}
        extra = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": meta}
        return {**told, **extra}

    async def _listen(self, number: str | int, tell: Tell) -> Message:
        """Keep a stream of news open; there are none, since the list of tools stays as it is."""
        meta = {_OURS + "subscriptionId": number}
        method = "notifications/subscriptions/acknowledged"
        tell(_notification(method, {"notifications": {}, "_meta": meta}))
        await self._service.ended()
        return {"resultType": "complete", "_meta": meta}

    def _call_of(self, request: Request) -> ToolCall:
        name = request.params.get("name")
        if type(name) is not str:
            raise RpcError(INVALID_PARAMS, "tools/call has a string `name`")
        return ToolCall(name, request.params.get("arguments"))

    async def _call(self, call: ToolCall, request: Request, revision: str, tell: Tell) -> Message:
        token = request.meta.get("progressToken")
        progress = _Told(token, tell) if type(token) is str or type(token) is int else None
        try:
            response = await self._service.call(call, progress)
        finally:
            if progress is not None:
                progress.end()
        return self._service.result_of(call.tool, response, revision)


class _Told:
    """Tells a client of the progress of one call, until that has ended; from any thread."""

    def __init__(self, token: str | int, tell: Tell) -> None:
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._tell: Tell | None = tell

    def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        told: Message = {"progressToken": self._token, "progress": progress}
        if total is not None:
            told["total"] = total
        if message is not None:
            told["message"] = message
        notification = _notification("notifications/progress", told)
        if self._is_here():
            self._send(notification)  # now: the call may end before anything else is done
            return
        with suppress(RuntimeError):  # the loop is closed, and the client gone with it
            self._loop.call_soon_threadsafe(self._send, notification)

    def _is_here(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def _send(self, notification: Message) -> None:
        if self._tell is not None:
            self._tell(notification)

    def end(self) -> None:
        self._tell = None


def _notification(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}
