# SPDX-License-Identifier: Apache-2.0
"""A tool of an MCP server."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.jsontext import write
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Returned, Settled
from isonomy.mcp.replies import Output, settled_by_mcp
from isonomy.mcp.stateless import Marked
from isonomy.tools.judged import JudgedTool
from isonomy.tools.tool import Invocation
from isonomy.tools.validator import Validator

if TYPE_CHECKING:
    from isonomy.mcp.server import McpServer


class McpTool(JudgedTool):
    """A tool of an MCP server, made by `mcp_server`. Its arguments are judged here (14.8).

    The caller's thread waits for the reply. A tool that the server does not list any more is
    `not_found`; one that it describes in another way is called as it is now.

    Args:
        server: Where it is.
        name: The server's name for it.
        told: What the server tells of it.
        deadline: Seconds for one call; None for none.
    """

    def __init__(
        self, server: McpServer, name: str, told: Mapping[str, Any], deadline: float | None
    ) -> None:
        validator, unusable = _judge(told.get("inputSchema"), name)
        description = told.get("description")
        super().__init__(
            name,
            validator,
            {},
            description=description if type(description) is str else "",
            deadline=deadline,
            language="mcp",
            server=server.name,
        )
        self._server = server
        self._listed_as = name
        #: What the server told of it.
        self.told = told
        self._refusal = None if unusable is None else _unusable(unusable)
        output = told.get("outputSchema")
        self.output = None if output is None else Output(output, name)
        self._marked = Marked(validator.schema)
        self._defaults = {
            key: part["default"]
            for key, part in validator.schema.get("properties", {}).items()
            if isinstance(part, Mapping) and "default" in part
        }

    @property
    def latest(self) -> McpTool:
        """The tool as the server told of it last, which may have been down at first."""
        return self._server.described(self._listed_as) or self

    def invoke(self, invocation: Invocation) -> Outcome:
        """See `Tool.invoke`."""
        now = self._server.current(self._listed_as, self)
        if isinstance(now, Settled):
            return now
        if now._refusal is not None:
            return now._refusal
        ended = super().invoke(invocation) if now is self else JudgedTool.invoke(now, invocation)
        # what the boundary adds to is what the server made: its value is the outcome
        if type(ended) is Returned and isinstance(ended.value, Returned | Settled):
            return ended.value
        return ended

    def _call(self, arguments: dict[str, Any], invocation: Invocation) -> Outcome:
        for key, default in self._defaults.items():
            if key not in arguments:
                arguments[key] = copy.deepcopy(default)
        return self._server.call(self._listed_as, arguments, invocation, self.output, self._marked)


def not_there(name: str) -> Settled:
    """Give what a call of a tool becomes that the server does not list any more (14.16)."""
    message = f"no tool named {write(name).decode()}"
    return settled_by_mcp(ErrorKind.NOT_FOUND, message, Effect.NONE)


def _judge(schema: Any, name: str) -> tuple[Validator, str | None]:
    """Give what judges the arguments, and why the schema cannot be used where it cannot."""
    anything = {"type": "object"}
    try:
        validator = Validator(anything if schema is None else schema, name)
    except Misuse as misuse:
        return Validator(anything, name), str(misuse).removeprefix(f"tool {name!r}: ")
    if validator.schema.get("type", "object") != "object":
        return Validator(anything, name), "its type is not object"
    return validator, None


def _unusable(reason: str) -> Settled:
    message = f"the tool's input schema cannot be used: {reason}"
    return settled_by_mcp(ErrorKind.PROTOCOL, message, Effect.NONE)
