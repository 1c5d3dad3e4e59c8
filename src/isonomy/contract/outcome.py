# SPDX-License-Identifier: Apache-2.0
"""The outcome: how an invocation ended (clause 1.1)."""

from __future__ import annotations

from typing import Any, final

from isonomy.contract.brief import brief_of
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
    """A runtime decided without, or in place of, the body's end."""

    error: ToolError


Outcome = Returned | Raised | Settled
