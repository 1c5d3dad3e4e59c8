# SPDX-License-Identifier: Apache-2.0
"""What a console shows of values stays short, whatever a tool returned."""

import pytest

from isonomy.contract.brief import brief, brief_list
from isonomy.contract.call import ToolCall, ToolRequest
from isonomy.contract.content import Block
from isonomy.contract.error import ErrorKind, ToolError
from isonomy.contract.events import CallRecord, Execution, ExecutionEvent, Progress, ResponseEvent
from isonomy.contract.outcome import Returned
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.contract.view import model_view

AT = 1_700_000_000_123_456_789


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("never")


HUGE = [
    "x" * 1_000_000,
    b"x" * 1_000_000,
    list(range(100_000)),
    {str(number): number for number in range(100_000)},
    set(range(1000)),
    [["x" * 10_000] * 1000] * 1000,
    10**5000,
    -(10**100_000),
    Unprintable(),
    [Unprintable()] * 1000,
    float("nan"),
    None,
    range(10**9),
]


@pytest.mark.parametrize("value", HUGE, ids=lambda value: type(value).__name__)
def test_representations_are_bounded(value) -> None:
    success = ToolResponse.success(value, content=["x" * 10_000] * 100, meta={"m": value})
    record = CallRecord(0, "c1", "find", success, Execution.EXECUTED, 1, 0, 12)
    failure = ToolFailure(
        ToolError(ErrorKind.TOOL_ERROR, "no", details=value), (Block.text("x" * 10_000),)
    )
    event = ResponseEvent("b1", (record,) * 1000)
    for made in (success, failure, record, event, Returned(value), success.content[0]):
        assert len(repr(made)) < 2_000
        assert repr(made).startswith(f"{type(made).__name__}(")
    assert len(repr(ToolRequest((ToolCall("find", {"a": value}),) * 1000))) < 400
    assert len(brief(value)) <= 300


def test_a_record_shows_what_is_set() -> None:
    record = CallRecord(
        0,
        "c1",
        "find",
        ToolResponse.success(3),
        Execution.EXECUTED,
        1,
        1_700_000_000_123_456_789,
        9,
    )
    assert repr(record) == (
        "CallRecord(position=0, call_id='c1', tool='find', response=ToolSuccess(result=3),"
        " execution='executed', attempts=1, started_at='2023-11-14T22:13:20.123456Z',"
        " duration_us=9)"
    )
    skipped = ToolFailure(ToolError(ErrorKind.NOT_RUN, "not started: the deadline passed"))
    assert repr(CallRecord(1, None, "find", skipped, Execution.NOT_EXECUTED)) == (
        "CallRecord(position=1, tool='find', response=ToolFailure(ToolError(not_run,"
        " 'not started: the deadline passed')), execution='not_executed', attempts=0)"
    )


def test_an_event_shows_what_is_set() -> None:
    assert repr(ExecutionEvent("started", None, 0, 0, None, "find", AT)) == (
        "ExecutionEvent(type='started', seq=0, position=0, tool='find',"
        " at='2023-11-14T22:13:20.123456Z')"
    )
    failed = ExecutionEvent("failed", "b", 1, 0, "c", "find", AT, kind=ErrorKind.TIMEOUT)
    assert "kind='timeout'" in repr(failed)
    told = ExecutionEvent("progress", "b", 1, 0, "c", "find", AT, progress=Progress(1.0, 2.0))
    assert "progress=Progress(progress=1.0, total=2.0, message=None)" in repr(told)


def test_records_stay_tuples() -> None:
    one = CallRecord(0, "c1", "find", ToolResponse.success([3]), Execution.EXECUTED)
    other = CallRecord(0, "c1", "find", ToolResponse.success([3]), Execution.EXECUTED)
    assert one == other == tuple(one)
    assert ResponseEvent("b", (one,)) == ResponseEvent("b", (other,)) != ResponseEvent("c", (one,))


def test_the_rest_of_a_list_is_counted() -> None:
    assert brief_list(()) == "()"
    assert brief_list((1,)) == "(1,)"
    assert brief_list((1, 2, 3)) == "(1, 2, 3)"
    assert brief_list((1, 2, 3, 4)) == "(1, 2, 3, ... 1 more)"


def test_a_view_is_bounded() -> None:
    view = model_view(ToolResponse.success("x" * 100_000))
    assert len(repr(view)) < 1_000
