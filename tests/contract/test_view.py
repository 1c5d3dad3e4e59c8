# SPDX-License-Identifier: Apache-2.0
"""Misuse of the model's view; what it gives is in the vectors."""

from typing import Any

import pytest

from isonomy.contract.error import ErrorKind, ToolError
from isonomy.contract.events import CallRecord, Execution
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolResponse
from isonomy.contract.view import model_view

DONE = ToolResponse.success(3)


@pytest.mark.parametrize(
    "given",
    [DONE.to_wire(), None, "3", CallRecord(0, None, "a", DONE, Execution.EXECUTED)],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_response_is_misuse(given: Any) -> None:
    with pytest.raises(Misuse) as raised:
        model_view(given)
    assert str(raised.value) == (
        f"model_view takes a response, not a value of type {type(given).__name__};"
        " give, of a record, its `response`; of JSON, ToolResponse.from_wire(...)"
    )


@pytest.mark.parametrize("response", [DONE, ToolResponse.error("no")])
@pytest.mark.parametrize("unexpected", ["Type", "none", None, True])
def test_a_misspelt_setting_shows_nothing(response: ToolResponse, unexpected: Any) -> None:
    with pytest.raises(Misuse, match='unexpected is "message" or "type", not'):
        model_view(response, unexpected=unexpected)
    with pytest.raises(Misuse, match='unexpected is "message" or "type", not'):
        ToolError(ErrorKind.EXCEPTION, "secret").public(unexpected)


@pytest.mark.parametrize("max_chars", [0, -1, 1.5, "10", True, None])
def test_max_chars_is_a_number_from_1(max_chars: Any) -> None:
    with pytest.raises(Misuse, match="max_chars is a number of characters from 1, not"):
        model_view(DONE, max_chars=max_chars)
