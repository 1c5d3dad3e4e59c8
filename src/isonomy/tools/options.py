# SPDX-License-Identifier: Apache-2.0
"""What an author says of a tool beyond its code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from isonomy.contract.misuse import Misuse
from isonomy.tools.amounts import limit, seconds

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

    def checked(self, maker: str) -> ToolOptions:
        """Return these options; raises `Misuse` for one that makes no sense, by the maker's name.

        What a schema must be, the tool says when it is made.
        """
        for what in ("name", "description", "version"):
            text = getattr(self, what)
            if text is not None and not isinstance(text, str):
                raise Misuse(f"{what} of {maker} is text, got {type(text).__name__}")
        for what in ("inline", "allow_unknown"):
            if not isinstance(getattr(self, what), bool):
                raise Misuse(
                    f"{what} of {maker} is True or False, got {type(getattr(self, what)).__name__}"
                )
        if self.max_parallel is not None:
            limit(f"max_parallel of {maker}", self.max_parallel)
        seconds(f"deadline of {maker}", self.deadline)
        return self


def options_of(source: Any) -> ToolOptions | None:
    """Return the options of something that was marked as a tool, or None."""
    options = getattr(source, MARK, None)
    return options if isinstance(options, ToolOptions) else None
