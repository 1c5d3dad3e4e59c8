# SPDX-License-Identifier: Apache-2.0
"""Which call the current code runs in, so that a nested call knows that it is one (clause 8.7)."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

#: How many calls may be inside each other. Each takes some dozen frames of Python's stack, which
#: must not run out under the runtime's feet.
MAX_DEPTH: Final = 32

#: The executors whose calls the current code is part of, one for each call, innermost last. Bodies
#: run in a copy of their caller's context, so the value ends with the body.
inside: Final[ContextVar[tuple[object, ...]]] = ContextVar("isonomy_inside", default=())


def is_nested(executor: object) -> bool:
    """Whether the current code is the body of a call that ``executor`` runs."""
    return any(one is executor for one in inside.get())


def is_too_deep() -> bool:
    """Whether a call made here would be inside too many others (clause 8.7)."""
    return len(inside.get()) >= MAX_DEPTH


def enter(executor: object) -> None:
    """Mark the current context as the body of a call of ``executor``."""
    inside.set((*inside.get(), executor))
