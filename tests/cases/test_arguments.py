# SPDX-License-Identifier: Apache-2.0
"""I: arguments are taken exactly, or refused with their place before the body runs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Effect, ErrorKind
from isonomy.runtime.executor import ToolExecutor
from tests.cases.conftest import Run

ABSENT = object()
REFUSED = object()


def takes(required: int, nullable: int | None, preset: int = 7, optional: int | None = None) -> Any:
    return [required, nullable, preset, optional]


PLACES = ["required", "nullable", "preset", "optional"]

# What the body receives; what both languages share of it is a vector, `arguments/matrix-*`.
MATRIX = [
    ("required", ABSENT, REFUSED),
    ("required", None, REFUSED),
    ("required", 5, 5),
    ("nullable", ABSENT, REFUSED),
    ("nullable", None, None),
    ("nullable", 5, 5),
    ("preset", ABSENT, 7),
    ("preset", None, 7),
    ("preset", 5, 5),
    ("optional", ABSENT, None),
    ("optional", None, None),
    ("optional", 5, 5),
]


@pytest.mark.parametrize(("name", "given", "expected"), MATRIX)
def test_i4_absent_null_and_value(name: str, given: Any, expected: Any) -> None:
    arguments = {"required": 1, "nullable": 1} | {name: given}
    if given is ABSENT:
        del arguments[name]
    with ToolExecutor([takes]) as executor:
        response = executor.call("takes", arguments)
    if expected is REFUSED:
        assert response.error is not None
        assert response.error.kind is ErrorKind.INVALID_ARGUMENTS
        assert response.error.effect is Effect.NONE
        rule = "required" if given is ABSENT else "expected integer"
        assert response.error.message == f"{name}: {rule}"
    else:
        assert response.unwrap()[PLACES.index(name)] == expected


def test_i5_broken_text_runs_no_body_and_its_siblings_run(run: Run) -> None:
    ran: list[int] = []

    def work(a: int) -> int:
        ran.append(a)
        return a

    calls = [ToolCall("work", '{"a": 1}'), ToolCall("work", '{"a": "'), ToolCall("work", {"a": 3})]
    with ToolExecutor([work]) as executor:
        first, broken, third = run(executor, calls).responses
    assert (first.unwrap(), third.unwrap()) == (1, 3)
    assert broken.error is not None
    assert (broken.error.kind, broken.error.effect) == ("invalid_arguments", "none")
    assert sorted(ran) == [1, 3]


def whole(n: int) -> str:
    return str(n)


def real(x: float) -> str:
    return repr(x)


@pytest.mark.parametrize(
    "number",
    [
        -128, 127, -(2**15), 2**15 - 1, -(2**31), 2**31 - 1, 2**31, 9_007_199_254_740_993,
        2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**30,
    ],
)  # fmt: skip
def test_i1_i10_whole_numbers_are_exact(number: int) -> None:
    with ToolExecutor([whole]) as executor:
        assert executor.call("whole", {"n": number}).unwrap() == str(number)
        assert executor.call("whole", f'{{"n": {number}}}').unwrap() == str(number)


@pytest.mark.parametrize(
    "number",
    [
        -6.0, 0.1, -0.0, 0.0, 5e-324, -5e-324, 2.2250738585072014e-308,
        1.7976931348623157e308, -1.7976931348623157e308, 3.4028234663852886e38,
    ],
)  # fmt: skip
def test_i10_floats_of_the_whole_range_are_taken(number: float) -> None:
    with ToolExecutor([real]) as executor:
        for arguments in ({"x": number}, f'{{"x": {number!r}}}'):
            result = executor.call("real", arguments).unwrap()
            assert result == repr(number)
            assert math.copysign(1, float(result)) == math.copysign(1, number)
