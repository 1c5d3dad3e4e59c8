# SPDX-License-Identifier: Apache-2.0
"""A: a failure is what the tool says is one, in every channel; no payload says it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.contract.portable import decode, encode
from isonomy.contract.response import ToolResponse
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from tests.cases.conftest import Run


def test_a1_a_returned_failure_fails_in_every_channel(run: Run) -> None:
    def reserve() -> ToolResponse:
        return ToolResponse.error("quota exceeded")

    memory, metrics = MemorySink(), Metrics()
    with ToolExecutor([reserve], sinks=[memory, metrics]) as executor:
        (record,) = run(executor, [ToolCall("reserve")]).records
    error = record.response.error
    assert error is not None
    assert (error.kind, error.message) == (ErrorKind.TOOL_ERROR, "quota exceeded")
    assert [event.type for event in memory.executions] == ["started", "failed"]
    counted = metrics.snapshot()
    assert counted.count("reserve", "failure") == 1
    assert counted.count("reserve", "success") == 0


PAYLOADS: dict[str, Any] = {
    "a2": {"results": [{"url": "u", "error": None}]},
    "a2-long": {"summary": "x" * 600, "results": [{"url": "u", "error": None}]},
    "a4": {"$iso:bytes": "aGk="},
    "a4-several": {
        "$iso:map": [],
        "$iso:opaque": {},
        "status": "failure",
        "outcome": "raised",
        "v": 1,
    },
    "a4-foreign": {"__type__": "bytes", "data": "aGk="},
    "a5": "Traceback (most recent call last)\nERROR: failed",
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_a2_a4_a5_a_payload_is_data(run: Run, payload: Any) -> None:
    before = json.dumps(payload)

    def look() -> Any:
        return payload

    memory, metrics = MemorySink(), Metrics()
    with ToolExecutor([look], sinks=[memory, metrics]) as executor:
        response = run(executor, [ToolCall("look")]).responses[0]
    assert response.error is None
    assert json.dumps(response.unwrap()) == before
    assert decode(encode(response.unwrap())) == payload
    assert [event.type for event in memory.executions] == ["started", "finished"]
    assert metrics.snapshot().count("look", "success") == 1
    assert metrics.snapshot().count("look", "failure") == 0


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
def test_a10_no_outcome_overwrites_another(run: Run, order: list[str]) -> None:
    def a() -> None:
        raise ValueError("a broke")

    def b() -> str:
        return "ok"

    with ToolExecutor([a, b]) as executor:
        event = run(executor, [ToolCall(name) for name in order])
    told = {record.tool: record.response for record in event.records}
    assert [record.tool for record in event.records] == order
    assert told["b"].unwrap() == "ok"
    assert told["a"].error is not None
    assert told["a"].error.message == "a broke"
