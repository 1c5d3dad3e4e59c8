# SPDX-License-Identifier: Apache-2.0
"""The tools of named modules, or why there are none."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType, TracebackType
from typing import Any, Final, NamedTuple

from isonomy.contract.capture import error_info
from isonomy.contract.error import ErrorInfo, ToolError
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Raised, Returned
from isonomy.contract.text import without_surrogates
from isonomy.tools import boundary
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.tool import Tool

_LIBRARY: Final = sysconfig.get_path("stdlib")
_MISSING: Final = "; give its folder as path, or install it into this Python"


class Unloadable(NamedTuple):
    """Why tools cannot be loaded: one sentence, and the trace where something was raised."""

    message: str
    trace: str | None = None

    def fields(self) -> dict[str, str]:
        """Give what a host is told (W3.3)."""
        told = {"message": without_surrogates(self.message)}
        return told if self.trace is None else told | {"trace": self.trace}


def load(names: Sequence[str]) -> list[Tool] | Unloadable:
    """Import modules and give their tools, or those that are named (W3.2).

    Whatever a module raises is a reason for not having them.
    """
    sources: list[ModuleType | Tool] = []
    for name in names:
        module, _, tool = name.partition("#")
        place = _Place()
        outcome = _imported(module, place)
        if type(outcome) is not Returned:
            return _unloadable(module, outcome.error, place)
        if not tool:
            sources.append(outcome.value)
            continue
        try:
            found = ToolRegistry([outcome.value]).get(tool)
        except Misuse as refused:
            return Unloadable(f"the tools of {module!r} cannot be made: {refused}")
        if found is None:
            return Unloadable(f"the module {module!r} has no tool {tool!r}")
        sources.append(found)
    try:
        return list(ToolRegistry(sources))
    except Misuse as refused:
        return Unloadable(f"the tools of {_listed(names)} cannot be made: {refused}")


def describe(tool: Tool) -> dict[str, Any]:
    """Tell a tool (W3.4)."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
        "injected": {
            parameter: {"name": mark.name, "identity": mark.identity, "secret": mark.secret}
            for parameter, mark in tool.injected.items()
        },
        "version": tool.version,
        "max_parallel": tool.max_parallel,
        "deadline_ms": None if tool.deadline is None else max(1, round(tool.deadline * 1000)),
        "wants_context": tool.wants_context,
    }


class _Place:
    """Notes where what leaves a block was raised."""

    def __init__(self) -> None:
        #: A place in parentheses behind a space, or nothing.
        self.text = ""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        if isinstance(raised, SyntaxError) and raised.filename:
            self.text = f" ({raised.filename}:{raised.lineno})"
            return
        own = False
        while frames is not None:  # the innermost place outside of the import itself
            file = frames.tb_frame.f_code.co_filename
            if file != __file__ and "importlib" not in file and not (own and _is_pythons(file)):
                own = not _is_pythons(file)
                self.text = f" ({file}:{frames.tb_lineno})"
            frames = frames.tb_next


def _is_pythons(file: str) -> bool:
    """Tell what comes with Python from what was written or installed beside it."""
    return file.startswith("<") or (
        file.startswith(_LIBRARY + os.sep) and "site-packages" not in file
    )


def _imported(name: str, place: _Place) -> Outcome:
    def run() -> ModuleType:
        with place:
            return import_module(name)

    try:
        return boundary.run(run)
    except KeyboardInterrupt as raised:  # the module's own: a worker hears no Ctrl-C
        return Raised(error_info(raised))


def _unloadable(name: str, error: ErrorInfo | ToolError, place: _Place) -> Unloadable:
    why = f"{error.type}: {error.message}" if error.message != error.type else error.message
    remedy = _MISSING if error.type == ModuleNotFoundError.__name__ else ""
    message = f"the module {name!r} cannot be imported: {why}{place.text}{remedy}"
    return Unloadable(message, error.trace)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "no module"
