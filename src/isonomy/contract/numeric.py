# SPDX-License-Identifier: Apache-2.0
"""numpy scalars and arrays, without importing numpy (clauses 5.22 and 5.25)."""

from __future__ import annotations

import sys
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from isonomy.contract import temporal
from isonomy.contract.containers import contained
from isonomy.contract.paths import Path
from isonomy.contract.tagged import MAX_DEPTH

if TYPE_CHECKING:
    from isonomy.contract.encoding import Walk, Writer

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - numpy's datetimes have no zone
_PER_MICROSECOND: Final = 1_000


def number_writer(cls: type) -> Writer | None:
    """Give the writer of a numpy class; None for other classes, and where numpy is not in use."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if issubclass(cls, getattr(numpy, "ndarray", ())):
        return _array
    if issubclass(cls, getattr(numpy, "datetime64", ())):
        return _datetime
    if issubclass(cls, getattr(numpy, "timedelta64", ())):
        return _duration
    return _scalar if issubclass(cls, getattr(numpy, "generic", ())) else None


def _scalar(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    plain = value.item()
    if type(plain) is type(value):  # numpy's own precision, such as longdouble
        return walk.opaque(value, at)
    return walk.tree(plain, at, depth)


def _datetime(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    plain = value.item()
    if isinstance(plain, date):
        return walk.tree(plain, at, depth)
    if type(plain) is int and value.dtype.name == "datetime64[ns]":
        microseconds, nanosecond = divmod(plain, _PER_MICROSECOND)
        moment = _EPOCH + timedelta(microseconds=microseconds)
        tagged = temporal.datetime_tag(moment, nanosecond)
        if tagged is not None:
            return dict([tagged])
    return walk.opaque(value, at)


def _duration(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    plain = value.item()
    if isinstance(plain, timedelta):
        return walk.tree(plain, at, depth)
    if type(plain) is int and value.dtype.name == "timedelta64[ns]":
        return {"$iso:duration": temporal.nanoseconds_text(plain)}
    return walk.opaque(value, at)


def _array(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    if value.ndim == 0:
        return walk.tree(value[()], at, depth)
    # Every element takes a byte and a comma: what is too large is never walked.
    walk.expect(2 * value.size)
    if value.dtype.kind in "biu" and depth + value.ndim - 1 <= MAX_DEPTH:
        walk.spend(2 * value.size)
        return value.tolist()
    return _rows(walk, value, at, depth)


@contained
def _rows(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    exact = value.dtype.kind == "f" and value.dtype.itemsize <= 8
    return walk.items(value.tolist() if exact else value, at, depth)
