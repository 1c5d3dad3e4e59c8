# SPDX-License-Identifier: Apache-2.0
"""The vectors of events: batches, their records and what is told of them (clauses 8 and 9).

Many of them sleep. Each is run once in the background, some at a time, when the first test asks;
the tests look at what came of it.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from isonomy.contract.call import ToolRequest
from isonomy.contract.events import Event, Notice, ResponseEvent
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolResponse
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics, Snapshot
from isonomy.runtime.executor import ToolExecutor
from tests.behaviours import Stage
from tests.expected import check_response
from tests.schemas import check_wire
from tests.vectors import Case, cases, each

ENTRIES = ("run", "arun", "call", "acall")
AT_ONCE = 8

_OF_THE_EXECUTOR = {"max_result_bytes", "strict_values", "inject"}


class Batch:
    """A case as it is run: its tools, its request, and the options of the executor and of `run`."""

    def __init__(self, case: Case) -> None:
        self.tools: dict[str, Any] = case["tools"]
        wire = {"event": "tool_request", "id": case.get("request_id"), "calls": case["calls"]}
        self.request = ToolRequest.from_wire(wire)
        options: dict[str, Any] = case.get("options", {})
        self.made_with = {key: options[key] for key in options.keys() & _OF_THE_EXECUTOR}
        self.options = {key: options[key] for key in options.keys() - _OF_THE_EXECUTOR}
        self.cancel = [self.request.calls[position].tool for position in case.get("cancel", [])]

    @property
    def entries(self) -> Iterator[str]:
        """How it can be run: only an awaited caller can be cancelled, only one call is alone."""
        for entry in ENTRIES:
            if self.cancel and not entry.startswith("a"):
                continue
            if entry.endswith("call") and (
                len(self.request.calls) != 1
                or self.request.id is not None
                or not self.options.keys() <= {"call_deadline"}
            ):
                continue
            yield entry


@dataclass
class Played:
    """What came of a batch."""

    responses: tuple[ToolResponse, ...] = ()
    misused: bool = False
    cancelled: bool = False
    told: list[Event] = field(default_factory=list)
    runs: dict[str, int] = field(default_factory=dict)
    after: Snapshot | None = None


def play(batch: Batch, entry: str) -> Played:
    stage, memory, metrics, played = Stage(), MemorySink(), Metrics(), Played()
    tools = [stage.tool(name, behaviour) for name, behaviour in batch.tools.items()]
    stage.executor = ToolExecutor(tools, sinks=[memory, metrics], **batch.made_with)
    try:
        try:
            played.responses = run(stage, batch, entry)
        except Misuse:
            played.misused = True
        except asyncio.CancelledError:
            played.cancelled = True
        played.told = [event for event in memory.events if type(event) is not Notice]
        played.runs = dict(stage.runs)
    finally:
        stage.release()
        stage.executor.close()
    played.after = metrics.snapshot()
    assert dict(stage.runs) == played.runs, "a body started after its batch was over"
    return played


def run(stage: Stage, batch: Batch, entry: str) -> tuple[ToolResponse, ...]:
    executor, options = stage.executor, batch.options
    if entry == "run":
        return executor.run(batch.request, **options).responses
    if entry == "arun":
        return asyncio.run(arun(stage, batch)).responses
    (call,) = batch.request.calls
    deadline = options.get("call_deadline")
    arguments = (call.tool, call.arguments)
    if entry == "call":
        return (executor.call(*arguments, call_id=call.call_id, deadline=deadline),)
    calling = executor.acall(*arguments, call_id=call.call_id, deadline=deadline)
    return (asyncio.run(calling),)


async def arun(stage: Stage, batch: Batch) -> ResponseEvent:
    task = asyncio.create_task(stage.executor.arun(batch.request, **batch.options))
    if batch.cancel:
        await asyncio.to_thread(stage.wait_for_sleepers, batch.cancel)
        assert not task.done()
        task.cancel()
    event = await task
    assert [left for left in asyncio.all_tasks() if left is not asyncio.current_task()] == []
    return event


@functools.cache
def started() -> dict[tuple[str, str], Future[Played]]:
    """Start every case, by every entry point that it can be run from."""
    pool = ThreadPoolExecutor(AT_ONCE)
    batches = {case.name: Batch(case) for case in cases("events") if case.only != ["java"]}
    return {
        (name, entry): pool.submit(play, batch, entry)
        for name, batch in batches.items()
        for entry in batch.entries
    }


@pytest.mark.parametrize("entry", ENTRIES)
@each("events")
def test_events(entry: str, case: Case) -> None:
    batch = Batch(case)
    expected = case.get("events")
    wanted_runs = case.get("runs", {})
    records = case.get("records")
    refused = case.get("refused", False)
    if entry not in batch.entries:
        return
    played = started()[case.name, entry].result(60)
    assert played.misused is refused
    assert played.cancelled is bool(batch.cancel)
    for event in played.told:
        check_wire("events", event.to_wire())  # type: ignore[union-attr]
    if records is None:
        assert [event for event in played.told if type(event) is ResponseEvent] == []
    else:
        check_records(batch, played, records)
    if expected is not None:
        check_executions(batch, played, expected)
    for tool, times in wanted_runs.items():
        assert played.runs.get(tool, 0) == times, tool
    assert played.after is not None
    assert played.after.in_flight == 0
    if expected is not None:
        count = sum(kind in ("finished", "failed") for kind, *_ in expected)
        assert played.after.count() == count


def check_records(batch: Batch, played: Played, expected: list[dict[str, Any]]) -> None:
    last = played.told[-1]
    assert isinstance(last, ResponseEvent), "the response event comes last"
    assert last.id == batch.request.id
    assert last.responses == played.responses
    assert len(last.records) == len(expected)
    for record, wanted in zip(last.records, expected, strict=True):
        rest = dict(wanted)
        check_response(record.response, rest.pop("response"))
        decoded = rest.pop("decoded", list(record.decoded))
        assert list(record.decoded) == decoded
        for name in ("position", "call_id", "tool", "execution", "attempts"):
            assert getattr(record, name) == rest.pop(name), name
        assert rest == {}
        executed = record.execution == "executed"
        assert (record.started_at is not None) is executed
        assert (record.duration_us is not None) is executed


def check_executions(batch: Batch, played: Played, expected: list[list[Any]]) -> None:
    executions = [event for event in played.told if not isinstance(event, ResponseEvent | Notice)]
    parallel = batch.options.get("parallel", 1) > 1
    if parallel:  # a number is taken a moment before its event is told
        executions.sort(key=lambda event: event.seq)
    assert [event.seq for event in executions] == list(range(len(executions)))
    told = []
    for event in executions:
        call = batch.request.calls[event.position]
        assert (event.batch, event.call_id, event.tool) == (
            batch.request.id,
            call.call_id,
            call.tool,
        )
        marks = [mark for mark in (event.kind, event.reason) if mark is not None]
        told.append([event.type, event.position, *marks])
    if parallel:
        for position in range(len(batch.request.calls)):
            assert at(told, position) == at(expected, position)
        assert len(told) == len(expected)
    else:
        assert told == expected


def at(events: list[list[Any]], position: int) -> list[list[Any]]:
    return [event for event in events if event[1] == position]
