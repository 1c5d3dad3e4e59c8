# SPDX-License-Identifier: Apache-2.0
"""The vectors of area `arguments` through the executor: one call, one record (clauses 7, 8.4)."""

import asyncio

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.events import ResponseEvent
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from tests.receiving import Receiving, check_misuse, check_received, check_refused
from tests.schemas import check_wire
from tests.vectors import Case, each


@pytest.mark.parametrize("entry", ["run", "arun"])
@each("arguments")
def test_arguments(entry: str, case: Case) -> None:
    if "misuse" in case:
        check_misuse(case)
        return
    receiving, memory = Receiving(case), MemorySink()
    with ToolExecutor([receiving.tool], inject=receiving.host, sinks=[memory]) as executor:
        event = run(entry, executor, ToolCall(receiving.tool.name, receiving.arguments))
    (record,) = event.records
    assert (record.execution, record.attempts) == ("executed", 1)
    if "accepts" in case:
        check_received(case, record.response.unwrap())
        assert receiving.seen == receiving.injected
    else:
        assert record.response.error is not None
        check_refused(case, record.response.error)
        assert receiving.seen == {}
    if "decoded" in case:
        assert list(record.decoded) == case["decoded"]
    case.get("digest")  # of the tool's side, which tests/tools checks
    assert memory.events[-1] is event
    check_wire("events", event.to_wire())
    for told in memory.executions:
        check_wire("events", told.to_wire())


def run(entry: str, executor: ToolExecutor, call: ToolCall) -> ResponseEvent:
    if entry == "run":
        return executor.run([call])
    return asyncio.run(executor.arun([call]))
