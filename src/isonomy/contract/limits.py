# SPDX-License-Identifier: Apache-2.0
"""The checks of an outcome that every path makes: its size and `strict_values` (clause 5.29)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isonomy.contract.encoding import Walk
from isonomy.contract.error import Effect, ErrorKind, ToolError
from isonomy.contract.jsontext import write
from isonomy.contract.outcome import Outcome, Returned, Settled
from isonomy.contract.portable import MAX_RESULT_BYTES, check
from isonomy.contract.response import ToolFailure, ToolSuccess
from isonomy.contract.responses import write_extras
from isonomy.contract.tagged import PortableError
from isonomy.contract.wire import error_tree


def checked(
    outcome: Outcome, *, max_bytes: int | None = MAX_RESULT_BYTES, strict: bool = False
) -> Outcome:
    """Give an outcome that keeps to the limits: itself, or what is settled in its place.

    A result that is too large, or has no portable form under `strict`, is settled. A failure is
    never replaced: one that is too large loses details, content and meta (clause 4.15).
    """
    if type(outcome) is not Returned:
        return outcome
    value = outcome.value
    try:
        if type(value) is ToolFailure:
            bounded = bounded_failure(value, max_bytes)
            return outcome if bounded is value else Returned(bounded)
        if type(value) is ToolSuccess:
            check(value.result, strict=strict, max_bytes=max_bytes)
            if value.content or value.meta:
                write_extras(Walk(), value)
        else:
            check(value, strict=strict, max_bytes=max_bytes)
    except PortableError as refused:
        return refusal(refused)
    return outcome


def bounded_failure(failure: ToolFailure, max_bytes: int | None) -> ToolFailure:
    """Give a failure whose encoding keeps to the limit (clause 4.15); itself where it does."""
    error = failure.error
    if error.details is None and not failure.content and not failure.meta:
        return failure
    try:
        walk = Walk(max_bytes=max_bytes, of_failure=True)
        tree: dict[str, Any] = {"status": "failure", "error": error_tree(error, walk, trace=False)}
        tree |= write_extras(walk, failure)
        if max_bytes is None or len(write(tree)) <= max_bytes:
            return failure
    except PortableError:  # too large
        pass
    return ToolFailure(replace(error, details={"omitted": "too_large"}))


def refusal(refused: PortableError) -> Settled:
    """Give what becomes of a result that clause 5 refuses (clause 3.12)."""
    known = {ErrorKind.TOO_LARGE.value, ErrorKind.RESULT_CONVERSION.value}
    kind = ErrorKind(refused.kind) if refused.kind in known else ErrorKind.INTERNAL
    return Settled(ToolError(kind, refused.message, Effect.POSSIBLE))
