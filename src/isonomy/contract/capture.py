# SPDX-License-Identifier: Apache-2.0
"""From a live exception to plain data; never raises (clauses 3.9, 4.9, 4.10, 4.13)."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType
from typing import Final

from isonomy.contract.error import MAX_CAUSES, MAX_RAW, Cause, ErrorInfo, whole_message
from isonomy.contract.foreign import FAILED, attempt, type_name
from isonomy.contract.outcome import Raised, Returned
from isonomy.contract.response import ToolFailed
from isonomy.contract.text import without_surrogates

MAX_FRAMES: Final = 100
"""Innermost frames of a trace that are kept, per exception."""
MAX_LEAVES: Final = 100_000
"""Leaves of an exception group that are counted; groups may share members without end."""

_OURS: Final = str(Path(__file__).parent.parent) + "/"

# The slots themselves: a subclass may have put properties that raise over these names.
_SLOTS: Final = vars(BaseException)
_cause: Final = _SLOTS["__cause__"].__get__
_context: Final = _SLOTS["__context__"].__get__
_suppressed: Final = _SLOTS["__suppress_context__"].__get__
_traceback: Final = _SLOTS["__traceback__"].__get__
_members: Final = vars(BaseExceptionGroup)["exceptions"].__get__


def raised(exception: BaseException) -> Returned | Raised:
    """Give the outcome of a body that raised: a `ToolFailed` gives its failure (clause 3.2)."""
    leaf = sole_leaf(exception)
    if isinstance(leaf, ToolFailed):
        return Returned(leaf.response)
    return Raised(error_info(leaf))


def error_info(exception: BaseException) -> ErrorInfo:
    """Give an exception as plain data; never raises, whatever the exception does.

    An exception group of one leaf gives the leaf (clause 3.9). Messages and traces are cut beyond
    262,144 code points only (clause 10.6).

    >>> error_info(KeyError("sku")).message
    "'sku'"
    """
    exception = sole_leaf(exception)
    name = type_name(type(exception))
    members: tuple[Cause, ...] = ()
    more = 0
    if isinstance(exception, BaseExceptionGroup):
        leaves = _leaves(exception, MAX_LEAVES)
        members = tuple(_cause_of(leaf) for leaf in leaves[:MAX_CAUSES])
        more = max(0, len(leaves) - MAX_CAUSES)
    return ErrorInfo(
        name,
        whole_message(exception, name),
        causes(exception),
        trace(exception),
        "python",
        members,
        more,
    )


def sole_leaf(exception: BaseException) -> BaseException:
    """Give the leaf of an exception group that has exactly one, else the exception itself."""
    if not isinstance(exception, BaseExceptionGroup):
        return exception
    leaves = _leaves(exception, 2)
    return leaves[0] if len(leaves) == 1 else exception


def causes(exception: BaseException) -> tuple[Cause, ...]:
    """Give the chain behind an exception, outermost first, at most 16 (clause 4.9)."""
    found: list[Cause] = []
    seen = {id(exception)}
    link = _behind(exception)
    while link is not None and id(link) not in seen and len(found) < MAX_CAUSES:
        seen.add(id(link))
        found.append(_cause_of(link))
        if isinstance(link, ToolFailed):
            found.extend(link.error.causes)
        link = _behind(link)
    return tuple(found[:MAX_CAUSES])


def trace(exception: BaseException) -> str | None:
    """Format the trace of an exception without the runtime's own outer frames (clause 4.10)."""
    text = attempt(_format, exception)
    return None if text is FAILED else without_surrogates(text[-MAX_RAW:])


def _format(exception: BaseException) -> str:
    frames = _without_ours(_traceback(exception))
    lines = traceback.format_exception(type(exception), exception, frames, limit=-MAX_FRAMES)
    return "".join(lines)


def _without_ours(frames: TracebackType | None) -> TracebackType | None:
    """Leave out the frames that lead to the body; all of them stay where nothing else is there."""
    inner = frames
    while inner is not None and inner.tb_frame.f_code.co_filename.startswith(_OURS):
        inner = inner.tb_next
    return inner or frames


def _behind(exception: BaseException) -> BaseException | None:
    cause: BaseException | None = _cause(exception)
    if cause is not None or _suppressed(exception):
        return cause
    context: BaseException | None = _context(exception)
    return context


def _cause_of(exception: BaseException) -> Cause:
    if isinstance(exception, ToolFailed):
        error = exception.error
        return Cause(error.type or type_name(ToolFailed), error.message, error.language)
    name = type_name(type(exception))
    return Cause(name, whole_message(exception, name))


def _leaves(group: BaseExceptionGroup[BaseException], limit: int) -> list[BaseException]:
    """Give the leaves depth first, at most `limit`."""
    leaves: list[BaseException] = []
    rest: list[BaseException] = [group]
    while rest and len(leaves) < limit:
        item = rest.pop()
        if isinstance(item, BaseExceptionGroup):
            rest.extend(reversed(_members(item)))
        else:
            leaves.append(item)
    return leaves
