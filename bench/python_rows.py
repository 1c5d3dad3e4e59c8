# SPDX-License-Identifier: Apache-2.0
"""Rows about calls of Python tools, and about the codec."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from time import perf_counter
from typing import Any

import orjson

import peer
from isonomy.contract.call import ToolCall
from isonomy.contract.portable import decode, encode
from registry import Effort, Measured, row
from timing import compare
from workload import ARGUMENTS, Forecast, executor, forecast, forecast_async, forecast_waiting

TOGETHER = 100
THREADS = 64


@row("py-sync-call", "µs", bar=12, reference="pydantic validation + the bare call")
def sync_call(effort: Effort) -> Measured:
    with executor() as ours:

        def figure(turns: int) -> float:
            call = ours.call
            start = perf_counter()
            for _ in repeat(None, turns):
                call("forecast", ARGUMENTS)
            return perf_counter() - start

        def reference(turns: int) -> float:
            validate = Forecast.model_validate
            start = perf_counter()
            for _ in repeat(None, turns):
                made = validate(ARGUMENTS)
                forecast(made.city, made.days, made.metric)
            return perf_counter() - start

        return compare(figure, reference, effort)


@row("py-sync-call-peer", "µs", bar=0.75, reference=f"{peer.PEER}, sync")
def sync_call_on_a_thread(effort: Effort) -> Measured:
    with executor() as ours, asyncio.Runner() as runner:
        theirs = runner.run(peer.tool_manager([forecast]))

        def figure(turns: int) -> float:
            call = ours.call
            start = perf_counter()
            for _ in repeat(None, turns):
                call("forecast", ARGUMENTS, deadline=30)
            return perf_counter() - start

        def reference(turns: int) -> float:
            return runner.run(_handle_one_by_one(theirs, "forecast", turns))

        return compare(figure, reference, effort)


@row("py-async-call", "µs", bar=0.75, reference=f"{peer.PEER}, async")
def async_call(effort: Effort) -> Measured:
    with executor() as ours, asyncio.Runner() as runner:
        theirs = runner.run(peer.tool_manager([forecast_async]))

        async def call_one_by_one(turns: int) -> float:
            call = ours.acall
            start = perf_counter()
            for _ in repeat(None, turns):
                await call("forecast_async", ARGUMENTS)
            return perf_counter() - start

        def figure(turns: int) -> float:
            return runner.run(call_one_by_one(turns))

        def reference(turns: int) -> float:
            return runner.run(_handle_one_by_one(theirs, "forecast_async", turns))

        return compare(figure, reference, effort)


@row("py-async-100", "µs", bar=0.9, reference=f"{peer.PEER}, async, 100 tasks")
def async_together(effort: Effort) -> Measured:
    """Give the event loop away once in each body: 100 calls are under way at once."""
    calls = [ToolCall("forecast_waiting", ARGUMENTS, f"call-{n}") for n in range(TOGETHER)]
    with executor() as ours, asyncio.Runner() as runner:
        theirs = runner.run(peer.tool_manager([forecast_waiting]))
        part = peer.call_of("forecast_waiting", ARGUMENTS)

        async def run_batches(turns: int) -> float:
            start = perf_counter()
            for _ in repeat(None, turns):
                await ours.arun(calls, parallel=TOGETHER)
            return perf_counter() - start

        async def handle_together(turns: int) -> float:
            start = perf_counter()
            for _ in repeat(None, turns):
                handled = [theirs.handle_call(part) for _ in range(TOGETHER)]
                await asyncio.gather(*map(_task, handled))
            return perf_counter() - start

        return compare(
            lambda turns: runner.run(run_batches(turns)),
            lambda turns: runner.run(handle_together(turns)),
            effort,
            each=TOGETHER,
        )


@row("py-sync-100", "µs", bar=1.3, reference="ThreadPoolExecutor, validation + the bare call")
def sync_together(effort: Effort) -> Measured:
    calls = [ToolCall("forecast", ARGUMENTS, f"call-{n}") for n in range(TOGETHER)]

    def work(arguments: dict[str, Any]) -> dict[str, Any]:
        made = Forecast.model_validate(arguments)
        return forecast(made.city, made.days, made.metric)

    with executor() as ours, ThreadPoolExecutor(THREADS) as pool:

        def figure(turns: int) -> float:
            start = perf_counter()
            for _ in repeat(None, turns):
                ours.run(calls, parallel=THREADS)
            return perf_counter() - start

        def reference(turns: int) -> float:
            submit = pool.submit
            start = perf_counter()
            for _ in repeat(None, turns):
                futures = [submit(work, ARGUMENTS) for _ in calls]
                for future in futures:
                    future.result()
            return perf_counter() - start

        return compare(figure, reference, effort, each=TOGETHER)


@row("codec-1k", "µs", bar=2.5, reference="orjson")
def codec(effort: Effort) -> Measured:
    document = _document()

    def figure(turns: int) -> float:
        start = perf_counter()
        for _ in repeat(None, turns):
            decode(encode(document))
        return perf_counter() - start

    def reference(turns: int) -> float:
        dumps, loads = orjson.dumps, orjson.loads
        start = perf_counter()
        for _ in repeat(None, turns):
            loads(dumps(document))
        return perf_counter() - start

    return compare(figure, reference, effort)


async def _handle_one_by_one(theirs: Any, name: str, turns: int) -> float:
    part = peer.call_of(name, ARGUMENTS)
    handle = theirs.handle_call
    start = perf_counter()
    for _ in repeat(None, turns):
        await handle(part)
    return perf_counter() - start


def _task(handled: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    return asyncio.get_running_loop().create_task(handled)


def _document() -> dict[str, Any]:
    """Return a plain document of about 1,000 bytes of JSON, such as a tool gives."""
    lines = [
        {
            "article": f"A-{number:04}",
            "count": number + 1,
            "price": 14.25 + number,
            "text": "a box of small wooden parts",
            "labels": ["new", "small"],
            "gift": number % 2 == 0,
            "note": None,
        }
        for number in range(4)
    ]
    customer = {
        "id": 88_123,
        "name": "a customer of the shop",
        "mail": "customer@example.com",
        "known": False,
        "rating": 4.75,
        "address": {"street": "12 Long Street", "city": "Ulm", "place": [48.4011, 9.9876]},
    }
    return {
        "order": "2024-05-17/000123",
        "version": 3,
        "open": True,
        "parent": None,
        "total": 63.0,
        "customer": customer,
        "lines": lines,
        "made": {"at": "2024-05-17T10:00:00Z", "by": "web", "retries": 0, "ratio": 0.5},
        "remark": "Please leave the parcel with the neighbour on the second floor if nobody opens.",
        "status": "SHIPPED",
    }
