# SPDX-License-Identifier: Apache-2.0
"""`@tool` keeps static types: the type checker reads this file, and each ignore must be needed."""

from collections.abc import Callable, Coroutine
from typing import Any, assert_type

from isonomy.tools.decorator import tool


@tool
def plain(a: int, *, b: str = "x") -> list[str]:
    return [b] * a


@tool(name="other", deadline=1.5)
def with_options(a: int) -> str:
    return str(a)


@tool
async def later(a: int) -> float:
    return float(a)


class Shop:
    @tool
    def method(self, a: int) -> bytes:
        return bytes(a)

    @tool
    @classmethod
    def outer_class(cls, a: int) -> str:
        return cls.__name__ * a

    @classmethod
    @tool
    def inner_class(cls, a: int) -> str:
        return cls.__name__ * a

    @staticmethod
    @tool(version="1")
    def static(a: int) -> int:
        return a


def test_types_are_as_declared() -> None:
    assert_type(plain(2, b="y"), list[str])
    assert_type(with_options(1), str)
    assert_type(Shop().method(1), bytes)
    assert_type(Shop.outer_class(1), str)
    assert_type(Shop.inner_class(1), str)
    assert_type(Shop.static(1), int)
    body: Callable[[int], Coroutine[Any, Any, float]] = later
    assert body is later


def test_wrong_uses_are_errors() -> None:
    def never_called() -> None:
        plain("2")  # type: ignore[arg-type]
        plain(2, c=1)  # type: ignore[call-arg]
        Shop().method()  # type: ignore[call-arg]
        Shop.static("1")  # type: ignore[arg-type]
        tool(name=1)  # type: ignore[call-overload]
        tool(3)  # type: ignore[call-overload]

    assert callable(never_called)
