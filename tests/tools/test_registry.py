# SPDX-License-Identifier: Apache-2.0
"""Tools by name, from every kind of source."""

import functools
import types
from typing import Any

import pytest

from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Returned
from isonomy.tools.decorator import tool
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Invocation


class Shop:
    """Methods of every kind."""

    def __init__(self, stock: int = 3) -> None:
        self.stock = stock

    @tool
    def count(self, extra: int = 0) -> int:
        """Count the stock."""
        return self.stock + extra

    @tool
    @classmethod
    def outer_class(cls) -> str:
        return cls.__name__

    @classmethod
    @tool
    def inner_class(cls) -> str:
        return cls.__name__

    @staticmethod
    @tool(name="renamed")
    def inner_static(a: int) -> int:
        return a

    @tool
    @staticmethod
    def outer_static(a: int) -> int:
        return a

    @tool
    async def later(self) -> int:
        return self.stock

    def unmarked(self) -> None: ...


class Market(Shop):
    def count(self, extra: int = 0) -> int:
        return -extra

    @tool
    def open(self) -> bool:
        return True


class StaticOnly:
    @tool
    @staticmethod
    def one() -> int:
        return 1


class Doubler:
    """Double a number."""

    def __call__(self, number: int) -> int:
        return number * 2


def names(*sources: Any) -> list[str]:
    return [one.name for one in ToolRegistry(sources)]


def test_an_instance_gives_its_marked_methods_in_order():
    registry = ToolRegistry([Shop(5)])
    assert [one.name for one in registry] == [
        "count",
        "outer_class",
        "inner_class",
        "renamed",
        "outer_static",
        "later",
    ]
    count = registry.get("count")
    assert count is not None
    assert count.description == "Count the stock."
    assert count.invoke(Invocation({"extra": 2})) == Returned(7)
    for name in ("outer_class", "inner_class"):
        method = registry.get(name)
        assert method is not None
        assert method.invoke(Invocation()) == Returned("Shop")
    later = registry.get("later")
    assert later is not None
    assert later.is_async


def test_an_override_without_a_mark_is_no_tool():
    assert names(Market()) == [
        "outer_class",
        "inner_class",
        "renamed",
        "outer_static",
        "later",
        "open",
    ]


def test_a_class_gives_what_needs_no_instance():
    assert names(StaticOnly) == ["one"]
    with pytest.raises(Misuse, match="count needs an instance"):
        ToolRegistry([Shop])


def test_callables_of_every_kind():
    def add(a: int, b: int) -> int:
        return a + b

    registry = ToolRegistry([add, functools.partial(Shop.outer_static, 4), Doubler(), len])
    assert [one.name for one in registry] == ["add", "outer_static", "Doubler", "len"]
    calls: list[dict[str, Any]] = [{"a": 1, "b": 2}, {}, {"number": 4}, {"obj": [1]}]
    results = [one.invoke(Invocation(call)) for one, call in zip(registry, calls, strict=True)]
    assert results == [Returned(3), Returned(4), Returned(8), Returned(1)]
    doubler = registry.get("Doubler")
    assert doubler is not None
    assert doubler.description == "Double a number."


def module(**members: Any) -> types.ModuleType:
    made = types.ModuleType("shop_tools")
    vars(made).update(members)
    return made


def test_a_module_gives_what_it_defines_and_marks():
    @tool
    def own() -> None: ...

    @tool
    def foreign() -> None: ...

    def unmarked() -> None: ...

    own.__module__ = "shop_tools"
    made = as_tool(unmarked)
    assert names(module(own=own, again=own, foreign=foreign, unmarked=unmarked)) == ["own"]
    assert names(module(own=own, made=made)) == ["own", "unmarked"]
    assert names(module(own=own, foreign=foreign, __all__=["foreign"])) == ["foreign"]
    with pytest.raises(Misuse, match="module 'shop_tools' gives no tools"):
        ToolRegistry([module(unmarked=unmarked)])


def test_a_registry_gives_its_tools():
    first = ToolRegistry([Doubler()])
    second = ToolRegistry([first, len])
    assert next(iter(second)) is first.get("Doubler")
    assert len(second) == 2
    assert "len" in second
    assert second.get("nothing") is None


def test_two_tools_of_one_name_are_misuse():
    with pytest.raises(Misuse, match="two tools are named 'Doubler'"):
        ToolRegistry([Doubler(), Doubler()])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (3, "an instance of int gives no tools: mark its methods with @tool"),
        (types.SimpleNamespace(a=1), "an instance of SimpleNamespace gives no tools: mark its me"),
        ("add", "'add' is text and no tool; give the function itself, as in [add]"),
        (None, "a tool is None; give a function (does a decorator of it return nothing?)"),
        ([len], "a list is no tool; give the tools in it one by one, as in [*more, add]"),
        ({"len": len}, "a dict is no tool; give the tools in it one by one, as in [*more, add]"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_gives_no_tool_is_misuse(source, said):
    with pytest.raises(Misuse) as raised:
        ToolRegistry([source])
    assert str(raised.value).startswith(said)
    with pytest.raises(Misuse) as raised:
        as_tool(source)
    assert str(raised.value).startswith(said)


def test_a_call_of_an_async_function_is_no_tool():
    async def later() -> None: ...

    called = later()
    with pytest.raises(Misuse, match=r"a call of .*later is no tool; give the function, without"):
        ToolRegistry([called])
    called.close()


@pytest.mark.parametrize("sources", ["abc", 3, len, {"len": len}])
def test_sources_are_a_list(sources):
    with pytest.raises(Misuse, match="given as a list"):
        ToolRegistry(sources)


def test_a_lambda_needs_a_name():
    with pytest.raises(Misuse, match="name="):
        as_tool(lambda: 1)
    assert as_tool(lambda: 1, name="one").invoke(Invocation()) == Returned(1)


def test_wrappers_keep_the_mark_and_the_signature():
    def counting(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @counting
    @tool(name="wrapped")
    def body(a: int) -> int:
        return a

    (one,) = ToolRegistry([body])
    assert one.name == "wrapped"
    assert one.invoke(Invocation({"a": 1.0})) == Returned(1)


class Shelf:
    def get(self, key: str) -> str:
        return key

    @tool
    def marked(self, key: str) -> str:
        return key


@pytest.mark.parametrize(
    ("method", "name"),
    [(Shelf.get, "Shelf.get"), (Shelf.marked, "Shelf.marked"), (dict.get, "dict.get")],
)
def test_a_method_of_a_class_needs_an_instance(method, name):
    with pytest.raises(Misuse, match=rf"^{name} needs an instance"):
        ToolRegistry([method])
    with pytest.raises(Misuse, match=rf"^{name} needs an instance"):
        as_tool(method, schema={"type": "object"})


def test_a_method_with_its_instance_asks_a_model_for_the_rest():
    shelf = Shelf()
    partials = functools.partial(Shelf.get, shelf), functools.partial(Shelf.get, self=shelf)
    for bound in (shelf.get, *partials):
        assert list(as_tool(bound).input_schema["properties"]) == ["key"]
