# SPDX-License-Identifier: Apache-2.0
"""What an author says of a tool beyond its code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

MARK = "__isonomy_tool__"
"""The attribute under which a marked function holds its options."""


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """The options of `tool` and `as_tool`, which document them."""

    name: str | None = None
    description: str | None = None
    version: str | None = None
    inline: bool = False
    max_parallel: int | None = None
    deadline: float | timedelta | None = None
    schema: Mapping[str, Any] | None = None
    allow_unknown: bool = False
    names: Mapping[str, Any] = field(default_factory=dict, repr=False)


def options_of(source: Any) -> ToolOptions | None:
    """Return the options of something that was marked as a tool, or None."""
    options = getattr(source, MARK, None)
    return options if isinstance(options, ToolOptions) else None
