# SPDX-License-Identifier: Apache-2.0
"""Values that hold a part very often, and collections without an end (clauses 5.26 and 5.29).

Without what these tests are about, each of them would run for hours.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from isonomy.contract.canonical import digest
from isonomy.contract.content import Block
from isonomy.contract.envelope import encode_outcome
from isonomy.contract.error import ErrorKind
from isonomy.contract.limits import checked
from isonomy.contract.outcome import Returned, Settled
from isonomy.contract.portable import (
    MAX_RESULT_BYTES,
    PortableError,
    decode,
    encode,
    register_converter,
)
from isonomy.contract.response import ToolResponse


@dataclass
class Pair:
    left: Any
    right: Any


MAKERS: list[Callable[[Any], Any]] = [
    lambda part: [part, part],
    lambda part: {"a": part, "b": part},
    lambda part: Pair(part, part),
    lambda part: (part, UserList([part])),
    lambda part: {1: part, 2: part},
]


def doubled(make: Callable[[Any], Any], times: int = 40) -> Any:
    part: Any = []
    for _ in range(times):
        part = make(part)
    return part


@pytest.mark.parametrize("make", MAKERS)
def test_parts_that_are_held_very_often_are_refused_at_once(make: Callable[[Any], Any]) -> None:
    value = doubled(make)
    for options in ({}, {"max_bytes": MAX_RESULT_BYTES}, {"max_bytes": 1 << 20, "strict": True}):
        with pytest.raises(PortableError) as refused:
            encode(value, **options)  # type: ignore[arg-type]
        assert refused.value.kind == "too_large"
    with pytest.raises(PortableError):
        digest(value)
    for result in (
        value,
        ToolResponse.success(value),
        ToolResponse.success(1, meta={"m": value}),
        ToolResponse.success(1, content=[Block("x", {"a": value})]),
    ):
        outcome = checked(Returned(result))
        assert type(outcome) is Settled
        assert outcome.error.kind is ErrorKind.TOO_LARGE
        assert outcome.error.message == "the result takes more than 16777216 bytes"
        assert b'"too_large"' in encode_outcome(Returned(result))
    kept = checked(Returned(ToolResponse.error("no", details=value)))
    assert type(kept) is Returned
    assert kept.value.error.details == {"omitted": "too_large"}


@pytest.mark.parametrize("make", MAKERS)
def test_parts_that_are_held_often_and_fit_are_written(make: Callable[[Any], Any]) -> None:
    value = doubled(make, 12)
    once = encode(value)
    assert encode(decode(once)) == once
    assert encode(value, max_bytes=len(once)) == once
    with pytest.raises(PortableError):
        encode(value, max_bytes=len(once) - 1)


def test_markers_name_their_own_places_however_often_a_part_is_held() -> None:
    value = doubled(lambda part: [part, part] if part else [object(), b"x"], 12)
    written = encode(value).decode()
    assert written.count("$iso:opaque") == 2**11
    for at in range(2**11):
        steps = "".join(f"[{bit}]" for bit in f"{at:011b}")
        assert f'"path":"${steps}[0]"' in written


def test_a_part_has_its_form_wherever_it_stands() -> None:
    """In a block a map is never a tag, in meta it is: one object, two forms."""
    part = {"$iso:date": "x"}
    many = [part] * 2_000
    response = ToolResponse.success(1, content=[Block("x", {"a": many})], meta={"a": many})
    wire = response.to_wire()
    assert wire["content"][0]["a"][-1] == {"$iso:date": "x"}
    assert wire["meta"]["a"][-1] == {"$iso:map": [["$iso:date", "x"]]}


def test_the_depth_of_a_part_is_that_of_its_place() -> None:
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    around: Any = [deep] * 30
    for _ in range(60):
        around = [around]
    assert b"$iso:opaque" in encode([[deep] * 1_200, around])
    assert b"$iso:opaque" not in encode([deep] * 1_200)


class Endless(list[Any]):
    """A list that says how long it is, and has no end."""

    size = 2

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield 1


class EndlessMap(Mapping[str, Any]):
    size = 2

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[str]:
        n = 0
        while True:
            n += 1
            yield f"k{n}"

    def __getitem__(self, key: str) -> Any:
        return 1


def test_no_more_parts_are_taken_than_there_are_said_to_be() -> None:
    assert encode(Endless()) == b"[1,1]"
    assert encode([EndlessMap()]) == b'[{"k1":1,"k2":1}]'


@pytest.mark.parametrize("cls", [Endless, EndlessMap])
@pytest.mark.parametrize("limit", [None, MAX_RESULT_BYTES])
def test_what_says_it_has_too_much_is_too_large_at_once(cls: Any, limit: int | None) -> None:
    huge = cls()
    huge.size = 1 << 40
    with pytest.raises(PortableError) as refused:
        encode(huge, max_bytes=limit)
    assert refused.value.kind == "too_large"


def test_paths_of_content_and_meta_start_at_the_response() -> None:
    response = ToolResponse.success(
        1, content=[Block("x", {"a": [object()]})], meta={"b": {"c": object()}}
    )
    text = str(response.to_wire())
    assert "$.content[0].a[0]" in text
    assert "$.meta.b.c" in text
    kept = checked(Returned(response), strict=True)  # strict_values concerns the result (5.29)
    assert type(kept) is Returned
    assert kept.value is response


class NoHash(type):  # noqa: PLW1641 - it is about that
    def __eq__(cls, other: object) -> bool:
        return cls is other


class Unhashable(metaclass=NoHash):
    """An instance of a class that is not hashable."""


class Fickle(UserList[int]):
    """Its items raise whatever it holds."""

    def __init__(self, raised: BaseException) -> None:
        super().__init__([1])
        self.raised = raised

    def __getitem__(self, at: Any) -> Any:
        raise self.raised

    def __iter__(self) -> Iterator[Any]:
        raise self.raised


def test_a_set_that_holds_sets_very_often_costs_what_its_parts_do() -> None:
    part: frozenset[Any] = frozenset([1])
    for level in range(40):
        part = frozenset([part, (part, level)])
    with pytest.raises(PortableError, match="takes more than 16777216 bytes"):
        encode(part, max_bytes=MAX_RESULT_BYTES)
    small = frozenset([frozenset([2, 1]), (frozenset([2, 1]), 3)])
    expected = b'{"$iso:set":[[{"$iso:set":[1,2]},3],{"$iso:set":[1,2]}]}'
    assert encode(small) == expected
    assert digest(small) == digest(decode(expected))


@pytest.mark.parametrize(
    "value",
    [
        Unhashable(),
        Fickle(SystemExit()),
        Fickle(PortableError("too_large", "$: a refusal of another value")),
    ],
)
def test_what_a_value_raises_makes_it_opaque_in_its_place(value: Any) -> None:
    for around in ([value, 1], [value] + [1] * 50):
        made = decode(encode(around))
        assert made[0].path == "$[0]"
        assert made[1:] == around[1:]


def test_off_the_main_thread_a_value_cannot_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt):
        encode([Fickle(KeyboardInterrupt())])
    with ThreadPoolExecutor(1) as pool:
        data = pool.submit(encode, [Fickle(KeyboardInterrupt()), 1]).result(30)
    assert decode(data)[1] == 1


def test_no_more_is_taken_of_a_list_that_grows_than_it_had() -> None:
    class Grows:
        pass

    parts: list[Any] = [Grows()]

    def convert(_: Grows) -> int:
        parts.append(Grows())
        return 1

    register_converter(Grows, convert)
    assert encode(parts) == b"[1]"
