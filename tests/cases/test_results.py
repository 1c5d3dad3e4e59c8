# SPDX-License-Identifier: Apache-2.0
"""J: a result is data: exact, marked, or refused; what looks at it changes no outcome."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.contract.portable import Opaque, decode, encode
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.sources import as_tool
from tests.cases.conftest import Run

NOON = datetime(2024, 2, 29, 12, 30, tzinfo=UTC)
ID = UUID("12345678-1234-5678-1234-567812345678")


class Colour(Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int


class Plain:
    """A class without a form."""


def gives(value: Any) -> Any:
    """A tool that returns one value."""

    def give() -> Any:
        return value

    return as_tool(give, name="give")


TABLE = [
    (NOON, {"$iso:offsetdatetime": "2024-02-29T12:30:00Z"}),
    (NOON.replace(tzinfo=None), {"$iso:datetime": "2024-02-29T12:30:00"}),
    (date(2024, 2, 29), {"$iso:date": "2024-02-29"}),
    (timedelta(seconds=1.5), {"$iso:duration": "1.5"}),
    (ID, {"$iso:uuid": str(ID)}),
    (Decimal("0.10"), {"$iso:decimal": "0.10"}),
    (Colour.RED, "red"),
    ({1, 2}, {"$iso:set": [1, 2]}),
    ((1, "a"), [1, "a"]),
    (Point(1, 2), {"x": 1, "y": 2}),
    (b"\xff\x00\xfe", {"$iso:bytes": "/wD+"}),
    (2**63, 2**63),
    (float("nan"), {"$iso:float": "NaN"}),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("value", "form"), TABLE, ids=lambda one: type(one).__name__)
def test_j1_common_types_have_a_form(run: Run, value: Any, form: Any, strict: bool) -> None:
    with ToolExecutor([gives(value)], strict_values=strict) as executor:
        result = run(executor, [ToolCall("give")]).responses[0].unwrap()
    assert result is value
    assert json.loads(encode(result)) == form


def test_j1_they_stay_in_their_places() -> None:
    value = {"d": date(2024, 2, 29), "u": ID, "x": Decimal("0.10"), "e": Colour.RED, "s": {1, 2}}
    with ToolExecutor([gives(value)], strict_values=True) as executor:
        result = executor.call("give").unwrap()
    assert decode(encode(result)) == value | {"e": "red"}


def test_j2_what_has_no_form_is_marked_and_never_printed(run: Run) -> None:
    plain = Plain()
    with ToolExecutor([gives({"a": [plain]})]) as executor:
        result = run(executor, [ToolCall("give")]).responses[0].unwrap()
    assert result["a"][0] is plain
    written = encode(result)
    assert decode(written) == {"a": [Opaque(f"{__name__}.Plain", "$.a[0]")]}
    assert b"0x" not in written
    with ToolExecutor([gives({"a": [plain]})], strict_values=True) as executor:
        error = run(executor, [ToolCall("give")]).responses[0].error
    assert error is not None
    assert error.kind is ErrorKind.RESULT_CONVERSION
    assert "$.a[0]" in error.message
    assert "Plain" in error.message
    assert "0x" not in error.message


def test_j4_a_lone_surrogate_breaks_nothing(run: Run) -> None:
    memory = MemorySink()
    with ToolExecutor([gives("a\ud800b")], sinks=[memory]) as executor:
        for _ in range(2):
            result = run(executor, [ToolCall("give")]).responses[0].unwrap()
            assert decode(encode(result)) == "a\ud800b"
    for event in memory.responses:
        json.dumps(event.to_wire()).encode("utf-8")


KEYS: list[tuple[dict[Any, Any], Any]] = [
    ({10: 12}, {"$iso:map": [[10, 12]]}),
    ({(1, 2): 3}, {"$iso:map": [[[1, 2], 3]]}),
    ({1: "a", "1": "b"}, {"$iso:map": [[1, "a"], ["1", "b"]]}),
    ({None: 1}, {"$iso:map": [[None, 1]]}),
    ({True: 1, "true": 2}, {"$iso:map": [["true", 2], [True, 1]]}),
]


@pytest.mark.parametrize(("value", "form"), KEYS, ids=str)
def test_j5_keys_are_kept_apart(value: dict[Any, Any], form: Any) -> None:
    with ToolExecutor([gives(value)], strict_values=True) as executor:
        result = executor.call("give").unwrap()
    assert result is value
    assert json.loads(encode(result)) == form
    read = decode(encode(result))
    assert read == value
    assert {type(key) for key in read} == {type(key) for key in value}


def test_j5_keys_that_become_one_are_not_written_over_each_other() -> None:
    value = {"red": 1, Colour.RED: 2}
    with ToolExecutor([gives(value)]) as executor:
        assert decode(encode(executor.call("give").unwrap())) == Opaque("dict", "$")


@pytest.mark.parametrize("value", [b"\xff\x00\xfe", b"\x89PNG\r\n\x1a\n", b""])
def test_j7_bytes_stay_bytes(value: bytes) -> None:
    with ToolExecutor([gives({"raw": value})], strict_values=True) as executor:
        assert decode(encode(executor.call("give").unwrap())) == {"raw": value}


@pytest.mark.parametrize("direct", [True, False])
def test_j8_looking_at_a_call_changes_no_outcome(run: Run, direct: bool) -> None:
    value = {("a\u0000",): 1}

    class Raises:
        def emit(self, event: object) -> None:
            raise RuntimeError("the listener's own fault")

    Raises.direct = direct  # type: ignore[attr-defined]
    memory = MemorySink()
    with ToolExecutor([gives(value)], sinks=[Raises(), memory], strict_values=True) as executor:
        event = run(executor, [ToolCall("give")])
    assert event.responses[0].unwrap() is value
    assert [told.type for told in memory.executions] == ["started", "finished"]
    assert memory.responses == [event]
