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
import time
from typing import Any, Final

_log: Final = logging.getLogger("isonomy.bridge")
_LIMIT: Final = 1.0
"""Seconds that JPype's thread is given to put a new sentinel where a collection found the last."""


def stay_apart(jpype: Any) -> None:
    """Take the sentinel away: a cleared reference is never reported.

    To be called right after the start of a JVM; one that the application started itself is its own
    to tune. A JPype that is made otherwise keeps its way, and the log says so at level debug.
    """
    try:
        queue = jpype.JClass("org.jpype.ref.JPypeReferenceQueue")
        sentinel = queue.class_.getDeclaredField("sentinel")
        sentinel.setAccessible(True)
        ends = time.monotonic() + _LIMIT
        while not _cleared(jpype, sentinel.get(queue.getInstance())):
            # JPype's thread, which has been told of this one, puts another in its place
            if time.monotonic() > ends:
                _log.debug("Java's collections lead to Python's: the sentinel may stay")
                return
            time.sleep(0.001)
    except (TypeError, AttributeError, jpype.JException) as other:
        _log.debug("Java's collections lead to Python's: %s", type(other).__name__)


def _cleared(jpype: Any, sentinel: Any) -> bool:
    """Clear a reference before a collection has found it, and tell whether that was so."""
    canary = jpype.JClass("java.lang.ref.WeakReference")(jpype.JClass("java.lang.Object")())
    if sentinel.refersTo(None):
        return False
    sentinel.clear()
    # a collection in between would have found both
    return not canary.refersTo(None)
