# SPDX-License-Identifier: Apache-2.0
"""The outcome: how an invocation ended (clause 1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from isonomy.contract.brief import brief_of
from isonomy.contract.content import EMPTY, Block, settle_extras
from isonomy.contract.error import ErrorInfo, ToolError
from isonomy.contract.value import value


@final
@value
class Returned:
    """The body returned this value; a response where it ended as clauses 3.1 and 3.2 say."""

    value: Any

    def __repr__(self) -> str:
        """Show the value in brief."""
        return brief_of("Returned", value=self.value)


@final
@value
class Raised:
    """The body raised."""

    error: ErrorInfo


@final
@value
class Settled:
    """A runtime decided without, or in place of, the body's end.

    `content` and `meta` become those of the failure; as there, a tuple and a read-only copy.
    `foreign` says that the words are another host's, whatever the kind, and are redacted as a
    tool's are (clause 12.6).
    """

    error: ToolError
    content: tuple[Block, ...] = ()
    meta: Mapping[str, Any] = EMPTY
    foreign: bool = False

    def __post_init__(self: Any) -> None:
        if self.content != () or self.meta is not EMPTY:
            settle_extras(self)

    def __hash__(self) -> int:
        """Hash the error; equal outcomes hash alike."""
        return hash((Settled, self.error))


Outcome = Returned | Raised | Settled
