# SPDX-License-Identifier: Apache-2.0
"""Which call the current code runs in, so that a nested call knows that it is one (clause 8.7)."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

#: The executors whose calls the current code is part of, innermost last. Bodies run in a copy of
#: their caller's context, so the value ends with the body.
inside: Final[ContextVar[tuple[object, ...]]] = ContextVar("isonomyinside", default=())


def is_nested(executor: object) -> bool:
    """Whether the current code is the body of a call that ``executor`` runs."""
    return any(one is executor for one in inside.get())


def enter(executor: object) -> None:
    """Mark the current context as the body of a call of ``executor``."""
    executors = inside.get()
    if all(one is not executor for one in executors):
        inside.set((*executors, executor))
