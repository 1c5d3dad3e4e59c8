# SPDX-License-Identifier: Apache-2.0
"""Our own MCP server over its standard streams."""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final

from isonomy.contract.jsontext import write
from isonomy.mcp.messages import Lines, TooLong
from isonomy.mcp.requests import MAX_REQUEST, RpcError, read_json, too_long
from isonomy.mcp.serving import Conversation, ToolService

_PIECE: Final = 65_536
_SURE: Final = 4_096
"""Bytes that a pipe takes at once where it says that it takes some."""
_CROWDED: Final = 16 * 1024 * 1024
"""Bytes that wait for a client to read them; with more, it is not read from, nor told of progress.
"""
_LAST: Final = 1.0
"""Seconds that calls have whose client sends nothing more, and perhaps still reads."""
_DRAIN: Final = 2.0
"""Seconds in which the answers that are there are written at the end."""


async def serve_streams(
    service: ToolService, source: int, target: int, stopping: asyncio.Event
) -> None:
    """Serve the client that writes to one descriptor and reads from the other.

    Returns once the client sends nothing more, or reads nothing more, or `stopping` is set. What
    runs then is cancelled (clause 14.29); what still gets done within a second of the end of the
    input is answered. Descriptors are left open.

    Args:
        service: The tools.
        source: What requests come from.
        target: What answers go to.
        stopping: Set to end it.
    """
    streams = _Streams(service, target)
    reader = _Reader(source, streams.take)
    over = asyncio.ensure_future(_first(stopping.wait(), streams.gone.wait()))
    reading = asyncio.ensure_future(reader.read())
    try:
        await asyncio.wait((over, reading), return_when=asyncio.FIRST_COMPLETED)
        if not over.done():
            service.end()
            running = asyncio.ensure_future(streams.settled())
            await asyncio.wait((over, running), timeout=_LAST, return_when=asyncio.FIRST_COMPLETED)
            running.cancel()
    finally:
        over.cancel()
        reading.cancel()
        reader.stop()
        await streams.end()


async def _first(*waits: Coroutine[Any, Any, Any]) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


class _Streams:
    """A conversation whose messages are lines."""

    def __init__(self, service: ToolService, target: int) -> None:
        self._conversation = Conversation(service)
        self._tasks: set[asyncio.Task[None]] = set()
        self._writer = _Writer(target, self._broke)
        #: Set once the client reads nothing more.
        self.gone = asyncio.Event()

    def _broke(self) -> None:
        self.gone.set()

    async def take(self, lines: list[bytes | TooLong]) -> None:
        """Begin what lines ask for, in order; where a client does not read, wait until it does."""
        for line in lines:
            if isinstance(line, TooLong):
                self._send(too_long(line).reply())
            elif line and not line.isspace():
                task = asyncio.ensure_future(self._answer(line))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        await self._writer.has_room()

    async def _answer(self, line: bytes) -> None:
        try:
            message = read_json(line)
        except RpcError as error:
            answer: Any = error.reply()
        else:
            answer = await self._conversation.answer(message, self._tell)
        if answer is not None:
            self._send(answer)

    def _tell(self, notification: dict[str, Any]) -> None:
        if not self._writer.is_crowded:
            self._send(notification)

    def _send(self, message: Any) -> None:
        self._writer.write(write(message) + b"\n")

    async def settled(self) -> None:
        """Wait until everything that was asked for is answered."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def end(self) -> None:
        """Cancel what runs and write what is there."""
        for task in tuple(self._tasks):
            task.cancel()
        await self.settled()
        await self._writer.end()


class _Reader:
    """Reads lines on a thread, since a regular file or a terminal can be read in no other way."""

    def __init__(
        self, source: int, take: Callable[[list[bytes | TooLong]], Coroutine[Any, Any, None]]
    ) -> None:
        self._source = source
        self._take = take
        self._loop = asyncio.get_running_loop()
        self._came: asyncio.Queue[bytes] = asyncio.Queue()
        self._taken = threading.Event()
        self._stopped = False

    async def read(self) -> None:
        """Hand on what comes, until the end."""
        lines = Lines(MAX_REQUEST)
        threading.Thread(target=self._run, name="isonomy-serve-read", daemon=True).start()
        while True:
            data = await self._came.get()
            await self._take(list(lines.feed(data or b"\n")))
            self._taken.set()
            if not data:
                return

    def stop(self) -> None:
        """Read nothing more; a thread that waits for input is left to wait."""
        self._stopped = True
        self._taken.set()

    def _run(self) -> None:
        data = b"\0"
        while data and not self._stopped:
            try:
                data = os.read(self._source, _PIECE)
            except BlockingIOError:
                _wait_for(self._source, select.POLLIN)
                continue
            except OSError:
                data = b""
            self._taken.clear()
            with suppress(RuntimeError):  # the loop is closed: nobody takes it
                self._loop.call_soon_threadsafe(self._came.put_nowait, data)
                self._taken.wait()


class _Writer:
    """Writes lines in order: at once where that cannot block, else on a thread."""

    def __init__(self, target: int, on_broken: Callable[[], None]) -> None:
        self._target = target
        self._on_broken = on_broken
        self._loop = asyncio.get_running_loop()
        self._poll = select.poll()
        self._poll.register(target, select.POLLOUT)
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._waiting = 0
        self._room = asyncio.Event()
        self._room.set()
        self._written = asyncio.Event()
        self._thread: threading.Thread | None = None
        self._broken = False

    @property
    def is_crowded(self) -> bool:
        """Whether so much waits for the client that it should read first."""
        return self._waiting > _CROWDED

    async def has_room(self) -> None:
        """Wait until not too much waits for the client."""
        await self._room.wait()

    def write(self, line: bytes) -> None:
        """Write a line, now or in its turn."""
        if self._broken:
            return
        if not self._waiting and len(line) <= _SURE and self._takes_some():
            try:
                written = os.write(self._target, line)
            except BlockingIOError:
                written = 0
            except OSError:
                self._break()
                return
            line = line[written:]
            if not line:
                return
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run, name="isonomy-serve-write", daemon=True
            )
            self._thread.start()
        self._waiting += len(line)
        if self.is_crowded:
            self._room.clear()
        self._queue.put(line)

    def _takes_some(self) -> bool:
        return any(events & select.POLLOUT for _, events in self._poll.poll(0))

    async def end(self) -> None:
        """Write what waits, if the client reads it."""
        if self._thread is None or self._broken:
            return
        self._queue.put(None)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._written.wait(), _DRAIN)

    def _break(self) -> None:
        self._broken = True
        self._room.set()
        self._on_broken()

    def _wrote(self, size: int) -> None:
        self._waiting -= size
        if not self.is_crowded:
            self._room.set()

    def _run(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            while (line := self._queue.get()) is not None:
                try:
                    self._write_whole(line)
                except OSError:
                    self._loop.call_soon_threadsafe(self._break)
                    break
                self._loop.call_soon_threadsafe(self._wrote, len(line))
            self._loop.call_soon_threadsafe(self._written.set)

    def _write_whole(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._target, rest) :]
            except BlockingIOError:
                _wait_for(self._target, select.POLLOUT)


def _wait_for(descriptor: int, event: int) -> None:
    """Wait until a descriptor that does not block is ready, or broken."""
    poll = select.poll()
    poll.register(descriptor, event)
    poll.poll()
