# SPDX-License-Identifier: Apache-2.0
"""The tools of one host, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from isonomy.contract.misuse import Misuse
from isonomy.tools.sources import tools_of
from isonomy.tools.tool import Tool


class ToolRegistry:
    """Tools by name, in the order in which they were given; immutable.

    >>> def ping() -> str:
    ...     return "pong"
    >>> registry = ToolRegistry([ping])
    >>> [tool.name for tool in registry], "pang" in registry
    (['ping'], False)

    Of tools with one name those that belong to servers are named `SERVER__NAME` (clause 14.17).

    Args:
        sources: Tools, callables, instances with methods marked `@tool`, modules, registries.

    Raises:
        Misuse: A source gives no tool, or two tools have one name.
    """

    def __init__(self, sources: Iterable[Any] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        if isinstance(sources, str | bytes | Mapping) or not isinstance(sources, Iterable):
            kind = type(sources).__name__
            raise Misuse(f"tools are given as a list, such as [f, g], not as one {kind}")
        tools: dict[int, Tool] = {}
        for source in sources:
            for one in source if isinstance(source, ToolRegistry) else tools_of(source):
                tools.setdefault(id(one), one)
        for one in _qualified(list(tools.values())):
            known = self._tools.setdefault(one.name, one)
            if known is not one:
                raise Misuse(
                    f"two tools are named {one.name!r}; give one another name with @tool(name=...)"
                )

    def get(self, name: str) -> Tool | None:
        """Return the tool of a name, or None."""
        return self._tools.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"ToolRegistry({list(self._tools)!r})"


def _qualified(tools: list[Tool]) -> list[Tool]:
    """Name those tools of servers otherwise whose name another tool has (clause 14.17)."""
    names = Counter(tool.name for tool in tools)
    return [
        tool.named(f"{tool.server}__{tool.name}")
        if names[tool.name] > 1 and tool.server is not None
        else tool
        for tool in tools
    ]
