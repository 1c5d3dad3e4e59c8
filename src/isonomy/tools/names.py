# SPDX-License-Identifier: Apache-2.0
"""Names that model APIs take, for tools whose own names they refuse (clause 14.18)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

MAX_LENGTH: Final = 64
"""Characters that the common model APIs allow in a tool's name."""

_SAFE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REFUSED = re.compile(r"[^A-Za-z0-9_-]+")


class SafeNames:
    """A reversible mapping of tool names to names of 1 to 64 of `A-Za-z0-9_-`.

    A name that is safe already stays. Another becomes what is left of it and a digest of the
    whole, so it depends on no other tool and is the same in every process. Events and metrics
    keep the tool's own name; only what goes to a model API and comes back is mapped.

    >>> names = SafeNames(["a.b", "a_b"])
    >>> names.safe("a_b"), names.safe("a.b")
    ('a_b', 'a_b-2e7336dc')
    >>> names.original("a_b-2e7336dc")
    'a.b'

    Args:
        names: The names of all tools, each once.
    """

    def __init__(self, names: Iterable[str]) -> None:
        everything = list(names)
        self._safe = {name: name for name in everything if _SAFE.fullmatch(name)}
        self._original = dict(self._safe)
        for name in everything:
            if name not in self._safe:
                safe = self._unused(name)
                self._safe[name] = safe
                self._original[safe] = name

    def safe(self, name: str) -> str:
        """Return the safe name of a tool; raises KeyError for one that was not given."""
        return self._safe[name]

    def original(self, safe: str) -> str | None:
        """Return the tool's own name, or None for a name that is no tool's."""
        return self._original.get(safe)

    def _unused(self, name: str) -> str:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        rest = _REFUSED.sub("_", name)
        for length in range(8, MAX_LENGTH):
            safe = f"{rest[: MAX_LENGTH - length - 1]}-{digest[:length]}"
            if safe not in self._original:
                return safe
        raise AssertionError("two tools share a digest")
