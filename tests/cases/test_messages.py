# SPDX-License-Identifier: Apache-2.0
"""K: whatever an exception says of itself, its failure has a text, and one of bounded length."""

from __future__ import annotations

import json
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from tests.cases.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "RuntimeError"),
        (("",), "RuntimeError"),
        ((" \n\t",), "RuntimeError"),
        ((None,), "None"),
        ((404,), "404"),
        (({"code": 1},), "{'code': 1}"),
        (("x" * 2**20,), "x" * 8191 + "…"),
    ],
    ids=["none", "empty", "blank", "null", "number", "map", "mebibyte"],
)
def test_k7_a_message_is_never_empty_and_never_long(
    run: Run, arguments: tuple[Any, ...], message: str
) -> None:
    def bad() -> None:
        raise RuntimeError(*arguments)

    memory = MemorySink()
    with ToolExecutor([bad], sinks=[memory]) as executor:
        error = run(executor, [ToolCall("bad")]).responses[0].error
    assert error is not None
    assert error.kind is ErrorKind.EXCEPTION
    assert error.type == "RuntimeError"
    assert len(error.message) <= 8192
    assert error.message == message
    assert len(json.dumps(memory.responses[0].to_wire())) < 100_000
