# SPDX-License-Identifier: Apache-2.0
"""The cases of docs/cases.md that no other test has: each with its label and its right value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.events import ResponseEvent
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.test_modes import MODES

Run = Callable[..., ResponseEvent]


@pytest.fixture(params=MODES)
def run(request: pytest.FixtureRequest) -> Run:
    """Run a batch: blocking or awaited, in order or in parallel, with a deadline or without."""
    entry, options = MODES[request.param]

    def run(executor: ToolExecutor, calls: list[ToolCall], **more: Any) -> ResponseEvent:
        return entry(executor, calls, **{**options, **more})

    return run
