# SPDX-License-Identifier: Apache-2.0
"""E: whatever an exception holds, a plain record of it is kept."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.encoding import register_converter
from isonomy.contract.error import Cause, ErrorKind, ToolError
from isonomy.contract.portable import Opaque, decode, encode
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.runtime.executor import ToolExecutor
from tests.cases.conftest import Run


class TwoPartError(Exception):
    """An exception that cannot be unpickled: its constructor wants two arguments."""

    def __init__(self, a: str, b: int) -> None:
        super().__init__(f"{a}{b}")
        self.lock = threading.Lock()


def breaks() -> None:
    try:
        raise KeyError("inner")
    except KeyError as inner:
        raise TwoPartError("no. ", 7) from inner


def test_e1_e2_e4_a_live_exception_is_a_plain_record(run: Run) -> None:
    with ToolExecutor([breaks]) as executor:
        response = run(executor, [ToolCall("breaks")]).responses[0]
    error = response.error
    assert error is not None
    assert (error.kind, error.message) == (ErrorKind.EXCEPTION, "no. 7")
    assert error.type is not None
    assert error.type.endswith("TwoPartError")
    assert error.causes == (Cause("KeyError", "'inner'", "python"),)
    assert ToolResponse.from_wire(json.loads(json.dumps(response.to_wire()))) == response


READS = """
import json, sys
from isonomy.contract.response import ToolResponse
response = ToolResponse.from_wire(json.load(sys.stdin))
print(json.dumps([response.error.type, response.error.message, len(response.error.causes)]))
"""


def test_e1_another_process_reads_the_same_failure() -> None:
    with ToolExecutor([breaks]) as executor:
        response = executor.call("breaks")
    written = json.dumps(response.to_wire()).encode()
    read = subprocess.run(
        [sys.executable, "-c", READS], input=written, capture_output=True, check=True, timeout=60
    )
    assert response.error is not None
    assert json.loads(read.stdout) == [response.error.type, "no. 7", 1]


class Unwritable:
    """A value whose registered converter raises."""


class NoTextError(Exception):
    """An exception that gives nothing of itself away."""

    def __str__(self) -> str:
        raise RuntimeError("no text either")


@pytest.fixture(autouse=True, scope="module")
def _converter() -> None:
    def convert(value: Unwritable) -> Any:
        raise RuntimeError("cannot convert")

    register_converter(Unwritable, convert)


def value() -> Any:
    return {"fine": 1, "odd": Unwritable()}


def declares() -> ToolResponse:
    return ToolResponse.error("declared", details={"odd": Unwritable(), "fine": 1})


def raises() -> None:
    try:
        raise ValueError("the cause")
    except ValueError as cause:
        raise NoTextError from cause


OPAQUE = Opaque(f"{__name__}.Unwritable", "$.odd")


@pytest.mark.parametrize("strict", [False, True])
def test_e8_an_encoder_that_raises_is_told_at_once(run: Run, strict: bool) -> None:
    tools = [value, declares, raises]
    with ToolExecutor(tools, strict_values=strict) as executor:
        event = run(executor, [ToolCall(tool.__name__) for tool in tools])
    returned, declared, raised = event.responses

    # the value: data with a marker where it cannot be written, or a failure that names the place
    if strict:
        assert returned.error is not None
        assert returned.error.kind is ErrorKind.RESULT_CONVERSION
        assert "$.odd" in returned.error.message
        assert "Unwritable" in returned.error.message
    else:
        assert decode(encode(returned.unwrap())) == {"fine": 1, "odd": OPAQUE}

    # the failure record: never replaced by a complaint about it
    assert isinstance(declared, ToolFailure)
    assert (declared.error.kind, declared.error.message) == (ErrorKind.TOOL_ERROR, "declared")
    written = decode(json.dumps(declared.to_wire()))
    assert written["error"]["details"]["fine"] == 1
    assert isinstance(written["error"]["details"]["odd"], Opaque)

    # an exception without a text: a minimal failure that keeps its cause
    assert isinstance(raised.error, ToolError)
    assert raised.error.kind is ErrorKind.EXCEPTION
    assert raised.error.message.strip() != ""
    assert raised.error.causes == (Cause("ValueError", "the cause", "python"),)
