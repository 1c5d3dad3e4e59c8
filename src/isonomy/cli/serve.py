# SPDX-License-Identifier: Apache-2.0
"""`isonomy serve`: the tools of a configuration as an MCP server."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from itertools import count

from isonomy.cli.config import Config
from isonomy.cli.standard import tell
from isonomy.cli.toolbox import make_executor
from isonomy.contract.call import ToolCall, ToolRequest
from isonomy.contract.events import Event, ExecutionEvent
from isonomy.contract.response import ToolResponse
from isonomy.mcp.served import Disclosure
from isonomy.mcp.serving import ToolService
from isonomy.mcp.serving_stdio import serve_streams
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.context import Progress


class _Watch:
    """A sink that hands the progress of each call to who waits for it."""

    direct = True
    takes = (ExecutionEvent,)

    def __init__(self) -> None:
        self._waiting: dict[str, Progress] = {}
        self._numbers = count()

    def emit(self, event: Event) -> None:
        if isinstance(event, ExecutionEvent) and event.progress is not None:
            heard = self._waiting.get(event.batch or "")
            if heard is not None:
                heard(*event.progress)

    def begin(self, progress: Progress) -> str:
        """Give the id of a batch whose progress is heard."""
        batch = f"serve-{next(self._numbers)}"
        self._waiting[batch] = progress
        return batch

    def end(self, batch: str) -> None:
        del self._waiting[batch]


class _Calls:
    """Runs calls in an executor."""

    def __init__(self, executor: ToolExecutor, watch: _Watch, deadline: float | None) -> None:
        self._executor = executor
        self._watch = watch
        self._deadline = deadline

    async def __call__(self, call: ToolCall, progress: Progress | None, /) -> ToolResponse:
        if progress is None:
            return await self._executor.acall(call.tool, call.arguments, deadline=self._deadline)
        batch = self._watch.begin(progress)
        try:
            event = await self._executor.arun(
                ToolRequest((call,), batch), call_deadline=self._deadline
            )
        finally:
            self._watch.end(batch)
        return event.records[0].response


Serve = Callable[[ToolService, asyncio.Event], Awaitable[None]]
"""Serves tools until the event is set."""


def serve_tools(config: Config, disclosure: Disclosure, serve: Serve) -> bool:
    """Serve the tools of a configuration to the end; return whether Ctrl-C was that."""
    watch = _Watch()
    limits = [config.limits.deadline, config.limits.call_deadline]
    deadline = min((each for each in limits if each is not None), default=None)
    with make_executor(config, sinks=[watch]) as executor:
        calls = _Calls(executor, watch, deadline)
        return asyncio.run(_until_signalled(executor, calls, disclosure, serve))


async def _until_signalled(
    executor: ToolExecutor, calls: _Calls, disclosure: Disclosure, serve: Serve
) -> bool:
    stopping = asyncio.Event()
    interrupted = False

    def stop(number: signal.Signals) -> None:
        nonlocal interrupted
        interrupted = number is signal.SIGINT
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    await serve(ToolService(executor.tools, calls, disclosure), stopping)
    return interrupted


def by_streams(source: int, target: int) -> Serve:
    """Serve by standard streams, of which these are the descriptors."""

    async def serve(service: ToolService, stopping: asyncio.Event) -> None:
        if os.isatty(source):  # a person, who would take it for stuck
            tell(
                f"serving {len(service)} tools on stdin and stdout, for an MCP client that starts"
                " this command; --http PORT serves by HTTP, Ctrl-D ends it"
            )
        await serve_streams(service, source, target, stopping)

    return serve
