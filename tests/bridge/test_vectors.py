# SPDX-License-Identifier: Apache-2.0
"""The vectors of the areas `mapping` and `arguments`, with Java tools in a Python host.

Here a case of Java counts, and one of Python does not: the side that acts is Java.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.bridge.conftest import Load
from tests.expected import Side, check_response
from tests.receiving import check_misuse, check_refused, host_names
from tests.vectors import Case, cases

from isonomy.bridge.endpoint import Endpoint
from isonomy.bridge.java_tool import JavaTool
from isonomy.bridge.line import Line
from isonomy.bridge.machine import running
from isonomy.contract.call import ToolCall
from isonomy.contract.canonical import canonical, digest
from isonomy.contract.outcome import Returned, Settled
from isonomy.contract.portable import decode
from isonomy.contract.response import ToolResponse
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.arguments import parse
from isonomy.tools.tool import Invocation, Tool

JAVA_FIXTURES = {
    "fixture:Nested": "dev.isonomy.vectors.Fixtures$Outer$Nested",
    "fixture:": "dev.isonomy.vectors.Fixtures$",
}


def in_java(expected: Any) -> Any:
    """Put the full names of Java's fixtures in their places in an expected string, at any depth."""
    if isinstance(expected, str):
        for name, full in JAVA_FIXTURES.items():
            expected = expected.replace(name, full)
        return expected
    if isinstance(expected, list):
        return [in_java(item) for item in expected]
    if isinstance(expected, dict):
        return {in_java(key): in_java(item) for key, item in expected.items()}
    return expected


JAVA = Side("java", in_java)


def each(area: str) -> Callable[[Any], Any]:
    """Run a test for every case of an area that concerns Java."""
    chosen = [case for case in cases(area) if case.only is None or "java" in case.only]
    assert chosen
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in chosen])


def _alone(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return [executor.call(call.tool, call.arguments)]


def _on_a_thread(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return [executor.call(call.tool, call.arguments, deadline=60)]


def _in_order(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return [record.response for record in executor.run([call, call]).records]


def _in_parallel(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return [record.response for record in executor.run([call, call], parallel=2).records]


def _from_async(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    event = asyncio.run(executor.arun([call, call], parallel=2))
    return [record.response for record in event.records]


PATHS = (_alone, _on_a_thread, _in_order, _in_parallel, _from_async)


@each("mapping")
def test_mapping(load: Load, case: Case) -> None:
    """A response does not depend on the path (clause 3.14)."""
    tools = load("com.acme.Behaving").values()
    call = ToolCall("behave", {"tool": json.dumps(case["tool"])})
    with ToolExecutor(tools, **case.get("options", {})) as executor:
        for path in PATHS:
            for response in path(executor, call):
                check_response(response, case["response"], JAVA)
    assert not case.unread()


# Arguments --------------------------------------------------------------------------------------


def receiving(load: Load, behaving: Any, case: Case, injected: dict[str, str]) -> Tool:
    """Give a Java tool that returns what it receives, with the case's schema or signature."""
    if "signature" in case:
        return load("com.acme.Signatures")[case["signature"]]
    java = behaving.receiving(json.dumps(case["schema"]), list(injected), list(injected.values()))
    (description,) = decode(bytes(java.describe()))
    return JavaTool(Endpoint(Line(running()), java), description)


@each("arguments")
def test_arguments(load: Load, behaving: Any, case: Case) -> None:
    """Arguments are validated once, by the callee (clause 7.3), with the same words."""
    if "misuse" in case:
        check_misuse(case)  # what Java refuses is refused before a bridge stands
        return
    injected = host_names(case)
    tool = receiving(load, behaving, case, injected)
    arguments = decode(json.dumps(case["object"])) if "object" in case else case["arguments"]
    invocation = Invocation(arguments, dict.fromkeys(injected.values(), "host"))
    outcome = tool.invoke(invocation)
    if "accepts" in case:
        assert isinstance(outcome, Returned), outcome
        received = dict(outcome.value)
        for name in injected:
            assert received.pop(name) == "host"
        assert canonical(received) == canonical(decode(case["accepts"]))
    else:
        assert isinstance(outcome, Settled), outcome
        check_refused(case, outcome.error)
    if "decoded" in case:
        assert list(invocation.decoded) == case["decoded"]
    if "digest" in case:
        assert digest(parse(arguments)) == case["digest"]
    assert not case.unread()
