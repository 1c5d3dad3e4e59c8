# SPDX-License-Identifier: Apache-2.0
"""The outcome: how an invocation ended (clause 1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from isonomy.contract.error import ErrorInfo, ToolError


@final
@dataclass(frozen=True, slots=True)
class Returned:
    """The body returned this value; a response where it returned one or raised `ToolFailed`."""

    value: Any


@final
@dataclass(frozen=True, slots=True)
class Raised:
    """The body raised."""

    error: ErrorInfo


@final
@dataclass(frozen=True, slots=True)
class Settled:
    """A runtime decided without, or in place of, the body's end."""

    error: ToolError


Outcome = Returned | Raised | Settled
