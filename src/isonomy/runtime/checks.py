# SPDX-License-Identifier: Apache-2.0
"""What every response must satisfy on every path, also in process (clauses 4.15, 5.29)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.portable import PortableError, encode
from isonomy.contract.response import ToolFailure, ToolResponse, ToolSuccess
from isonomy.tools.tool import Limits

#: No character of a string takes more bytes than this, whatever tag or escape it needs.
_BYTES_PER_CHARACTER = 12


def checked(success: ToolSuccess, limits: Limits) -> ToolResponse:
    """Return the success, or the failure that its result is under ``limits``."""
    result = success.result
    if _surely_fits(result, limits.max_result_bytes):
        return success
    try:
        encode(result, strict=limits.strict_values, max_bytes=limits.max_result_bytes)
    except PortableError as refused:
        error = settled(ErrorKind(refused.kind), str(refused), Effect.POSSIBLE).error
        return ToolFailure(error)
    return success


def fitted(failure: ToolFailure, limits: Limits) -> ToolFailure:
    """Return the failure, without its details, content and meta where they are too large."""
    if failure.error.details is None and not failure.content and not failure.meta:
        return failure
    parts = (failure.error.details, [block.to_wire() for block in failure.content], failure.meta)
    try:
        encode(parts, max_bytes=limits.max_result_bytes)
    except PortableError:
        return ToolFailure(replace(failure.error, details={"omitted": "too_large"}))
    return failure


def _surely_fits(result: Any, max_bytes: int) -> bool:
    kind = type(result)
    if result is None or kind is bool or kind is float:
        return max_bytes >= 64
    if kind is str:
        return len(result) * _BYTES_PER_CHARACTER + 64 <= max_bytes
    if kind is int:
        return result.bit_length() < 64 and max_bytes >= 64
    return False
