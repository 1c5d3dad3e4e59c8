# SPDX-License-Identifier: Apache-2.0
"""The one mapping from outcomes to responses (clauses 1.4 and 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isonomy.contract.capture import failure_of
from isonomy.contract.error import Effect, ErrorInfo, ErrorKind, ToolError
from isonomy.contract.outcome import Outcome, Returned, Settled
from isonomy.contract.response import ToolFailed, ToolFailure, ToolResponse, ToolSuccess


def to_response(outcome: Outcome) -> ToolResponse:
    """Give the response of an outcome; the only function that does (clause 1.4).

    >>> to_response(Returned({"error": "no stock"})).is_success
    True
    """
    if type(outcome) is Returned:
        value = outcome.value
        if type(value) is ToolSuccess:
            return value
        if issubclass(type(value), ToolFailed):
            value = failure_of(value) or value
        return declared(value) if type(value) is ToolFailure else ToolSuccess(value)
    if type(outcome) is Settled:
        return ToolFailure(outcome.error, outcome.content, outcome.meta)
    return ToolFailure(raised_error(outcome.error))


def settled(
    kind: ErrorKind, message: str, effect: Effect = Effect.POSSIBLE, *, details: Any = None
) -> Settled:
    """Give what a runtime decided, such as an unknown tool or a deadline (clause 3.12)."""
    return Settled(ToolError(kind, message, effect, details=details))


def declared(failure: ToolFailure) -> ToolFailure:
    """Give a failure that a tool returned or raised, as clause 3.2 says."""
    error = failure.error
    if error.kind is ErrorKind.TOOL_ERROR and error.effect is Effect.POSSIBLE:
        return failure
    outer = replace(
        error,
        kind=ErrorKind.TOOL_ERROR,
        effect=Effect.POSSIBLE,
        details={"inner": error.parts(trace=False)},
    )
    return ToolFailure(outer, failure.content, failure.meta)


def raised_error(info: ErrorInfo) -> ToolError:
    """Give the error of a body that raised (clauses 3.4 and 3.9)."""
    details: dict[str, Any] | None = None
    if info.members:
        details = {"members": [member.to_wire() for member in info.members]}
        if info.more:
            details["more"] = info.more
    return ToolError(
        ErrorKind.EXCEPTION,
        info.message,
        Effect.POSSIBLE,
        info.language,
        type=info.type,
        details=details,
        causes=info.causes,
        trace=info.trace,
    )
