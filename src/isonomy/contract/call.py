# SPDX-License-Identifier: Apache-2.0
"""A call and a request: what is to be run (clauses 8.1 and 8.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, final

from isonomy.contract.brief import brief_list
from isonomy.contract.misuse import Misuse
from isonomy.contract.value import value

Arguments = Mapping[str, Any] | str | None
"""An object, JSON text of one, or None for no arguments (clause 7.1)."""


@final
@value
class ToolCall:
    """One request for a tool (clause 8.1). A `call_id` is never invented."""

    tool: str
    arguments: Arguments = None
    call_id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.tool, str):
            raise Misuse(f"`tool` of a call is a name, not {type(self.tool).__name__}")
        if self.call_id is not None and not isinstance(self.call_id, str):
            raise Misuse(
                f"`call_id` of a call is a string or None, not {type(self.call_id).__name__}"
            )

    def to_wire(self) -> dict[str, Any]:
        """Give the call as a JSON object, its arguments in portable form (clause 8.1)."""
        from isonomy.contract.wire import call_tree

        return call_tree(self)

    @staticmethod
    def from_wire(wire: Any) -> ToolCall:
        """Read a call from a JSON object; raises `PortableError` where it is malformed."""
        from isonomy.contract.wire import read_call

        return read_call(wire)

    def __hash__(self) -> int:
        """Hash the name and the id; equal calls hash alike."""
        return hash((self.tool, self.call_id))

    def __repr__(self) -> str:
        """Name the call without its arguments."""
        return f"ToolCall(tool={self.tool!r}, call_id={self.call_id!r})"


@final
@value
class ToolRequest:
    """An ordered list of calls with an optional id (clause 8.2)."""

    calls: tuple[ToolCall, ...]
    id: str | None = None

    def __post_init__(self: Any) -> None:
        if not isinstance(self.calls, Iterable):
            kind = type(self.calls).__name__
            raise Misuse(
                f"calls are given as a list, such as [ToolCall('ping')], not as one {kind}"
            )
        self.calls = tuple(self.calls)
        if not all(isinstance(call, ToolCall) for call in self.calls):
            raise Misuse("`calls` of a request holds ToolCall values, such as [ToolCall('ping')]")
        if self.id is not None and not isinstance(self.id, str):
            raise Misuse(f"`id` of a request is a string or None, not {type(self.id).__name__}")

    def __repr__(self) -> str:
        """Name the first calls."""
        return f"ToolRequest(calls={brief_list(self.calls)}, id={self.id!r})"

    def to_wire(self) -> dict[str, Any]:
        """Give the request as a JSON object (clause 8.2)."""
        from isonomy.contract.wire import request_tree

        return request_tree(self)

    @staticmethod
    def from_wire(wire: Any) -> ToolRequest:
        """Read a request from a JSON object; raises `PortableError` where it is malformed."""
        from isonomy.contract.wire import read_request

        return read_request(wire)
