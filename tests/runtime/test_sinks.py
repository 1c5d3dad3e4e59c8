# SPDX-License-Identifier: Apache-2.0
"""Whatever a sink does, no response changes (CASES J8; clause 9.5)."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Annotated, Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.events import Event, Notice, ResponseEvent, Sink
from isonomy.contract.misuse import Misuse
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.emitter import QUEUE_LIMIT
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.injection import Injected
from tests.runtime.bodies import Body
from tests.runtime.test_modes import MODES


class Raises:
    def __init__(self, raised: BaseException, direct: bool) -> None:
        self.raised = raised
        self.direct = direct

    def emit(self, event: Event) -> None:
        raise self.raised


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("raised", [RuntimeError("sink"), SystemExit(1), GeneratorExit()])
def test_a_sink_that_raises_changes_nothing_and_is_counted(
    mode: str, direct: bool, raised: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    run, options = MODES[mode]
    metrics, memory = Metrics(), MemorySink()
    sink = Raises(raised, direct)
    with ToolExecutor([Body(lambda: 5, name="ok")], sinks=[sink, memory, metrics]) as executor:
        event = run(executor, [ToolCall("ok")] * 3, **options)
        assert executor.flush(30)
    assert [r.unwrap() for r in event.responses] == [5, 5, 5]
    assert memory.responses == [event]
    assert metrics.snapshot().dropped_events == 7  # three times started and finished, and the end
    assert metrics.snapshot().count(status="success") == 3
    warned = [r for r in caplog.records if r.name == "isonomy.sinks"]
    assert len(warned) == 1
    assert type(raised).__name__ in warned[0].getMessage()
    assert warned[0].levelno == logging.WARNING


@pytest.mark.parametrize("raised", [SystemExit(1), asyncio.CancelledError()])
def test_sinks_that_raise_one_beside_the_other_change_nothing(raised: BaseException) -> None:
    metrics = Metrics()
    sinks: list[Sink] = [
        Raises(raised, True),
        Raises(raised, True),
        Raises(ValueError(), False),
        metrics,
    ]
    with ToolExecutor([Body(lambda: 5, name="ok")], sinks=sinks) as executor:
        assert executor.run([ToolCall("ok")] * 2).responses[1].unwrap() == 5
        assert executor.flush(30)
    assert metrics.snapshot().dropped_events == 15  # each of the three lost all five


def test_unknown_names_are_counted_together() -> None:
    metrics = Metrics()
    with ToolExecutor([Body(lambda: 5, name="ok")], sinks=[metrics]) as executor:
        executor.run([ToolCall("made"), ToolCall("up")])
    assert [(key.tool, number) for key, number in metrics.snapshot().calls.items()] == [("", 2)]


def test_a_sink_that_blocks_blocks_nobody() -> None:
    release = threading.Event()
    taken: list[Event] = []

    class Blocks:
        def emit(self, event: Event) -> None:
            release.wait(60)
            taken.append(event)

    metrics = Metrics()
    executor = ToolExecutor([Body(lambda: 5, name="ok")], sinks=[Blocks(), metrics])
    try:
        batches = QUEUE_LIMIT // 3 + 50
        for _ in range(batches):
            assert executor.call("ok").unwrap() == 5
        assert not executor.flush(0.01)
        dropped = metrics.snapshot().dropped_events
        assert dropped == 3 * batches - QUEUE_LIMIT - 1 or dropped == 3 * batches - QUEUE_LIMIT
        release.set()
        assert executor.flush(30)
        assert len([e for e in taken if not isinstance(e, Notice)]) == 3 * batches - dropped
    finally:
        release.set()
        executor.close()


def test_a_queued_sink_gets_every_event_in_order_before_close_returns() -> None:
    taken: list[Event] = []

    class Keeps:
        def emit(self, event: Event) -> None:
            taken.append(event)

    memory = MemorySink()
    with ToolExecutor([Body(lambda: 5, name="ok")], sinks=[Keeps(), memory]) as executor:
        executor.run([ToolCall("ok")] * 100, id="b")
    assert taken == memory.events
    assert isinstance(taken[-1], ResponseEvent)


def test_something_without_emit_is_no_sink() -> None:
    with pytest.raises(Misuse, match="emit"):
        ToolExecutor([], sinks=[object()])  # type: ignore[list-item]


def test_memory_keeps_the_last_events() -> None:  # clause 9.6
    memory = MemorySink()
    with ToolExecutor([Body(lambda: 5, name="ok")], sinks=[memory]) as executor:
        for number in range(3_400):
            executor.run([ToolCall("ok")], id=str(number))
    assert len(memory.events) == 10_000
    assert memory.responses[-1].id == "3399"
    assert (
        memory.responses[0].id == "66"
    )  # 10,200 events were made; of batch 66 only the last is kept


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sinks": MemorySink()}, "sinks are given as a list"),
        ({"inject": "x"}, "inject maps names"),
        ({"inject": {1: "x"}}, "inject maps names"),
        ({"redactor": str}, "redactor is an object"),
        ({"control_signals": ["x"]}, "control_signals are exception types"),
        ({"max_threads": 0}, "max_threads is at least 1"),
        ({"max_result_bytes": "x"}, "max_result_bytes is a whole number"),
    ],
)
def test_an_option_of_another_kind_is_misuse(options: dict[str, Any], says: str) -> None:
    with pytest.raises(Misuse, match=says):
        ToolExecutor([], **options)


def test_metrics_can_be_read() -> None:
    def fail() -> None:
        raise ValueError

    metrics = Metrics()
    assert str(metrics.snapshot()) == "no calls"
    with ToolExecutor([len_of, fail], sinks=[metrics]) as executor:
        for arguments in ({"text": "a"}, {"text": "b"}, {}):
            executor.call("len_of", arguments)
        executor.call("fail")
    snapshot = metrics.snapshot()
    first, second = str(snapshot).splitlines()
    mean = snapshot.latency["fail"].mean_us
    assert mean is not None
    assert first == (
        f"fail: 1 calls, 0 succeeded, {mean / 1000:.3f} ms on average; failed: exception 1"
    )
    assert second.startswith("len_of: 3 calls, 2 succeeded, ")
    assert second.endswith("; failed: invalid_arguments 1")
    assert repr(snapshot.latency["fail"]) == f"Latency(count=1, mean_us={mean:.0f})"


def len_of(text: str) -> int:
    return len(text)


def test_a_value_that_the_host_lacks_is_told_at_once(caplog: pytest.LogCaptureFixture) -> None:
    def whose(
        tenant: Annotated[str, Injected()],
        key: Annotated[str, Injected("api_key")],
        region: Annotated[str, Injected()] = "eu",
    ) -> str:
        return tenant + key + region

    with ToolExecutor([whose], inject={"api_key": "hunter2"}) as executor:
        (told,) = [record for record in caplog.records if record.name == "isonomy.runtime"]
        assert told.levelno == logging.WARNING
        assert told.getMessage() == (
            "calls of whose (tenant) will fail: inject= lacks these values"
        )
        error = executor.call("whose").error  # clause 7.13
        assert error is not None
        assert (error.kind, error.effect) == ("internal", "none")
    caplog.clear()
    ToolExecutor([whose], inject={"api_key": "hunter2", "tenant": "t"}).close()
    assert [record for record in caplog.records if record.name == "isonomy.runtime"] == []
