# SPDX-License-Identifier: Apache-2.0
"""What has to be new in a process that was forked: threads do not come along, nor do their locks.

Objects that own threads, or locks that other threads take, register here and are asked to renew
themselves in the child, before anything else runs there. That costs a call nothing.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Renewed(Protocol):
    """Something that owns threads or locks."""

    def renew(self) -> None:
        """Be ready for use in a process where only the current thread lives."""


_known: WeakSet[Renewed] = WeakSet()


def renew_after_fork(owner: Renewed) -> None:
    """Have ``owner.renew()`` called in every process that is forked from this one."""
    _known.add(owner)


def _in_child() -> None:
    for owner in list(_known):
        owner.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
