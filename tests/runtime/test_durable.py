# SPDX-License-Identifier: Apache-2.0
"""Batches that are kept: what is reused, what runs again, and what a broken journal does (13)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest

from isonomy import Injected, ToolCall, ToolExecutor, ToolFailed, ToolResponse
from isonomy.contract.content import Block
from isonomy.contract.error import Effect, ErrorKind, ToolError
from isonomy.contract.events import ExecutionEvent, ResponseEvent
from isonomy.contract.journal import (
    Finished,
    Journal,
    JournalError,
    JournalMismatch,
    LeaseLost,
    StoredCall,
)
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Settled
from isonomy.contract.slots import SlotKey
from isonomy.journal.memory import MemoryJournal
from isonomy.journal.sqlite import SqliteJournal
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.tools.tool import Invocation, Tool

Run = Callable[..., ResponseEvent]


class Shop:
    """Tools that count how often they ran."""

    def __init__(self) -> None:
        self.ran: list[Any] = []
        self.number = 0

    def price(self, sku: str) -> dict[str, Any]:
        self.ran.append(sku)
        return {"sku": sku, "price": Decimal("12.50"), "from": date(2026, 1, 2)}

    async def stock(self, sku: str) -> int:
        self.ran.append(sku)
        await asyncio.sleep(0)
        return len(sku)

    def refuse(self, why: str) -> ToolResponse:
        self.ran.append(why)
        return ToolResponse.error(why, code="NO", details={"at": date(2026, 1, 2)}, meta={"m": 1})

    def fail(self, text: str) -> None:
        self.ran.append(text)
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise ValueError(text) from inner

    def group(self) -> None:
        raise ExceptionGroup("several", [ValueError("a"), KeyError("b")])

    def give_up(self) -> None:
        self.ran.append("give_up")
        raise ToolFailed("given up", retryable=True)

    def count(self) -> int:
        self.number += 1
        return self.number

    def lock(self) -> Any:
        self.ran.append("lock")
        return {"lock": threading.Lock(), "n": 1}

    def large(self) -> str:
        self.ran.append("large")
        return "x" * 5_000

    def tools(self) -> list[Any]:
        return [
            self.price, self.stock, self.refuse, self.fail, self.group, self.give_up, self.count,
            self.lock, self.large,
        ]  # fmt: skip


CALLS = (
    ToolCall("price", {"sku": "a1"}, "c1"),
    ToolCall("stock", '{"sku": "b22"}', "c1"),
    ToolCall("refuse", {"why": "no stock"}),
    ToolCall("fail", {"text": "token=abc1234567890def"}),
    ToolCall("group"),
    ToolCall("give_up"),
    ToolCall("count"),
    ToolCall("count"),
    ToolCall("lock"),
)
FREE = (ToolCall("nobody"), ToolCall("price", {"sku": 5}), ToolCall("price", "[1]"))


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture(params=["memory", "full", "normal"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    opened: Journal
    if request.param == "memory":
        opened = MemoryJournal()
    else:
        opened = SqliteJournal(tmp_path / "runs.db", synchronous=request.param)
    yield opened
    opened.close()


@pytest.fixture(params=["run", "arun"])
def way(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def run(executor: ToolExecutor, way: str, calls: Sequence[ToolCall], **options: Any) -> Any:
    if way == "run":
        return executor.run(calls, **options)
    return asyncio.run(executor.arun(calls, **options))


OPTIONS = [{}, {"parallel": 3}, {"call_deadline": 30}, {"parallel": 3, "deadline": 30}]


@pytest.mark.parametrize("options", OPTIONS)
def test_what_finished_is_reused_with_an_equal_response(
    shop: Shop, journal: Journal, way: str, options: dict[str, Any]
) -> None:
    with ToolExecutor(shop.tools()) as executor:
        live = run(executor, way, CALLS, id="b", journal=journal, **options)
        ran, number = list(shop.ran), shop.number
        again = run(executor, way, CALLS, id="b", journal=journal, **options)
    assert (shop.ran, shop.number) == (ran, number)
    assert len(ran) == 6
    assert number == 2
    for before, after in zip(live.records, again.records, strict=True):
        assert before.response == after.response
        assert before.response.to_wire() == after.response.to_wire()
        assert (before.call_id, before.tool, before.decoded) == (
            after.call_id, after.tool, after.decoded,
        )  # fmt: skip
        assert (before.execution, before.attempts) == ("executed", 1)
        assert (after.execution, after.attempts) == ("reused", 0)
        assert after.started_at is after.duration_us is None
    price, stock, refused, failed, group, gave_up, *counts, lock = [
        record.response for record in again.records
    ]
    assert price.unwrap() == {"sku": "a1", "price": Decimal("12.50"), "from": date(2026, 1, 2)}
    assert stock.unwrap() == 3
    assert (refused.error.kind, refused.error.code, refused.meta) == ("tool_error", "NO", {"m": 1})
    assert refused.error.details == {"at": date(2026, 1, 2)}
    assert (failed.error.kind, failed.error.type) == ("exception", "ValueError")
    assert "abc1234567890def" not in str(failed.to_wire())
    assert [cause.type for cause in failed.error.causes] == ["KeyError"]
    assert "raise ValueError" in failed.error.trace
    assert [member["type"] for member in group.error.details["members"]] == [
        "ValueError", "KeyError",
    ]  # fmt: skip
    assert (gave_up.error.kind, gave_up.error.retryable) == ("tool_error", True)
    assert sorted(count.unwrap() for count in counts) == [1, 2]
    assert lock.is_success
    assert lock.unwrap()["n"] == 1
    assert lock.unwrap()["lock"].type == "_thread.lock"


def test_a_durable_response_is_that_of_the_batch_without_a_journal(
    shop: Shop, journal: Journal, way: str
) -> None:
    with ToolExecutor(shop.tools()) as executor:
        plain = run(executor, way, CALLS[:6])
        kept = run(executor, way, CALLS[:6], id="b", journal=journal)
    for one, other in zip(plain.records, kept.records, strict=True):
        mine, theirs = one.response.to_wire(), other.response.to_wire()
        if "error" in mine and "trace" in mine["error"]:
            del mine["error"]["trace"], theirs["error"]["trace"]
        assert mine == theirs


def test_what_did_nothing_runs_again(shop: Shop, journal: Journal, way: str) -> None:
    with ToolExecutor(shop.tools()) as executor:
        first = run(executor, way, FREE, id="b", journal=journal)
        again = run(executor, way, FREE, id="b", journal=journal)
    kinds = ["not_found", "invalid_arguments", "invalid_arguments"]
    for event in (first, again):
        assert [record.response.error.kind for record in event.records] == kinds
        assert [str(record.execution) for record in event.records] == [
            "not_executed", "executed", "executed",
        ]  # fmt: skip


def test_the_rest_runs(shop: Shop, journal: Journal, way: str) -> None:
    """As after a death: the journal has some of the calls."""
    shop_before = Shop()
    with ToolExecutor(shop_before.tools()) as executor:
        run(executor, way, CALLS, id="whole", journal=journal)
    lease = journal.claim("whole", len(CALLS))
    some = [stored for stored in lease.stored() if stored.slot.position in (1, 3, 6)]
    lease.release(ended=False)
    other = journal.claim("part", len(CALLS))
    other.finish([Finished(each.slot, each.record or "", 1, 5) for each in some])
    other.release(ended=False)
    sink = MemorySink()
    metrics = Metrics()
    with ToolExecutor(shop.tools(), sinks=[sink, metrics]) as executor:
        event = run(executor, way, CALLS, id="part", journal=journal)
    reused = [record.position for record in event.records if record.execution == "reused"]
    assert reused == [1, 3, 6]
    assert shop.ran == ["a1", "no stock", "give_up", "lock"]
    told = [each for each in sink.events if isinstance(each, ExecutionEvent)]
    ends = [each for each in told if each.type != "started"]
    assert [each.position for each in ends if each.type == "reused"] == [1, 3, 6]
    assert sorted(each.position for each in ends) == list(range(9))
    assert [each.seq for each in told] == list(range(3 + 2 * 6))
    snapshot = metrics.snapshot()
    assert (snapshot.reused, snapshot.in_flight) == (3, 0)
    assert sum(snapshot.calls.values()) == 6


def test_equal_calls_keep_their_own_results(shop: Shop, journal: Journal, way: str) -> None:
    calls = [ToolCall("count")] * 4
    with ToolExecutor(shop.tools()) as executor:
        first = run(executor, way, calls, id="b", journal=journal)
        again = run(executor, way, calls, id="b", journal=journal)
    for event in (first, again):
        assert [record.response.unwrap() for record in event.records] == [1, 2, 3, 4]


def test_another_batch_runs(shop: Shop, journal: Journal, way: str) -> None:
    with ToolExecutor(shop.tools()) as executor:
        run(executor, way, [ToolCall("count")], id="a", journal=journal)
        event = run(executor, way, [ToolCall("count")], id="b", journal=journal)
    assert event.records[0].response.unwrap() == 2


def test_a_result_that_is_too_large_is_kept_as_that(shop: Shop, journal: Journal, way: str) -> None:
    with ToolExecutor(shop.tools(), max_result_bytes=4_096) as executor:
        for _ in range(2):
            event = run(executor, way, [ToolCall("large")], id="b", journal=journal)
            assert event.records[0].response.error.kind == "too_large"
    assert shop.ran == ["large"]


def test_strict_values_are_kept_as_failures(shop: Shop, journal: Journal, way: str) -> None:
    with ToolExecutor(shop.tools(), strict_values=True) as executor:
        for _ in range(2):
            event = run(executor, way, [ToolCall("lock")], id="b", journal=journal)
            assert event.records[0].response.error.kind == "result_conversion"
    assert shop.ran == ["lock"]


class Carried(Tool):
    """As one of an MCP server of ours: another runtime settled the call, with content."""

    def invoke(self, invocation: Invocation) -> Outcome:
        error = ToolError(ErrorKind.TIMEOUT, "late", Effect.POSSIBLE, "java")
        return Settled(error, (Block("text", {"text": "half"}),), {"m": 1})


def test_what_another_runtime_settled_is_kept_whole(journal: Journal, way: str) -> None:
    with ToolExecutor([Carried("far")]) as executor:
        for execution in ("executed", "reused"):
            event = run(executor, way, [ToolCall("far")], id="b", journal=journal)
            assert event.records[0].execution == execution
            response = event.records[0].response
            assert (response.error.kind, response.error.language) == ("timeout", "java")
            assert [block.to_wire() for block in response.content] == [
                {"type": "text", "text": "half"}
            ]
            assert response.meta == {"m": 1}


def test_a_timeout_is_kept(journal: Journal, way: str) -> None:
    ran: list[int] = []
    over = threading.Event()

    def slow() -> int:
        ran.append(1)
        over.wait(30)
        return 1

    with ToolExecutor([slow]) as executor:
        for execution in ("executed", "reused"):
            event = run(
                executor, way, [ToolCall("slow")], id="b", journal=journal, call_deadline=0.1
            )
            assert event.records[0].response.error.kind == "timeout"
            assert event.records[0].execution == execution
        over.set()
    assert ran == [1]


def test_fail_fast_counts_reused_failures(shop: Shop, journal: Journal, way: str) -> None:
    calls = [ToolCall("fail", {"text": "x"}), ToolCall("price", {"sku": "a"})]
    with ToolExecutor(shop.tools()) as executor:
        for _ in range(2):
            event = run(executor, way, calls, id="b", journal=journal, fail_fast=True)
            assert event.records[1].response.error.kind == "not_run"
        event = run(executor, way, calls, id="b", journal=journal)
        assert event.records[1].response.is_success
    assert shop.ran == ["x", "a"]


# Mismatches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (ToolCall("count"), 'the journal has tool "price", version s:'),
        (ToolCall("price", {"sku": "other"}), 'the journal has tool "price", arguments '),
        (ToolCall("nobody"), 'tool "price", this is a call that cannot be run'),
    ],
)
def test_another_call_at_a_slot(
    shop: Shop, journal: Journal, way: str, offered: ToolCall, said: str
) -> None:
    with ToolExecutor(shop.tools()) as executor:
        run(executor, way, CALLS[:2], id="b", journal=journal)
        ran = list(shop.ran)
        with pytest.raises(JournalMismatch, match='batch "b", call 0: ') as mismatch:
            run(executor, way, [offered, CALLS[1]], id="b", journal=journal)
        assert said in str(mismatch.value)
        with pytest.raises(JournalMismatch, match="the journal has 2 calls, this is 1"):
            run(executor, way, CALLS[:1], id="b", journal=journal)
        assert shop.ran == ran
        run(executor, way, CALLS[:2], id="b", journal=journal)  # the lease was given back


def test_a_tool_that_changed_is_another(journal: Journal, way: str) -> None:
    def price(sku: str) -> str:
        return sku

    def changed(sku: str, day: str = "today") -> str:
        return sku + day

    changed.__name__ = "price"
    with ToolExecutor([price]) as executor:
        run(executor, way, [ToolCall("price", {"sku": "a"})], id="b", journal=journal)
    with ToolExecutor([changed]) as executor, pytest.raises(JournalMismatch, match="version s:"):
        run(executor, way, [ToolCall("price", {"sku": "a"})], id="b", journal=journal)


def test_injected_values_that_count_are_part_of_a_slot(journal: Journal, way: str) -> None:
    ran: list[str] = []

    def mine(tenant: Annotated[str, Injected(identity=True)]) -> str:
        ran.append(tenant)
        return tenant

    def with_tenant(tenant: str) -> ToolExecutor:
        return ToolExecutor([mine], inject={"tenant": tenant}, identity_key="k")

    calls = [ToolCall("mine")]
    for _ in range(2):
        with with_tenant("t-1") as executor:
            run(executor, way, calls, id="b", journal=journal)
    with with_tenant("t-2") as executor, pytest.raises(JournalMismatch, match="injected "):
        run(executor, way, calls, id="b", journal=journal)
    assert ran == ["t-1"]
    with (
        ToolExecutor([mine], inject={"tenant": "t-1"}) as executor,
        pytest.raises(Misuse, match="give the executor an identity_key"),
    ):
        run(executor, way, calls, id="b", journal=journal)


@pytest.mark.parametrize("batch_id", [None, "", " ", "a\0b", "a\ud800"])
def test_an_id_is_needed(journal: Journal, way: str, batch_id: str | None) -> None:
    with ToolExecutor([]) as executor, pytest.raises(Misuse, match="durable batch"):
        run(executor, way, [], id=batch_id, journal=journal)


def test_an_empty_batch(journal: Journal, way: str) -> None:
    with ToolExecutor([]) as executor:
        for _ in range(2):
            assert run(executor, way, [], id="b", journal=journal).records == ()


# A journal that fails -----------------------------------------------------------------------------


class Failing:
    """A journal whose lease writes so many outcomes and no more."""

    def __init__(self, writes: int, error: JournalError) -> None:
        self.inner = MemoryJournal()
        self.left = writes
        self.error = error

    def claim(self, *arguments: Any) -> Any:
        return _FailingLease(self, self.inner.claim(*arguments))

    def where(self) -> str:
        return "the journal of the test"

    def close(self) -> None:
        self.inner.close()


class _FailingLease:
    def __init__(self, journal: Failing, lease: Any) -> None:
        self._journal = journal
        self._lease = lease

    def on_lost(self, told: Callable[[], object]) -> None:
        pass

    def stored(self) -> Iterator[StoredCall]:
        stored: Iterator[StoredCall] = self._lease.stored()
        return stored

    def reserve(self, slot: SlotKey) -> None:
        self._lease.reserve(slot)

    def finish(self, finished: Sequence[Finished], *, last: bool = False) -> None:
        if self._journal.left < 1:
            raise self._journal.error
        self._journal.left -= 1
        self._lease.finish(finished, last=last)

    def release(self, *, ended: bool) -> None:
        self._lease.release(ended=ended)


@pytest.mark.parametrize(
    "error", [JournalError("disk full"), LeaseLost("the batch has another owner")]
)
def test_a_journal_that_fails_amid_a_batch(way: str, error: JournalError) -> None:
    shop = Shop()
    calls = [ToolCall("price", {"sku": f"a{i}"}) for i in range(5)]
    journal = Failing(2, error)
    with ToolExecutor(shop.tools()) as executor:
        event = run(executor, way, calls, id="b", journal=journal)
        assert shop.ran == ["a0", "a1", "a2"]
        one, two, failed, *rest = [record.response for record in event.records]
        assert one.is_success
        assert two.is_success
        assert (failed.error.kind, failed.error.effect) == ("internal", "possible")
        assert failed.error.message == f"the outcome could not be written to the journal: {error}"
        for response in rest:
            assert (response.error.kind, response.error.effect) == ("not_run", "none")
            assert response.error.message == "not started: the journal failed"
        journal.left = 10
        event = run(executor, way, calls, id="b", journal=journal)
    assert [str(record.execution) for record in event.records] == [
        "reused", "reused", "executed", "executed", "executed",
    ]  # fmt: skip
    assert shop.ran == ["a0", "a1", "a2", "a2", "a3", "a4"]


def test_a_record_that_cannot_be_read(tmp_path: Path, way: str) -> None:
    shop = Shop()
    journal = SqliteJournal(tmp_path / "runs.db")
    with ToolExecutor(shop.tools()) as executor:
        run(executor, way, CALLS[:2], id="b", journal=journal)
        assert journal._opened is not None
        journal._opened.execute("UPDATE isonomy_call SET record = substr(record, 1, 9)")
        with pytest.raises(JournalError, match='the record of call 0 of batch "b" cannot be read'):
            run(executor, way, CALLS[:2], id="b", journal=journal)
    assert shop.ran == ["a1", "b22"]


def test_a_lost_lease_starts_nothing_more(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another host took the batch over while a body ran; it is noticed before that ends."""
    path = tmp_path / "runs.db"
    journal = SqliteJournal(path, lease=0.3)
    shop = Shop()
    lost = threading.Event()

    def slow() -> str:
        shop.ran.append("slow")
        assert journal._opened is not None
        with journal._lock:
            journal._opened.execute("UPDATE isonomy_batch SET fence = fence + 1")
        assert lost.wait(20)
        return "slow"

    claim = journal.claim

    def watched(*arguments: Any) -> Any:
        lease = claim(*arguments)
        lose = lease.lose

        def told() -> None:
            lose()
            lost.set()

        monkeypatch.setattr(lease, "lose", told)
        return lease

    monkeypatch.setattr(journal, "claim", watched)
    calls = [ToolCall("slow"), ToolCall("price", {"sku": "a"})]
    with ToolExecutor([slow, shop.price]) as executor:
        event = run(executor, way, calls, id="b", journal=journal)
    first, second = [record.response.error for record in event.records]
    assert first is not None
    assert second is not None
    assert (first.kind, first.effect) == ("internal", "possible")
    assert first.message.endswith("the batch has another owner")
    assert (second.kind, second.message) == ("not_run", "not started: the journal failed")
    assert shop.ran == ["slow"]
    journal.close()


# Waiting, cancellation, the end -------------------------------------------------------------------


def test_a_second_host_waits_and_reuses(shop: Shop, journal: Journal, way: str) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(sku: str) -> str:
        shop.ran.append(sku)
        inside.set()
        go_on.wait(30)
        return sku

    calls = [ToolCall("slow", {"sku": "a"})]
    events: list[ResponseEvent] = []
    with ToolExecutor([slow]) as one, ToolExecutor([slow]) as other:
        first = threading.Thread(
            target=lambda: events.append(run(one, way, calls, id="b", journal=journal))
        )
        first.start()
        assert inside.wait(20)
        late = run(other, way, calls, id="b", journal=journal, deadline=0.2)
        assert late.records[0].response.error.kind == "not_run"
        assert late.records[0].response.error.message == "not started: the deadline passed"
        go_on.set()
        second = run(other, way, calls, id="b", journal=journal)
        first.join(20)
    assert second.records[0].execution == "reused"
    assert shop.ran == ["a"]
    assert second.records[0].response == events[0].records[0].response


async def test_a_cancelled_batch_keeps_what_finished(journal: Journal) -> None:
    ran: list[str] = []
    inside = asyncio.Event()

    async def quick(sku: str) -> str:
        ran.append(sku)
        return sku

    async def slow() -> str:
        ran.append("slow")
        inside.set()
        if len(ran) < 3:
            await asyncio.sleep(60)
        return "slow"

    calls = [ToolCall("quick", {"sku": "a"}), ToolCall("slow")]
    async with ToolExecutor([quick, slow]) as executor:
        task = asyncio.create_task(executor.arun(calls, id="b", journal=journal))
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        event = await executor.arun(calls, id="b", journal=journal)
    assert ran == ["a", "slow", "slow"]
    assert [str(record.execution) for record in event.records] == ["reused", "executed"]


async def test_a_caller_that_is_cancelled_while_it_waits_takes_no_batch(journal: Journal) -> None:
    lease = journal.claim("b", 1)
    shop = Shop()
    async with ToolExecutor(shop.tools()) as executor:
        task = asyncio.create_task(executor.arun([ToolCall("count")], id="b", journal=journal))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        lease.release(ended=False)
        event = await executor.arun([ToolCall("count")], id="b", journal=journal)
    assert event.records[0].response.unwrap() == 1


def test_deadlines_are_those_of_whole_batches(journal: Journal, way: str) -> None:
    with ToolExecutor([Shop().price]) as executor:
        event = run(
            executor, way, [ToolCall("price", {"sku": "a"})], id="b", journal=journal,
            deadline=timedelta(seconds=30),
        )  # fmt: skip
    assert event.records[0].response.is_success
