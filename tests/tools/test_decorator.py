# SPDX-License-Identifier: Apache-2.0
"""The mark leaves what it marks alone."""

import inspect
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Returned
from isonomy.tools.decorator import tool
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Invocation


def plain(a: int, *, b: str = "x") -> tuple[int, str]:
    """Give back."""
    if a < 0:
        raise ValueError("negative")
    return a, b


def test_direct_calls_are_as_before():
    marked = tool(plain)
    assert marked is plain
    assert marked(1) == (1, "x")
    with pytest.raises(ValueError, match="negative"):
        marked(-1)
    assert str(inspect.signature(marked)) == "(a: int, *, b: str = 'x') -> tuple[int, str]"
    assert marked.__doc__ == "Give back."


async def test_async_functions_stay_async():
    @tool
    async def body() -> int:
        return 1

    assert inspect.iscoroutinefunction(body)
    assert await body() == 1


def test_options_reach_the_tool():
    @tool(
        name="other",
        description="Said here.",
        version="2",
        inline=True,
        max_parallel=3,
        deadline=timedelta(milliseconds=1500),
    )
    def body() -> None:
        """Not said here."""

    made = as_tool(body)
    assert (made.name, made.description, made.version) == ("other", "Said here.", "2")
    assert (made.inline, made.max_parallel, made.deadline) == (True, 3, 1.5)
    assert (made.language, made.server, made.is_async) == ("python", None, False)
    assert as_tool(body, name="third").description == "Not said here."


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"name": " "}, "not blank"),
        ({"deadline": 0}, "positive"),
        ({"deadline": float("inf")}, "positive"),
        ({"deadline": timedelta(seconds=-1)}, "positive"),
        ({"max_parallel": 0}, "at least 1"),
    ],
)
def test_options_that_make_no_sense_are_misuse(options, complaint):
    with pytest.raises(Misuse, match=complaint):
        as_tool(plain, **options)


class Shop:
    def method(self) -> None: ...


@pytest.mark.parametrize("target", [Shop, Shop().method, len, 3])
def test_what_cannot_be_marked_is_misuse(target):
    with pytest.raises(Misuse):
        tool(target)
    assert not hasattr(Shop.method, "__isonomy_tool__")


def test_local_types_resolve_after_the_function_that_defined_them_has_ended():
    def make() -> Any:
        class Local(BaseModel):
            a: int

        @tool
        def body(local: "Local") -> Any:
            return local.a

        return body

    assert as_tool(make()).invoke(Invocation({"local": {"a": 1}})) == Returned(1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"deadline": "abc"}, "deadline of {} is seconds or a timedelta, got str"),
        ({"deadline": True}, "deadline of {} is seconds or a timedelta, got bool"),
        ({"deadline": [1]}, "deadline of {} is seconds or a timedelta, got list"),
        ({"deadline": 0}, "deadline of {} is a positive number of seconds, got 0"),
        ({"max_parallel": "2"}, "max_parallel of {} is a whole number, got str"),
        ({"max_parallel": 0}, "max_parallel of {} is at least 1, got 0"),
        ({"name": 3}, "name of {} is text, got int"),
        ({"description": 3}, "description of {} is text, got int"),
        ({"version": 3}, "version of {} is text, got int"),
        ({"inline": "no"}, "inline of {} is True or False, got str"),
        ({"allow_unknown": 1}, "allow_unknown of {} is True or False, got int"),
    ],
)
def test_an_option_that_makes_no_sense_is_misuse(options: dict[str, Any], said: str) -> None:
    with pytest.raises(Misuse) as marked:
        tool(**options)
    assert str(marked.value).startswith(said.format("@tool"))
    with pytest.raises(Misuse) as made:
        as_tool(plain, **options)
    assert str(made.value).startswith(said.format("as_tool"))


def test_an_option_that_there_is_not_is_named() -> None:
    with pytest.raises(TypeError, match=r"^tool\(\) got an unexpected keyword argument 'nme'$"):
        tool(nme="x")  # type: ignore[call-overload]
