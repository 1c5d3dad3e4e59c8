# SPDX-License-Identifier: Apache-2.0
"""How a tool learns that nobody waits for its call any more."""

from __future__ import annotations

from isonomy.tools.tool import Invocation


def test_a_callback_is_called_once() -> None:
    invocation, told = Invocation(), []
    invocation.on_cancel(lambda: told.append("a"))
    invocation.on_cancel(lambda: told.append("b"))
    assert told == []
    invocation.cancel()
    invocation.cancel()
    assert invocation.cancelled
    assert sorted(told) == ["a", "b"]


def test_a_callback_that_comes_late_is_called_at_once() -> None:
    invocation, told = Invocation(), []
    invocation.cancel()
    invocation.on_cancel(lambda: told.append("a"))
    assert told == ["a"]
    invocation.cancel()
    assert told == ["a"]
