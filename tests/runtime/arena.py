# SPDX-License-Identifier: Apache-2.0
"""Batches of calls that go wrong in every way there is, for property tests of the runtime.

A `Plan` says what one body does. The tools are made once; what a body does is looked up by the
number that its call sends, in the arena that its executor injects.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from hypothesis import strategies as st

from isonomy.contract.call import ToolCall
from isonomy.contract.events import Event, ExecutionEvent, ResponseEvent
from isonomy.contract.response import ToolFailed, ToolResponse
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Tool

#: A hang is a failure; nothing here takes a second.
LIMIT = 30
#: The most characters of a result.
MOST = 1_000

#: What bodies do, and the kind of failure that it is when nothing interferes.
KINDS: dict[str, str | None] = {
    "returns": None,
    "reports": None,
    "declares": "tool_error",
    "raises_failed": "tool_error",
    "raises": "exception",
    "exits": "exception",
    "cancels_itself": "exception",
    "times_out_itself": "exception",
    "closes_itself": "exception",
    "too_much": "too_large",
    "sleeps": "timeout",
    "will_not_stop": "timeout",
    "unknown": "not_found",
    "bad_arguments": "invalid_arguments",
    "calls": None,
    "calls_and_blocks": None,
}

SLEEPERS = {"sleeps", "will_not_stop"}
NESTING = {"calls", "calls_and_blocks"}
FORMS = ("plain", "coroutine", "awaitable", "inline", "narrow", "narrow_coroutine")
#: Tools with a deadline of their own, for sleepers that no other deadline ends.
TIMED = {"plain": "timed", "coroutine": "timed_coroutine"}


@dataclass
class Plan:
    """What the body of one call does, in which form of tool, and the batch that it runs inside."""

    do: str
    form: str
    inner: list[Plan] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def tool(self) -> str:
        return "nobody" if self.do == "unknown" else self.form

    def sleeps(self) -> bool:
        """Whether somebody sleeps in here."""
        return self.do in SLEEPERS or any(plan.sleeps() for plan in self.inner)


class Arena:
    """One executor, what its bodies are to do, and what is told of it."""

    def __init__(self, *sinks: Any, obedient: bool = False, **options: Any) -> None:
        self.memory, self.metrics = MemorySink(), Metrics()
        self.executor = ToolExecutor(
            TOOLS,
            inject={"arena": self},
            sinks=[self.memory, self.metrics, *sinks],
            max_result_bytes=MOST,
            **options,
        )
        self.plans: dict[int, Plan] = {}
        self._numbers = itertools.count()
        #: Opened when the batch is over: what sleeps on threads ends then.
        self.gate = threading.Event()
        #: Whether what sleeps on threads ends with its call.
        self.obedient = obedient
        #: The plans whose bodies began.
        self.begun: list[Plan] = []
        self._names = map(str, itertools.count())

    def calls(self, plans: list[Plan]) -> list[ToolCall]:
        return [self._call(plan) for plan in plans]

    def _call(self, plan: Plan) -> ToolCall:
        number = next(self._numbers)
        self.plans[number] = plan
        wrong = plan.do == "bad_arguments"
        return ToolCall(plan.tool, {"plan": str(number) if wrong else number}, f"c{number}")

    def new_id(self) -> str:
        """Give an id that no other batch has, so that their events can be told apart."""
        return next(self._names)

    def close(self) -> None:
        self.gate.set()
        self.executor.close()

    def act(self, number: int, context: ToolContext) -> Any:
        """Do what a synchronous body is to do."""
        plan = self.plans[number]
        self.begun.append(plan)
        if plan.do in SLEEPERS:
            # What goes on keeps its tool's permit, and others may wait for that without a limit.
            obeys = self.obedient or plan.form == "narrow"
            wake = threading.Event() if obeys else self.gate
            if obeys:
                context.on_cancel(wake.set)
            wake.wait(LIMIT)
            return "late"
        if plan.do in NESTING:
            calls = self.calls(plan.inner)
            return len(self.executor.run(calls, id=self.new_id(), **plan.options).records)
        return self._end(plan.do, context)

    async def aact(self, number: int, context: ToolContext) -> Any:
        """Do what an asynchronous body is to do."""
        plan = self.plans[number]
        self.begun.append(plan)
        if plan.do == "calls_and_blocks":
            calls = self.calls(plan.inner)
            return len(self.executor.run(calls, id=self.new_id(), **plan.options).records)
        await asyncio.sleep(0)
        if plan.do in SLEEPERS:
            try:
                await asyncio.sleep(LIMIT)
            except asyncio.CancelledError:
                if plan.do == "will_not_stop":
                    return "late"
                raise
        if plan.do == "calls":
            calls = self.calls(plan.inner)
            event = await self.executor.arun(calls, id=self.new_id(), **plan.options)
            return len(event.records)
        return self._end(plan.do, context)

    def _end(self, do: str, context: ToolContext) -> Any:
        if do == "reports":
            context.progress(1, 2, "half")
        if do in ("returns", "reports"):
            return 1
        if do == "too_much":
            return "x" * (MOST + 1)
        if do == "declares":
            return ToolResponse.error("no seats")
        raise RAISED[do]("as planned")


RAISED: dict[str, Callable[[str], BaseException]] = {
    "raises": ValueError,
    "raises_failed": ToolFailed,
    "exits": SystemExit,
    "cancels_itself": asyncio.CancelledError,
    "times_out_itself": TimeoutError,
    "closes_itself": GeneratorExit,
}


# The tools --------------------------------------------------------------------------------------


Host = Annotated[Arena, Injected()]


def plain(plan: int, arena: Host, context: ToolContext) -> Any:
    return arena.act(plan, context)


async def coroutine(plan: int, arena: Host, context: ToolContext) -> Any:
    return await arena.aact(plan, context)


def awaitable(plan: int, arena: Host, context: ToolContext) -> Any:
    return coroutine(plan, arena, context)


TOOLS: list[Tool] = [
    as_tool(plain, name="plain"),
    as_tool(coroutine, name="coroutine"),
    as_tool(awaitable, name="awaitable"),
    as_tool(plain, name="inline", inline=True),
    as_tool(plain, name="narrow", max_parallel=2),
    as_tool(coroutine, name="narrow_coroutine", max_parallel=1),
    as_tool(plain, name="timed", deadline=0.03),
    as_tool(coroutine, name="timed_coroutine", deadline=0.03),
]


# Plans ------------------------------------------------------------------------------------------

DEADLINES = st.sampled_from([None, None, 0.03, LIMIT])


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    """Options of `run` and `arun`."""
    return {
        "parallel": draw(st.sampled_from([1, 1, 2, 3, 8])),
        "fail_fast": draw(st.sampled_from([False, False, True])),
        "deadline": draw(DEADLINES),
        "call_deadline": draw(DEADLINES),
    }


def batches(most: int, depth: int = 2, without: frozenset[str] = frozenset()) -> Any:
    """Batches of at most so many calls, calling others at most so deep, as `(plans, options)`."""
    return st.tuples(st.lists(plans(depth, without), max_size=most), options()).map(
        lambda drawn: (list(_ending(*drawn)), drawn[1])
    )


@st.composite
def plans(draw: st.DrawFn, depth: int, without: frozenset[str] = frozenset()) -> Plan:
    dos = sorted(KINDS.keys() - without - (NESTING if depth == 0 else set()))
    plan = Plan(draw(st.sampled_from(dos)), draw(st.sampled_from(FORMS)))
    if plan.do in NESTING:
        plan.inner, plan.options = draw(batches(3, depth - 1, without))
        if plan.do == "calls_and_blocks" and any(inner.sleeps() for inner in plan.inner):
            plan.do = "calls"  # a blocked event loop cannot end what sleeps
    return plan


def _ending(drawn: list[Plan], given: dict[str, Any]) -> Iterator[Plan]:
    """See to it that every sleeper is ended by some deadline, and that there are few of them."""
    short = min(given[name] or LIMIT for name in ("deadline", "call_deadline")) < 1
    sleepers = 0
    for plan in drawn:
        if plan.do in SLEEPERS:
            sleepers += 1
            if sleepers > 3:
                plan.do = "returns"
            elif not short:
                plan.form = TIMED["coroutine" if "coroutine" in plan.form else "plain"]
        yield plan


# What must hold ---------------------------------------------------------------------------------


def by_batch(events: list[Event]) -> dict[str | None, list[ExecutionEvent | ResponseEvent]]:
    """The events of each batch, in the order in which they were told."""
    found: dict[str | None, list[ExecutionEvent | ResponseEvent]] = defaultdict(list)
    for event in events:
        if isinstance(event, ExecutionEvent):
            found[event.batch].append(event)
        elif isinstance(event, ResponseEvent):
            found[event.id].append(event)
    return found


def check_balance(events: list[ExecutionEvent | ResponseEvent]) -> ResponseEvent | None:
    """Check the events of one batch; gives its response event, which must be the last."""
    *steps, last = events
    response = last if isinstance(last, ResponseEvent) else None
    executions = steps if response else events
    by_position: dict[int, list[str]] = defaultdict(list)
    for event in executions:
        assert isinstance(event, ExecutionEvent), "there is one response event, the last"
        by_position[event.position].append(event.type)
    numbers = sorted(event.seq for event in executions if isinstance(event, ExecutionEvent))
    assert numbers == list(range(len(numbers)))
    for types in by_position.values():
        start, *between, end = types if len(types) > 1 else ("started", *types)
        assert start == "started"
        assert set(between) <= {"progress"}
        assert end in ("finished", "failed", "cancelled")
        if len(types) == 1:
            assert end == "failed", "what never started can only have failed"
        if end == "cancelled":
            assert response is None
    return response


def check_records(event: ResponseEvent, calls: list[ToolCall], plans: list[Plan]) -> None:
    """Check that a batch has one record per call, in order, each as planned."""
    assert [record.position for record in event.records] == list(range(len(calls)))
    for record, call, plan in zip(event.records, calls, plans, strict=True):
        assert (record.call_id, record.tool) == (call.call_id, call.tool)
        error = record.response.error
        kind = None if error is None else error.kind.value
        executed = record.execution == "executed"
        assert executed is (kind not in ("not_found", "not_run"))
        assert record.attempts == executed
        assert (record.started_at is None, record.duration_us is None) == (not executed,) * 2
        assert kind in (KINDS[plan.do], "timeout", "not_run"), plan


def check_exactly(event: ResponseEvent, plans: list[Plan], options: dict[str, Any]) -> None:
    """Check the kinds of a batch in which nothing can interfere."""
    if options["fail_fast"] or options["deadline"] or options["call_deadline"]:
        return
    for record, plan in zip(event.records, plans, strict=True):
        if plan.form not in TIMED.values() or plan.do in SLEEPERS:
            kind = None if record.response.error is None else record.response.error.kind
            waits = plan.do in SLEEPERS  # perhaps for a thread, until it is too late
            assert kind == KINDS[plan.do] or (waits and kind == "not_run"), plan
