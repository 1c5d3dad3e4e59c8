# SPDX-License-Identifier: Apache-2.0
"""What a body may ask about its call (clause 8.13)."""

import logging
import time

from isonomy.tools.context import ToolContext


def test_a_context_without_a_runtime():
    context = ToolContext("search")
    assert (context.tool, context.call_id, context.attempt) == ("search", None, 1)
    assert context.remaining() is None
    assert context.cancelled is False
    context.progress(1, 2, "half")


def test_remaining_time_ends_at_zero():
    context = ToolContext("search", ends_at=time.monotonic() + 1000)
    remaining = context.remaining()
    assert remaining is not None
    assert 900 < remaining <= 1000
    assert ToolContext("search", ends_at=time.monotonic() - 1).remaining() == 0.0


def test_cancellation_and_progress_are_the_runtimes():
    reports: list[tuple[object, ...]] = []
    context = ToolContext(
        "search",
        "c-1",
        2,
        is_cancelled=lambda: bool(reports),
        on_progress=lambda *report: reports.append(report),
    )
    assert not context.cancelled
    context.progress(1)
    context.progress(2, total=3, message="more")
    assert reports == [(1, None, None), (2, 3, "more")]
    assert context.cancelled


def test_the_logger_names_the_tool_and_carries_the_call(caplog):
    context = ToolContext("search", "c-1", 2)
    with caplog.at_level(logging.INFO):
        context.logger.info("found %d", 3)
    (record,) = caplog.records
    assert record.name == "isonomy.tool.search"
    assert record.getMessage() == "found 3"
    assert (record.call_id, record.attempt) == ("c-1", 2)
