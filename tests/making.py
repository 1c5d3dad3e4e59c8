# SPDX-License-Identifier: Apache-2.0
"""Makes the values and exceptions of the vectors (spec/vectors/README.md, "Making values")."""

from __future__ import annotations

import builtins
import importlib
from array import array
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn
from uuid import UUID
from zoneinfo import ZoneInfo

import attrs
import numpy as np
import pytest
from pydantic import BaseModel

from isonomy.contract.foreign import type_name
from isonomy.contract.portable import Tagged, register_converter
from isonomy.contract.response import ToolFailed, ToolFailure, ToolResponse


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Letter(StrEnum):
    A = "a"


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Named:
    name: str
    tags: list[Any] | None


class Pair(NamedTuple):
    left: Any
    right: Any


class Person(BaseModel):
    name: str
    age: int


@attrs.define
class Car:
    make: str
    wheels: int


class Plain:
    """Has no portable form."""


class Broken:
    """Its converter raises."""


class Money:
    """Its converter gives its amount."""

    def __init__(self, amount: int) -> None:
        self.amount = amount


class Later:
    """An awaitable that is nothing else."""

    def __await__(self) -> Generator[Any, Any, int]:
        yield from ()
        return 1


class Unprintable(Exception):  # noqa: N818 - named by the vectors
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Outer:
    class Nested(Exception):  # noqa: N818 - named by the vectors
        pass


FIXTURES: dict[str, type] = {
    "Unprintable": Unprintable,
    "Nested": Outer.Nested,
    "Plain": Plain,
    "Broken": Broken,
    "Later": Later,
}


def _fail(_: Any) -> Any:
    raise ArithmeticError("this converter always raises")


register_converter(Broken, _fail)
register_converter(Money, lambda money: {"amount": money.amount})


def named(text: Any) -> Any:
    """Put the full names of fixtures in their places in an expected string, at any depth."""
    if isinstance(text, str):
        for name, cls in FIXTURES.items():
            text = text.replace(f"fixture:{name}", type_name(cls))
        return text
    if isinstance(text, list):
        return [named(item) for item in text]
    if isinstance(text, dict):
        return {named(key): named(item) for key, item in text.items()}
    return text


def make(spec: Any) -> Any:
    """Make a value."""
    if isinstance(spec, list):
        return [make(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if "make" not in spec:
        return {key: make(item) for key, item in spec.items()}
    arguments = {key: item for key, item in spec.items() if key != "make"}
    return _MAKERS[spec["make"]](**arguments)


def make_many(items: list[Any]) -> list[Any]:
    return [make(item) for item in items]


def _hex(hex: str) -> bytes:  # noqa: A002 - the vector's name
    return bytes.fromhex(hex)


def _map(items: list[Any]) -> dict[Any, Any]:
    return {make(key): make(item) for key, item in items}


def _datetime(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _zoned(text: str) -> datetime:
    moment, _, region = text.rstrip("]").partition("[")
    fixed = _datetime(moment)
    made = fixed.astimezone(ZoneInfo(region))
    assert made.replace(tzinfo=None) == fixed.replace(tzinfo=None)
    return made


def _duration(text: str) -> timedelta:
    return timedelta(microseconds=int(Decimal(text) * 1_000_000))


def _record(fields: dict[str, Any]) -> Any:
    made = {key: make(item) for key, item in fields.items()}
    return Point(**made) if "x" in made else Named(**made)


def _fields(cls: Callable[..., Any]) -> Callable[..., Any]:
    return lambda fields: cls(**{key: make(item) for key, item in fields.items()})


def _nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth - 1):
        made = [made]
    return made


def _cycle_list() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def _cycle_map() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["self"] = made
    return made


def _shared() -> list[Any]:
    inner = [1]
    return [inner, inner]


def _generator() -> Generator[Any, None, None]:
    yield pytest.fail("a generator was consumed")


def _long_text(pieces: list[Any]) -> str:
    return "".join(piece if isinstance(piece, str) else piece[0] * piece[1] for piece in pieces)


def _exception_value(message: str, type: Any = None) -> BaseException:  # noqa: A002 - the vector's name
    return ValueError(message) if type is None else exception({"type": type, "message": message})


_MAKERS: dict[str, Callable[..., Any]] = {
    "bytes": _hex,
    "bytearray": lambda **of: bytearray(_hex(**of)),
    "memoryview": lambda **of: memoryview(_hex(**of)),
    "int": lambda text: int(text, 10),
    "float": lambda text: float(text.strip()),
    "decimal": lambda text: Decimal(value=text),
    "date": lambda text: date.fromisoformat(text),  # noqa: PLW0108 - by name
    "time": lambda text: time.fromisoformat(text),  # noqa: PLW0108 - by name
    "offset_time": lambda text: time.fromisoformat(text.replace("Z", "+00:00")),
    "datetime": _datetime,
    "offset_datetime": _datetime,
    "zoned_datetime": _zoned,
    "duration": _duration,
    "uuid": lambda text: UUID(hex=text),
    "set": lambda items: set(make_many(items)),
    "frozenset": lambda items: frozenset(make_many(items)),
    "tuple": lambda items: tuple(make_many(items)),
    "list": make_many,
    "deque": lambda items: deque(make_many(items)),
    "array": lambda items: array("q", items),
    "map": _map,
    "map_proxy": lambda items: MappingProxyType(_map(items)),
    "enum": lambda: Color.RED,
    "int_enum": lambda: Level.LOW,
    "str_enum": lambda: Letter.A,
    "record": _record,
    "named_tuple": _fields(Pair),
    "pydantic": _fields(Person),
    "attrs": _fields(Car),
    "surrogates": lambda units: "".join(map(chr, units)),
    "digits": lambda count: 10**count - 1,
    "nested": _nested,
    "cycle_list": _cycle_list,
    "cycle_map": _cycle_map,
    "shared": _shared,
    "object": Plain,
    "exception": _exception_value,
    "function": lambda: _nested,
    "generator": _generator,
    "iterator": lambda: iter([1]),
    "complex": lambda: 1j,
    "type": lambda: int,
    "failing_converter": Broken,
    "converted": Money,
    "numpy": lambda dtype, value: getattr(np, dtype)(make(value)),
    "numpy_array": lambda dtype, items: np.array(items, dtype=dtype),
    "response": lambda of: ToolResponse.from_wire(wire=of),
    "tagged": Tagged,
    "long_text": _long_text,
    "awaitable": Later,
}


def failure(arguments: dict[str, Any]) -> ToolFailure:
    """Make a failure of the factory's arguments."""
    return ToolResponse.error(**_factory_arguments(arguments))


def failed(arguments: dict[str, Any]) -> ToolFailed:
    """Make a `ToolFailed` of the factory's arguments."""
    made = _factory_arguments(arguments)
    return ToolFailed(made.pop("message"), **made)


def failed_with(error: dict[str, Any]) -> ToolFailed:
    """Make a `ToolFailed` that holds this very error, given in its wire form."""
    response = ToolResponse.from_wire({"status": "failure", "error": error})
    assert isinstance(response, ToolFailure)
    return ToolFailed(response)


def _factory_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    made = {key: make(item) for key, item in arguments.items()}
    if "content" in arguments:
        made["content"] = arguments["content"]
    return made


def exception(spec: dict[str, Any]) -> BaseException:
    """Make an exception, with its causes, by raising it."""
    with pytest.raises(BaseException) as raised:  # noqa: PT011 - whatever the vector asks for
        raise_exception(spec)
    return raised.value


def raise_exception(spec: dict[str, Any]) -> NoReturn:
    """Raise the exception of a vector."""
    unknown = spec.keys() - {"type", "message", "causes", "group", "loop", "via", "failed", "do"}
    assert not unknown, unknown
    chain = [_bare(spec), *(_bare(cause) for cause in spec.get("causes", ()))]
    via = spec.get("via")
    for outer, inner in pairwise(chain):
        outer.__context__ = inner
        if via != "context":
            outer.__cause__ = None if via == "suppressed" else inner
            outer.__suppress_context__ = True
    if "loop" in spec:
        chain[-1].__cause__ = chain[spec["loop"]]
    raise chain[0]


def _bare(spec: dict[str, Any]) -> BaseException:
    if "failed" in spec:
        return failed(spec["failed"])
    if "failed_with" in spec:
        return failed_with(spec["failed_with"])
    cls = _class(spec["type"])
    message = make(spec["message"])
    if "group" in spec:
        return cls(message, [exception(member) for member in spec["group"]])
    return cls() if message is None else cls(message)


def _class(name: Any) -> type[BaseException]:
    if isinstance(name, dict):
        name = name["python"]
    if name.startswith("fixture:"):
        return FIXTURES[name.removeprefix("fixture:")]
    module, _, qualname = name.rpartition(".")
    found: type = getattr(importlib.import_module(module) if module else builtins, qualname)
    assert issubclass(found, BaseException)
    return found
