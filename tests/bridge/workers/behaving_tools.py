# SPDX-License-Identifier: Apache-2.0
"""A tool that does what a behaviour of the vectors says; workers import this, no test does."""

from __future__ import annotations

import json
from typing import Any

from tests.behaviours import Stage

from isonomy import tool
from isonomy.tools.function import FunctionTool


@tool
def behave(tool: str, form: str) -> Any:
    made = Stage().tool("tool", json.loads(tool), form)
    assert isinstance(made, FunctionTool)
    return made.function()
