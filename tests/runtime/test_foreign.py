# SPDX-License-Identifier: Apache-2.0
"""Values and exceptions that lie, raise when they are asked, or outlive their call."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.contract.response import ToolFailed, ToolFailure
from isonomy.contract.tagged import PortableError
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body
from tests.runtime.test_modes import MODES


class Unbound:
    """As a proxy that is bound to nothing: asked for its class, it raises."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("unbound")


class Odd(Exception):  # noqa: N818 - what it is called matters not
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("unbound")


class Pretends(Exception):  # noqa: N818 - what it is called matters not
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return KeyboardInterrupt


class Speechless(Exception):  # noqa: N818 - what it is called matters not
    def __str__(self) -> str:
        raise PortableError("malformed", "no text")


class Unmade(ToolFailed):  # type: ignore[misc]  # final for the type checker only
    def __init__(self) -> None:
        """Leave out what the base sets."""


def changed() -> ToolFailed:
    failed = ToolFailed("declared")
    failed._response = {"status": "success"}  # type: ignore[assignment]
    return failed


RESULTS: dict[str, Any] = {"unbound": Unbound, "mock": lambda: Mock(spec=ToolFailure)}
RAISED: dict[str, Any] = {
    "odd": Odd,
    "pretends": lambda: Pretends("x"),
    "speechless": Speechless,
    "unmade": lambda: Unmade.__new__(Unmade),
    "changed": changed,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("name", [*RESULTS, *RAISED])
def test_siblings_survive_whatever_one_call_hands_over(
    mode: str, is_async: bool, name: str
) -> None:
    def hands_over() -> Any:
        if name in RESULTS:
            return RESULTS[name]()
        raise RAISED[name]()

    async def ahands_over() -> Any:
        await asyncio.sleep(0)
        return hands_over()

    run, options = MODES[mode]
    tools = [Body(ahands_over if is_async else hands_over, name="odd"), Body(lambda: 1, name="ok")]
    with ToolExecutor(tools) as executor:
        event = run(executor, [ToolCall("ok"), ToolCall("odd"), ToolCall("ok")], **options)
    first, odd, last = event.responses
    assert (first.unwrap(), last.unwrap()) == (1, 1)
    if name in RESULTS:
        assert odd.is_success
    else:
        assert odd.error is not None
        assert odd.error.kind is ErrorKind.EXCEPTION
