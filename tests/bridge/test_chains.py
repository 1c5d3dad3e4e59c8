# SPDX-License-Identifier: Apache-2.0
"""Chains of causes that cross languages, with the traces behind them (clauses 3.2, 4.9, 4.10)."""

from __future__ import annotations

import pytest
from tests.bridge.conftest import Load
from tests.bridge.programs import HANG

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Cause, ToolError
from isonomy.contract.response import ToolFailed
from isonomy.runtime.executor import ToolExecutor

IN_PYTHON = (Cause("KeyError", "'a1'", "python"), Cause("OSError", "disk", "python"))
INNER_TRACE = (
    "--- trace of the python error KeyError ---\n"
    'Traceback (most recent call last):\n  File "shop.py", line 3, in find\n'
    "KeyError: 'a1'\n"
)


def failed(executor: ToolExecutor, name: str) -> ToolError:
    error = executor.call(name, {"sku": "a1"}).error
    assert error is not None
    return error


@pytest.mark.parametrize("name", ["order", "orderLater"])
def test_a_java_tool_wraps_what_a_python_tool_raised(load: Load, name: str) -> None:
    error = failed(ToolExecutor(load("com.acme.Orders").values()), name)
    assert (error.kind, error.type, error.language) == (
        "exception",
        "java.lang.IllegalStateException",
        "java",
    )
    assert error.message == "no order of a1"
    assert error.causes == IN_PYTHON
    assert error.trace is not None
    assert error.trace.startswith("java.lang.IllegalStateException: no order of a1\n\tat com.acme.")
    assert "\nCaused by: dev.isonomy.contract.ToolFailed: 'a1'\n" in error.trace
    assert error.trace.endswith(INNER_TRACE)


def test_a_java_tool_hands_on_what_a_python_tool_raised(load: Load) -> None:
    error = failed(ToolExecutor(load("com.acme.Orders").values()), "handOn")
    assert (error.kind, error.type, error.language) == ("tool_error", "KeyError", "python")
    assert error.causes == IN_PYTHON[1:]
    assert error.trace is not None
    assert error.trace.endswith("in find\nKeyError: 'a1'\n")
    assert error.details["inner"]["kind"] == "exception"  # as the inner executor told it


def test_python_java_and_python_are_one_chain(load: Load) -> None:
    inner = ToolExecutor(load("com.acme.Orders").values())

    def buy(sku: str) -> object:
        """Buy one."""
        try:
            return inner.call("order", {"sku": sku}).unwrap()
        except ToolFailed as why:
            raise RuntimeError("nothing bought") from why

    def hand_on(sku: str) -> object:
        """Buy one, as it is."""
        return inner.call("order", {"sku": sku}).unwrap()

    outer = ToolExecutor([buy, hand_on])
    error = failed(outer, "buy")
    assert (error.type, error.message, error.language) == (
        "RuntimeError",
        "nothing bought",
        "python",
    )
    assert error.causes == (
        Cause("java.lang.IllegalStateException", "no order of a1", "java"),
        *IN_PYTHON,
    )
    assert error.trace is not None
    assert error.trace.startswith(
        "--- trace of the java error java.lang.IllegalStateException ---\n"
        "java.lang.IllegalStateException: no order of a1\n\tat com.acme."
    )
    assert INNER_TRACE in error.trace
    assert "isonomy.contract.response.ToolFailed: no order of a1\n" in error.trace
    assert error.trace.endswith("\nRuntimeError: nothing bought\n")

    handed = failed(outer, "hand_on")
    assert (handed.kind, handed.language) == ("tool_error", "java")
    assert handed.type == "java.lang.IllegalStateException"
    assert handed.causes == IN_PYTHON
    assert handed.details["inner"]["kind"] == "exception"


@pytest.mark.parametrize("parallel", [1, 4])
def test_nested_calls_in_both_languages_end(load: Load, parallel: int) -> None:
    """A Python tool calls a Java tool, which calls one of its own; all threads are in use."""

    def relay(depth: int) -> object:
        """Call on, and at the end a Java tool."""
        call = ("relay", {"depth": depth - 1}) if depth else ("order", {"sku": "a1"})
        return executor.call(*call).unwrap()

    tools = [relay, *load("com.acme.Orders").values()]
    with ToolExecutor(tools, max_threads=parallel) as executor:
        calls = [ToolCall("relay", {"depth": 3})] * 12
        event = executor.run(calls, parallel=parallel, call_deadline=HANG)
        ended = [response.error for response in event.responses]
    assert [(error.kind, error.message) for error in ended if error] == (
        [("tool_error", "no order of a1")] * 12
    )
