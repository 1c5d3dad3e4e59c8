# SPDX-License-Identifier: Apache-2.0
"""The checks of an outcome that every path makes: its size and `strict_values` (clause 5.29)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isonomy.contract.encoding import Walk, too_large
from isonomy.contract.error import Effect, ErrorKind, ToolError
from isonomy.contract.jsontext import write
from isonomy.contract.outcome import Outcome, Returned, Settled
from isonomy.contract.portable import MAX_RESULT_BYTES, check, encode
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
    if type(outcome) is Settled:
        return bounded_settled(outcome, max_bytes)
    if type(outcome) is not Returned:
        return outcome
    value = outcome.value
    try:
        if type(value) is ToolFailure:
            bounded = bounded_failure(value, max_bytes)
            return outcome if bounded is value else Returned(bounded)
        if type(value) is ToolSuccess:
            check_success(value, strict=strict, max_bytes=max_bytes)
        else:
            check(value, strict=strict, max_bytes=max_bytes)
    except PortableError as refused:
        return refusal(refused)
    return outcome


def check_success(success: ToolSuccess, *, strict: bool, max_bytes: int | None) -> None:
    """Raise where a success does not keep to the limits (clause 5.29)."""
    if success.content or success.meta:
        encode_success(success, strict=strict, max_bytes=max_bytes)
    else:
        check(success.result, strict=strict, max_bytes=max_bytes)


def encode_success(
    success: ToolSuccess, *, strict: bool, max_bytes: int | None
) -> tuple[bytes, dict[str, bytes]]:
    """Write the result of a success, and its content and meta where they are not empty.

    Raises `PortableError` where they take too many bytes together (clause 5.29).
    """
    result = encode(success.result, strict=strict, max_bytes=max_bytes)
    extras: dict[str, bytes] = {}
    if success.content or success.meta:
        left = None if max_bytes is None else max_bytes - len(result)
        try:
            trees = write_extras(Walk(max_bytes=left), success)
        except PortableError as refused:
            raise _of_all(refused, max_bytes) from None
        extras = {name: write(tree) for name, tree in trees.items()}
        if left is not None and sum(map(len, extras.values())) > left:
            raise too_large(max_bytes or 0)
    return result, extras


def _of_all(refused: PortableError, max_bytes: int | None) -> PortableError:
    """Give the refusal of a part of a success in the words for all of it."""
    is_size = refused.kind == ErrorKind.TOO_LARGE.value and not refused.message.startswith("$")
    return too_large(max_bytes) if is_size else refused


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


def bounded_settled(outcome: Settled, max_bytes: int | None) -> Settled:
    """Give what was settled, its failure within the limit (clause 4.15); itself where it is."""
    failure = ToolFailure(outcome.error, outcome.content, outcome.meta)
    bounded = bounded_failure(failure, max_bytes)
    return outcome if bounded is failure else Settled(bounded.error, foreign=outcome.foreign)


def refusal(refused: PortableError) -> Settled:
    """Give what becomes of a result that clause 5 refuses (clause 3.12)."""
    known = {ErrorKind.TOO_LARGE.value, ErrorKind.RESULT_CONVERSION.value}
    kind = ErrorKind(refused.kind) if refused.kind in known else ErrorKind.INTERNAL
    return Settled(ToolError(kind, refused.message, Effect.POSSIBLE))
