# SPDX-License-Identifier: Apache-2.0
"""The Python tools of the matrix: each ends in the way that its name says.

`amount` comes back in results; `together` calls meet before they end, which proves that the calls
of a parallel batch run side by side. The Java tools are `dev.isonomy.matrix.Plain`.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from threading import Barrier, Lock
from typing import Any, Final

from isonomy.contract.content import Block
from isonomy.contract.response import ToolResponse
from isonomy.tools.decorator import tool

_LIMIT: Final = 20.0
_barriers: Final[dict[int, Barrier]] = {}
_lock: Final = Lock()


def _meet(calls: int) -> None:
    if calls < 2:
        return
    with _lock:
        barrier = _barriers.setdefault(calls, Barrier(calls))
    barrier.wait(_LIMIT)


@tool(name="python_raw_success")
def raw_success(amount: int, together: int) -> dict[str, Any]:
    """A value, as it is."""
    _meet(together)
    return {
        "order": "A-17",
        "amount": amount,
        "share": 0.5,
        "paid": True,
        "note": None,
        "price": Decimal("12.50"),
        "day": date(2024, 2, 29),
        "raw": b"hi",
    }


@tool(name="python_explicit_success")
def explicit_success(amount: int, together: int) -> ToolResponse:
    """A response that says success, with content and meta."""
    _meet(together)
    return ToolResponse.success(
        {"amount": amount}, content=[Block.text("booked")], meta={"trace_id": "t-1"}
    )


@tool(name="python_returned_failure")
def returned_failure(amount: int, together: int) -> ToolResponse:
    """A response that says failure, with everything that it can hold."""
    _meet(together)
    return ToolResponse.error(
        "card declined",
        code="CARD_DECLINED",
        retryable=False,
        retry_after_ms=1500,
        details={"card": {"last4": "4242"}},
        content=[Block.text("the card was declined")],
        meta={"attempt": "first"},
    )


@tool(name="python_exception")
def exception(amount: int, together: int) -> Any:
    """An exception with a cause."""
    _meet(together)
    raise ValueError("no such account") from LookupError("row 7")


@tool(name="python_empty_object")
def empty_object(amount: int, together: int) -> Any:
    """An object without keys."""
    _meet(together)
    return {}


@tool(name="python_success_false")
def success_false(amount: int, together: int) -> Any:
    """Looks like a failure of some convention."""
    _meet(together)
    return {"success": False, "error": "x"}


@tool(name="python_is_error_true")
def is_error_true(amount: int, together: int) -> Any:
    """Looks like a failed result of MCP."""
    _meet(together)
    return {"isError": True}


@tool(name="python_error_text")
def error_text(amount: int, together: int) -> str:
    """Looks like a failure told in words."""
    _meet(together)
    return "Error: no such order"


@tool(name="python_own_envelope")
def own_envelope(amount: int, together: int) -> Any:
    """Looks like the envelope of a bridge."""
    _meet(together)
    error = {"kind": "timeout", "message": "m", "effect": "possible", "language": "java"}
    return {"v": 1, "outcome": "settled", "error": error}


@tool(name="python_own_tag")
def own_tag(amount: int, together: int) -> Any:
    """Looks like a tag of portable values."""
    _meet(together)
    return {"$iso:date": "2024-02-29"}


@tool(name="python_own_response")
def own_response(amount: int, together: int) -> Any:
    """Looks like a response."""
    _meet(together)
    error = {"kind": "tool_error", "message": "m", "effect": "possible", "language": "python"}
    return {"status": "failure", "error": error}


@tool(name="python_nothing")
def nothing(amount: int, together: int) -> None:
    """Nothing."""
    _meet(together)
