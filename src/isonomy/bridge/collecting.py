# SPDX-License-Identifier: Apache-2.0
"""Keeps Java's garbage collections from becoming Python's.

JPype makes each collection of the JVM, a small one of a millisecond too, a full one of Python's: it
leaves an unreachable object, its sentinel, and hears when the JVM finds it. A full collection of a
large host takes tens to hundreds of milliseconds, which some call to Java then waits for. Cycles
that go through both heaps, the reason for it, are none here: what crosses is bytes. Python's own
collections go on as ever, and JPype still asks Java for one after those.
"""

from __future__ import annotations

import logging
from typing import Any, Final

_log: Final = logging.getLogger("isonomy.bridge")


def stay_apart(jpype: Any) -> None:
    """Take the sentinel away: a cleared reference is never reported.

    To be called right after the start of a JVM; one that the application started itself is its own
    to tune. A JPype that is made otherwise keeps its way, and the log says so at level debug.
    """
    try:
        queue = jpype.JClass("org.jpype.ref.JPypeReferenceQueue")
        sentinel = queue.class_.getDeclaredField("sentinel")
        sentinel.setAccessible(True)
        sentinel.get(queue.getInstance()).clear()
    except (TypeError, AttributeError, jpype.JException) as other:
        _log.debug("Java's collections lead to Python's: %s", type(other).__name__)
