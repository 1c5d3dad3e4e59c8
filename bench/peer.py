# SPDX-License-Identifier: Apache-2.0
"""The peer: the tool layer of pydantic-ai, one call of it.

`ToolManager.handle_call` is the narrowest part of it that does what a call of ours does: it finds
the tool by name, validates the arguments (pydantic), runs the function (a synchronous one on a
thread), and counts the call and its success. It is called without capabilities (hooks), with
arguments that are an object already, and the message part that an agent makes of the value it
gives is left out: an agent pays more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from registry import Missing

PEER = "pydantic-ai ToolManager.handle_call"


async def tool_manager(functions: list[Callable[..., Any]]) -> Any:
    """Return a tool manager that is ready to handle calls of these functions.

    Raises:
        Missing: pydantic-ai is not installed.
    """
    try:
        from pydantic_ai import FunctionToolset, RunContext
        from pydantic_ai.models.test import TestModel
        from pydantic_ai.tool_manager import ToolManager
        from pydantic_ai.usage import RunUsage
    except ImportError as error:
        raise Missing("pydantic-ai is not installed (pip install 'isonomy[bench]')") from error
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    return await ToolManager(FunctionToolset(functions)).for_run_step(context)


def call_of(name: str, arguments: dict[str, Any]) -> Any:
    """Return a call as a model would make it."""
    from pydantic_ai.messages import ToolCallPart

    return ToolCallPart(name, arguments, tool_call_id="call-1")
