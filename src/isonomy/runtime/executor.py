# SPDX-License-Identifier: Apache-2.0
"""The executor: runs calls of registered tools and gives each exactly one response."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self, cast

from isonomy.contract.call import Arguments, ToolCall, ToolRequest
from isonomy.contract.events import CallRecord, ResponseEvent, Sink
from isonomy.contract.forking import renew_after_fork
from isonomy.contract.journal import Journal
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome
from isonomy.contract.redaction import DEFAULT_REDACTOR, FailureRedactor
from isonomy.contract.response import ToolResponse
from isonomy.runtime.apart import Apart
from isonomy.runtime.awaited import Awaited
from isonomy.runtime.batch import Batch
from isonomy.runtime.claiming import Claimed, Claiming
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.coordinated import Coordinated
from isonomy.runtime.durable import Identities
from isonomy.runtime.emitter import Emitter
from isonomy.runtime.funnel import TOO_DEEP, TOO_LATE, Funnel
from isonomy.runtime.here import Here
from isonomy.runtime.loops import Loops
from isonomy.runtime.off_loop import off_loop
from isonomy.runtime.options import Options
from isonomy.runtime.permits import Permits
from isonomy.runtime.pulling import Pulling
from isonomy.runtime.running import Runner, drop, running_task, settle_apart
from isonomy.runtime.scope import is_nested, is_too_deep
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.amounts import Seconds, limit, seconds
from isonomy.tools.injection import secret_values
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.tool import NOTHING, Limits, Tool

_log = logging.getLogger("isonomy.runtime")

_ALONE: Final = Options()


class ToolExecutor:
    """Runs calls, alone or in batches, in order or in parallel, from sync or async code.

    >>> def divide(a: float, b: float) -> float:
    ...     return a / b
    >>> with ToolExecutor([divide]) as executor:
    ...     executor.call("divide", {"a": 1, "b": 4}).unwrap()
    ...     executor.call("divide", {"a": 1, "b": 0}).error.message
    0.25
    'float division by zero'

    One executor may be used from several threads and event loops at once, and in processes that
    are forked from the one that made it.

    Args:
        tools: A `ToolRegistry`, or what it takes: functions, tools, instances, modules.
        inject: Values for injected parameters by name (clause 7.13). They reach no event and no
            message; failures show no text of theirs, save of those marked
            `Injected(secret=False)` (clause 12.5). Calls of a tool that needs one which is not here
            fail with kind `internal`; a warning of the logger `isonomy.runtime` says so at once.
        identity_key: The key of the digests by which injected values that are marked
            `Injected(identity=True)` count in durable batches (clause J1.5).
        sinks: Consumers of events (clause 9).
        redactor: Takes secrets out of failures (clause 12).
        max_threads: The most threads for synchronous bodies (clause 8.8).
        max_result_bytes: The most bytes of an encoded result (clause 5.29).
        strict_values: Whether a result without a portable form fails its call (clause 5.26).
        control_signals: Exception types that are no outcome and propagate (clause 8.10).
        grace: Seconds that `close` waits for what it opened.
    """

    def __init__(
        self,
        tools: ToolRegistry | Iterable[Any] = (),
        *,
        inject: Mapping[str, Any] | None = None,
        identity_key: str | bytes | None = None,
        sinks: Iterable[Sink] = (),
        redactor: FailureRedactor = DEFAULT_REDACTOR,
        max_threads: int = 64,
        max_result_bytes: int = 16 * 1024 * 1024,
        strict_values: bool = False,
        control_signals: Iterable[type[BaseException]] = (),
        grace: float = 5.0,
    ) -> None:
        self.tools = tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools)
        self._grace = grace
        injected = _checked_values(inject)
        _warn_of_missing(self.tools, injected)
        if not callable(getattr(redactor, "failure", None)) or isinstance(redactor, type):
            raise Misuse("redactor is an object with a method failure(failure, secrets)")
        limits = Limits(limit("max_result_bytes", max_result_bytes), strict_values)
        self._emitter = Emitter(sinks)
        secrets = secret_values(injected, (tool.injected for tool in self.tools))
        self._funnel = Funnel(self._emitter, redactor, limits, secrets)
        runner = Runner(self, injected, limits, _checked_signals(control_signals))
        self._passing = runner.passing
        self._identities = Identities(injected, _key(identity_key))
        self._threads = WorkerThreads(limit("max_threads", max_threads))
        self._loops = Loops()
        apart = Apart(self._funnel, runner)
        self._here = Here(self._funnel, runner, self._await)
        self._pulling = Pulling(self._funnel, self._here, self._threads)
        self._coordinated = Coordinated(self._funnel, apart, self._threads, self._loops)
        self._awaited = Awaited(self._funnel, self._here, apart, self._threads)
        self._permits = {
            tool.name: Permits(tool.max_parallel)
            for tool in self.tools
            if tool.max_parallel is not None
        }
        #: Tools that a call alone needs nothing for but their body: no deadline and no permit.
        self._alone = {
            tool.name: tool
            for tool in self.tools
            if tool.deadline is None and tool.max_parallel is None
        }
        #: Batches that a driver runs apart from its caller, which `close` has to wake.
        self._active: set[Batch] = set()
        self._closed = False
        renew_after_fork(self)

    # One call ------------------------------------------------------------------------------------

    def call(
        self,
        tool: str,
        arguments: Arguments = None,
        *,
        call_id: str | None = None,
        deadline: Seconds | None = None,
    ) -> ToolResponse:
        """Run one call and return its response.

        Args:
            tool: The tool's name; an unknown one gives a failure of kind `not_found`.
            arguments: An object, JSON text of one, or None for no arguments (clause 7.1).
            call_id: The model's id of the call, handed on as it is.
            deadline: Seconds or a `timedelta` until the call fails with kind `timeout`.

        Raises:
            Misuse: The deadline is not positive.
            ExecutorClosed: The executor is closed.
        """
        try:
            alone = self._alone.get(tool) if deadline is None and not is_too_deep() else None
        except TypeError:  # nothing that can be a name; a call says so
            alone = None
        if alone is not None and not alone.is_async and (call_id is None or type(call_id) is str):
            record = self._here.run(alone, arguments, call_id, count())
            return self._funnel.alone(cast("CallRecord", record))
        options = (
            _ALONE if deadline is None else Options(call_deadline=seconds("deadline", deadline))
        )
        batch = self._batch((ToolCall(tool, arguments, call_id),), None, options)
        return self._run(batch).records[0].response

    async def acall(
        self,
        tool: str,
        arguments: Arguments = None,
        *,
        call_id: str | None = None,
        deadline: Seconds | None = None,
    ) -> ToolResponse:
        """Do what `call` does, without blocking the event loop."""
        try:
            alone = self._alone.get(tool) if deadline is None and not is_too_deep() else None
        except TypeError:  # nothing that can be a name; a call says so
            alone = None
        if alone is not None and alone.is_async and (call_id is None or type(call_id) is str):
            record = await self._here.arun(alone, arguments, call_id, count())
            return self._funnel.alone(record)
        options = (
            _ALONE if deadline is None else Options(call_deadline=seconds("deadline", deadline))
        )
        batch = self._batch((ToolCall(tool, arguments, call_id),), None, options)
        return (await self._arun(batch)).records[0].response

    # A batch -------------------------------------------------------------------------------------

    def run(
        self,
        calls: ToolRequest | Iterable[ToolCall],
        *,
        id: str | None = None,  # noqa: A002 - the field's name in the contract (clause 8.2)
        parallel: int = 1,
        deadline: Seconds | None = None,
        call_deadline: Seconds | None = None,
        fail_fast: bool = False,
        journal: Journal | None = None,
    ) -> ResponseEvent:
        """Run a batch and return its response event: one record per call, in request order.

        Args:
            calls: A request, or calls.
            id: The batch's id, where `calls` is no request with one.
            parallel: How many calls run at once; 1 runs them in order.
            deadline: Seconds or a `timedelta` for the whole batch.
            call_deadline: The same for each call, from when it starts.
            fail_fast: Start no call after one failed; what it skips is `not_run`.
            journal: Keeps the batch: calls that finished in an earlier run of the same batch are
                reused and do not run again (clause 13). The batch has an id then.

        Raises:
            Misuse: An option is out of its range.
            ExecutorClosed: The executor is closed, or was closed meanwhile.
            JournalMismatch: The journal has other calls for this batch (clause 13.3).
            JournalError: The journal cannot be used, and nothing was started (clause 13.8).
        """
        options = Options(parallel, deadline, call_deadline, fail_fast)
        batch = self._batch_of(calls, id, options)
        if journal is None:
            return self._run(batch)
        claiming = Claiming(batch, journal, self._identities, self._is_closed)
        if not self._resume(batch, claiming.claim()):
            return self._funnel.complete(batch.id, tuple(batch.records))
        ended = False
        try:
            event = self._run(batch)
            ended = True
            return event
        finally:
            self._over(batch, ended=ended)

    async def arun(
        self,
        calls: ToolRequest | Iterable[ToolCall],
        *,
        id: str | None = None,  # noqa: A002 - the field's name in the contract (clause 8.2)
        parallel: int = 1,
        deadline: Seconds | None = None,
        call_deadline: Seconds | None = None,
        fail_fast: bool = False,
        journal: Journal | None = None,
    ) -> ResponseEvent:
        """Do what `run` does, without blocking the event loop."""
        options = Options(parallel, deadline, call_deadline, fail_fast)
        batch = self._batch_of(calls, id, options)
        if journal is None:
            return await self._arun(batch)
        claiming = Claiming(batch, journal, self._identities, self._is_closed)
        try:
            claimed = await off_loop(self._threads, claiming.claim, claiming.give_up)
        except asyncio.CancelledError:
            claiming.give_back()
            raise
        if not self._resume(batch, claimed):
            return self._funnel.complete(batch.id, tuple(batch.records))
        ended = False
        try:
            event = await self._arun(batch)
            ended = True
            return event
        finally:
            await off_loop(self._threads, partial(self._over, batch, ended=ended))

    def _resume(self, batch: Batch, claimed: Claimed | None) -> bool:
        """Take over what is kept of a batch; false where its time was up before it was claimed."""
        if claimed is None:
            for position in range(len(batch.calls)):
                self._funnel.never(batch, position, TOO_LATE)
            return False
        durable, again, _ = claimed
        batch.durable = durable
        durable.watch(batch.look)
        for each in again:
            self._funnel.reused(batch, each)
            batch.tools[each.position] = None
            if batch.permits is not None:
                batch.permits[each.position] = None
        for position, tool in enumerate(batch.tools):
            if tool is not None:
                batch.tools[position] = durable.keeping(tool)
        return True

    def _over(self, batch: Batch, *, ended: bool) -> None:
        if batch.durable is not None:
            batch.durable.over(ended=ended)

    def _batch_of(
        self, calls: ToolRequest | Iterable[ToolCall], batch_id: str | None, options: Options
    ) -> Batch:
        request = calls if isinstance(calls, ToolRequest) else _request(calls, batch_id)
        if request is calls and batch_id is not None:
            raise Misuse("run(...) takes the id of its request; leave out id=")
        return self._batch(request.calls, request.id, options)

    def _batch(self, calls: tuple[ToolCall, ...], batch_id: str | None, options: Options) -> Batch:
        if self._closed:
            raise ExecutorClosed
        get = self.tools.get
        nested = is_nested(self)
        batch = Batch(batch_id, calls, [get(call.tool) for call in calls], options, nested=nested)
        if self._permits and not nested:
            permits = [self._permits.get(call.tool) for call in calls]
            if any(permits):
                batch.permits = permits
        return batch

    def _run(self, batch: Batch) -> ResponseEvent:
        if batch.nested and is_too_deep():
            return self._refuse_all(batch)
        if _has_deadline(batch):
            self._apart_from_caller(batch)
        elif batch.options.parallel > 1 and len(batch.calls) > 1:
            if _has_async(batch):
                self._apart_from_caller(batch)
            else:
                self._pulling.run(batch)
        else:
            self._in_order(batch)
        return self._funnel.complete(batch.id, tuple(batch.records))

    def _refuse_all(self, batch: Batch) -> ResponseEvent:
        """End calls that would be inside too many others (clause 8.7)."""
        for position in range(len(batch.calls)):
            self._funnel.never(batch, position, TOO_DEEP)
        return self._funnel.complete(batch.id, tuple(batch.records))

    def _in_order(self, batch: Batch) -> None:
        """Run every call in this thread, in order."""
        refused, run = self._funnel.refused, self._here.run
        keep: Callable[[Any], None] = batch.keep
        for position, tool in enumerate(batch.tools):
            if (tool is None or batch.failed) and refused(batch, position):
                continue
            call = batch.calls[position]
            permits = batch.permits[position] if batch.permits is not None else None
            if permits is not None:
                permits.take()
            try:
                keep(
                    run(
                        cast("Tool", tool),
                        call.arguments,
                        call.call_id,
                        batch.seq,
                        batch.id,
                        position,
                    )
                )
            finally:
                if permits is not None:
                    permits.release()

    def _enter(self, batch: Batch) -> None:
        """Let `close` know of a batch; it may have come and gone meanwhile."""
        self._active.add(batch)
        if self._closed:
            self._active.discard(batch)
            raise ExecutorClosed

    def _apart_from_caller(self, batch: Batch) -> None:
        self._enter(batch)
        try:
            self._coordinated.run(batch)
        finally:
            self._active.discard(batch)

    async def _arun(self, batch: Batch) -> ResponseEvent:
        if batch.nested and is_too_deep():
            return self._refuse_all(batch)
        task = running_task()
        cancels = task.cancelling()
        called_off = False

        def call_off() -> None:
            nonlocal called_off
            if batch in self._active:
                called_off = True
                task.cancel()

        def wake() -> None:
            with suppress(RuntimeError):  # the caller's loop is closed, and the batch ended with it
                task.get_loop().call_soon_threadsafe(call_off)

        batch.wake = wake
        self._enter(batch)
        try:
            await self._awaited.run(batch)
        except asyncio.CancelledError:
            if called_off and task.cancelling() <= cancels + 1:
                raise ExecutorClosed from None
            raise
        finally:
            self._active.discard(batch)
            if called_off:
                task.uncancel()
        return self._funnel.complete(batch.id, tuple(batch.records))

    def _await(self, outcome: Outcome, nested: bool) -> Outcome:
        """Await what a body returned to a synchronous caller, on a loop that nobody blocks."""
        try:
            thread = self._loops.borrow(nested=nested)
            try:
                future = thread.submit(settle_apart(outcome, self._passing, self._is_closed))
                try:
                    return future.result()
                finally:
                    future.cancel()
            finally:
                self._loops.give_back(thread)
        except concurrent.futures.CancelledError:
            raise ExecutorClosed from None
        finally:
            drop(outcome)

    def _is_closed(self) -> bool:
        return self._closed

    # The end -------------------------------------------------------------------------------------

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until queued sinks took every event so far; false if ``timeout`` seconds passed."""
        return self._emitter.flush(timeout)

    def close(self) -> None:
        """End what is in flight as cancelled and close what the executor opened (clause 8.14).

        Callers that still wait get `ExecutorClosed`. Bodies on threads cannot be stopped: they are
        told by their context, and their threads do not keep the process alive. Takes at most about
        `grace` seconds; more calls do nothing.
        """
        if self._closed:
            return
        self._closed = True
        self._here.close()
        for batch in list(self._active):
            batch.closed = True
            if batch.wake is not None:
                batch.wake()
        for permits in self._permits.values():
            permits.open()
        self._threads.close()
        self._loops.close(self._grace)
        self._emitter.close(self._grace)

    async def aclose(self) -> None:
        """Do what `close` does, without blocking the event loop."""
        # On a thread of its own: the loop's may all be taken, or be no more.
        loop = asyncio.get_running_loop()
        closed: asyncio.Future[None] = loop.create_future()

        def told() -> None:
            if not closed.done():
                closed.set_result(None)

        def close() -> None:
            self.close()
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(told)

        threading.Thread(target=close, name="isonomy-close", daemon=True).start()
        await closed

    def renew(self) -> None:
        """Be ready for use in a process that was forked; called by the interpreter.

        Threads, event loops, queues and locks are made anew when they are needed. Calls of other
        threads do not run here, and what is queued for sinks is the parent's to tell.
        """
        self._threads.renew()
        self._loops.renew()
        self._emitter.renew()
        self._here.renew()
        self._active.clear()
        for permits in self._permits.values():
            permits.renew()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _request(calls: Any, batch_id: str | None) -> ToolRequest:
    """Return a request of calls, which become a tuple inside."""
    return ToolRequest(calls, batch_id)


def _checked_values(inject: Any) -> Mapping[str, Any]:
    """Return a copy of the host's values for injected parameters."""
    if inject is None:
        return NOTHING
    if not isinstance(inject, Mapping) or any(not isinstance(name, str) for name in inject):
        raise Misuse("inject maps names to values, such as inject={'tenant': 't1'}")
    return MappingProxyType(dict(inject))


def _key(given: Any) -> bytes | None:
    """Return the key of digests of injected values, as bytes."""
    if given is None or (isinstance(given, bytes) and given):
        return given
    if isinstance(given, str) and given:
        return given.encode()
    raise Misuse("identity_key is a text or bytes, and not empty; keep it secret, and the same")


def _warn_of_missing(tools: ToolRegistry, injected: Mapping[str, Any]) -> None:
    """Say which tools cannot be called for want of a value, which is no misuse (clause 7.13)."""
    lacking = {tool.name: sorted(tool.needs - injected.keys()) for tool in tools}
    told = [f"{tool} ({', '.join(names)})" for tool, names in lacking.items() if names]
    if told:
        _log.warning("calls of %s will fail: inject= lacks these values", ", ".join(told))


def _checked_signals(types: Any) -> tuple[type[BaseException], ...]:
    """Return the control signals (clause 8.10) as `except` takes them."""
    given: tuple[Any, ...] = (types,) if isinstance(types, type) else tuple(types)
    for one in given:
        if not (isinstance(one, type) and issubclass(one, BaseException)):
            raise Misuse(f"control_signals are exception types, got {one!r}")
    return given


def _has_deadline(batch: Batch) -> bool:
    options = batch.options
    if options.deadline is not None or options.call_deadline is not None:
        return True
    return any(tool is not None and tool.deadline is not None for tool in batch.tools)


def _has_async(batch: Batch) -> bool:
    return any(tool is not None and tool.is_async for tool in batch.tools)
