# SPDX-License-Identifier: Apache-2.0
"""Whatever a body does to the event loop that it runs on, the next call has one (8.11)."""

from __future__ import annotations

import asyncio

import pytest

from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body


@pytest.mark.parametrize("deadline", [None, 30])
def test_a_body_that_stops_its_loop_stops_nobody_else(deadline: float | None) -> None:
    async def stops() -> str:
        asyncio.get_running_loop().stop()
        return "stopped"

    async def fine() -> int:
        await asyncio.sleep(0.01)
        return 1

    with ToolExecutor([Body(stops), Body(fine)]) as executor:
        for _ in range(3):
            assert executor.call("stops", deadline=deadline).unwrap() == "stopped"
            assert executor.call("fine", deadline=deadline).unwrap() == 1


@pytest.mark.parametrize("deadline", [1e10, 1e300])
def test_a_deadline_beyond_every_clock_is_as_good_as_none(deadline: float) -> None:
    with ToolExecutor([Body(lambda: 1, name="ok")]) as executor:
        assert executor.call("ok", deadline=deadline).unwrap() == 1
