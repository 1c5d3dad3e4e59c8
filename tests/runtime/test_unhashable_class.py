# SPDX-License-Identifier: Apache-2.0
"""A result whose class is not hashable is a value like any other (clauses 3.3 and 5.26)."""

from __future__ import annotations

from isonomy import ToolCall, ToolExecutor


class NoHash(type):  # noqa: PLW1641 - it is about that
    def __eq__(cls, other: object) -> bool:
        return cls is other


class Row(metaclass=NoHash):
    """An instance of a class that is not hashable."""


def row() -> object:
    return Row()


def test_siblings_of_such_a_result_go_on() -> None:
    responses = ToolExecutor([row]).run([ToolCall("row"), ToolCall("row")]).responses
    assert [type(response.unwrap()) is Row for response in responses] == [True, True]
