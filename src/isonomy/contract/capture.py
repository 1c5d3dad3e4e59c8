# SPDX-License-Identifier: Apache-2.0
"""From a live exception to plain data; never raises (clauses 3.9, 4.9, 4.10, 4.13)."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, TypeGuard, TypeVar, cast

from isonomy.contract.error import (
    MAX_CAUSES,
    MAX_RAW,
    Cause,
    ErrorInfo,
    ToolError,
    cut_trace,
    whole_message,
)
from isonomy.contract.foreign import FAILED, attempt, text_of, type_name
from isonomy.contract.outcome import Raised, Returned
from isonomy.contract.response import ToolFailed, ToolFailure
from isonomy.contract.text import without_surrogates

E = TypeVar("E", bound=BaseException)

MAX_FRAMES: Final = 100
"""Innermost frames of a trace that are kept, per exception."""
MAX_HELD: Final = 32_768
"""Code points of the traces that came with the errors of calls that the body made."""
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
    failure = failure_of(leaf)
    if failure is not None:
        return Returned(failure)
    return Raised(error_info(leaf))


def returned(value: object) -> Returned:
    """Give the outcome of a body that returned: a `ToolFailed` gives its failure (clause 3.2)."""
    if issubclass(type(value), ToolFailed):
        value = failure_of(cast("ToolFailed", value)) or value
    return Returned(value)


def failure_of(exception: BaseException) -> ToolFailure | None:
    """Give the failure that a `ToolFailed` holds; None for another, or one that was not made."""
    failure = vars(exception).get("_response") if _is(exception, ToolFailed) else None
    return failure if type(failure) is ToolFailure else None


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
    if _is(exception, BaseExceptionGroup):
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
    if not _is(exception, BaseExceptionGroup):
        return exception
    leaves = _leaves(exception, 2)
    return leaves[0] if len(leaves) == 1 else exception


def causes(exception: BaseException) -> tuple[Cause, ...]:
    """Give the chain behind an exception, outermost first, at most 16 (clause 4.9).

    The failure of a call that the body made itself goes on with its own causes, in whatever
    language they were raised.
    """
    found: list[Cause] = []
    for link, _ in _chain(exception):
        found.append(_cause_of(link))
        failure = failure_of(link)
        if failure is not None:
            found.extend(failure.error.causes)
    return tuple(found[:MAX_CAUSES])


def trace(exception: BaseException) -> str | None:
    """Format the trace of an exception without the runtime's own outer frames (clause 4.10).

    It looks as Python's own does, but for the members of groups, which it leaves out: there may be
    very many. The traces of failed calls that the body made itself stand before it.
    """
    text = attempt(_format, exception)
    return None if text is FAILED else without_surrogates(text[-MAX_RAW:])


def _format(exception: BaseException) -> str:
    parts = [_format_one(exception, _without_ours(_traceback(exception)))]
    held: list[ToolError] = []
    for link, says in _chain(exception):
        parts += [f"\n{says}:\n\n", _format_one(link, _traceback(link))]
        failure = failure_of(link)
        if failure is not None and failure.error.trace is not None:
            held.append(failure.error)
    return _held_traces(held) + "".join(reversed(parts))


def _held_traces(errors: list[ToolError]) -> str:
    """Give the traces that came with the errors of `ToolFailed`s, perhaps of another language."""
    text = ""
    for error in errors:
        label = f"--- trace of the {error.language} error {error.type or error.kind.value} ---\n"
        room = max(0, MAX_HELD // len(errors) - len(label) - 2)
        text += f"{label}{cut_trace((error.trace or '').rstrip(chr(10)), error.language, room)}\n\n"
    return text


def _format_one(exception: BaseException, frames: TracebackType | None) -> str:
    lines = traceback.format_tb(frames, -MAX_FRAMES)
    if lines:
        lines.insert(0, "Traceback (most recent call last):\n")
    name, text = type_name(type(exception)), text_of(exception)
    lines.append(f"{name}: {text}\n" if text else f"{name}\n")
    notes = attempt(getattr, exception, "__notes__", ())
    if type(notes) is list:
        lines += [f"{note}\n" for note in map(text_of, notes[:MAX_CAUSES])]
    return "".join(lines)


def _chain(exception: BaseException) -> Iterator[tuple[BaseException, str]]:
    """Give at most 16 links behind an exception, outermost first, and how a trace tells of each."""
    seen = {id(exception)}
    for _ in range(MAX_CAUSES):
        cause: BaseException | None = _cause(exception)
        says = "The above exception was the direct cause of the following exception"
        if cause is None and not _suppressed(exception):
            cause = _context(exception)
            says = "During handling of the above exception, another exception occurred"
        if cause is None or id(cause) in seen:
            return
        seen.add(id(cause))
        exception = cause
        yield cause, says


def _without_ours(frames: TracebackType | None) -> TracebackType | None:
    """Leave out the frames that lead to the body; all of them stay where nothing else is there."""
    inner = frames
    while inner is not None and inner.tb_frame.f_code.co_filename.startswith(_OURS):
        inner = inner.tb_next
    return inner or frames


def _cause_of(exception: BaseException) -> Cause:
    failure = failure_of(exception)
    if failure is not None:
        error = failure.error
        return Cause(error.type or error.kind.value, error.message, error.language)
    name = type_name(type(exception))
    return Cause(name, whole_message(exception, name))


def _leaves(group: BaseExceptionGroup[BaseException], limit: int) -> list[BaseException]:
    """Give the leaves depth first, at most `limit`."""
    leaves: list[BaseException] = []
    rest: list[BaseException] = [group]
    while rest and len(leaves) < limit:
        item = rest.pop()
        if _is(item, BaseExceptionGroup):
            rest.extend(reversed(_members(item)))
        else:
            leaves.append(item)
    return leaves


def _is(exception: BaseException, cls: type[E]) -> TypeGuard[E]:
    """Tell whether it is of a class; `isinstance` would ask an exception that may raise."""
    return issubclass(type(exception), cls)
