# SPDX-License-Identifier: Apache-2.0
"""Portable values that Python has no type for, and what is refused (clauses 5.3, 5.20, 5.26)."""

from __future__ import annotations

from typing import Any, Final, Literal, final

from isonomy.contract.misuse import IsonomyError, Misuse
from isonomy.contract.value import value

TAG: Final = "$iso:"
"""How the one key of a tag starts (clause 5.1)."""
MAX_DIGITS: Final = 4_300
"""Digits of an integer, or of the coefficient of a decimal (clause 5.8)."""
TOO_MANY_DIGITS: Final = f"an integer of more than {MAX_DIGITS} digits"
MAX_DEPTH: Final = 128
"""Containers inside each other in a value that is written (clause 5.26)."""
MAX_NESTING: Final = 512
"""Lists and objects inside each other in a text that is read (clause 5.28)."""

Reason = Literal["malformed", "too_large", "result_conversion"]


@final
class PortableError(IsonomyError):
    """Raised when a value or a text is refused by clause 5.

    `kind` is `malformed` (broken text, read only), `too_large` or `result_conversion` (strict
    writing only), `path` where it was (clause 5.27), `message` the whole sentence of clause 3.15.
    """

    def __init__(self, kind: Reason, message: str, path: str = "$") -> None:
        super().__init__(message)
        self.kind: Reason = kind
        self.message = message
        self.path = path


@final
@value
class Opaque:
    """Stands for a value without a portable form: the name of its type, and where it stood."""

    type: str
    path: str


@final
@value
class Tagged:
    """A tag that Python cannot hold exactly, or does not know; it is written as it was.

    `tag` starts with `$iso:`; `payload` is plain JSON. Equal means equal encodings (clause 5.4), so
    that `Tagged(t, 1)` and `Tagged(t, True)` differ.
    """

    tag: str
    payload: Any

    def __post_init__(self: Any) -> None:
        if not isinstance(self.tag, str) or not self.tag.startswith(TAG):
            raise Misuse(f"the tag of a Tagged starts with {TAG}, unlike {self.tag!r:.80}")

    def __eq__(self, other: object) -> bool:
        """Compare the encodings."""
        if type(other) is not Tagged:
            return NotImplemented
        from isonomy.contract.canonical import canonical

        return self.tag == other.tag and canonical(self) == canonical(other)

    def __hash__(self) -> int:
        """Hash the tag; equal values hash alike."""
        return hash((Tagged, self.tag))
