# SPDX-License-Identifier: Apache-2.0
"""Schemas are derived from what Python says of parameters (clause 7.3)."""

import dataclasses
import datetime as dt
import decimal
import enum
import functools
import sys
import typing
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, Optional, Required, Union

import pytest
import typing_extensions
from pydantic import BaseModel, ConfigDict, Field

from isonomy.contract.misuse import Misuse
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected
from isonomy.tools.sources import as_tool


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Address(BaseModel):
    """Where someone lives."""

    street: str
    zip_code: str | None = None


class Person(BaseModel):
    name: Annotated[str, Field(min_length=1)]
    address: Address
    friends: list["Person"] = []


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", title="Lenient one")
    a: int


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(typing.TypedDict, total=False):
    title: Required[str]
    year: int


class Book(typing_extensions.TypedDict):
    title: str
    year: NotRequired[int]


def property_of(annotation: Any, default: Any = ...) -> Any:
    def body(a):
        return a

    body.__annotations__ = {"a": annotation}
    if default is not ...:
        body.__defaults__ = (default,)
    return as_tool(body).input_schema["properties"]["a"]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (object, {}),
        (list, {"type": "array", "items": {}}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Optional[int], {"type": ["integer", "null"]}),  # noqa: UP045 - both spellings count
        (int | None, {"type": ["integer", "null"]}),
        (Union[int, str, None], {"type": ["integer", "string", "null"]}),  # noqa: UP007 - the same
        (list[str] | None, {"type": ["array", "null"], "items": {"type": "string"}}),
        (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
        (Literal[1, "a", None], {"enum": [1, "a", None]}),
        (dt.date, {"type": "string", "format": "date"}),
        (dt.timedelta, {"type": "string", "format": "duration"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (decimal.Decimal, {"type": ["number", "string"]}),
        (bytes, {"type": "string", "contentEncoding": "base64"}),
        (bytes | None, {"type": ["string", "null"], "contentEncoding": "base64"}),
        (list[bytes], {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}}),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (Annotated[str, "what it is"], {"type": "string", "description": "what it is"}),
        (Annotated[str, Field(description="field")], {"type": "string", "description": "field"}),
        (
            Annotated[int | None, Field(gt=0, description="size", examples=[3])],
            {
                "type": ["integer", "null"],
                "exclusiveMinimum": 0,
                "description": "size",
                "examples": [3],
            },
        ),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ),
    ],
)
def test_types(annotation, expected):
    assert property_of(annotation) == expected


@pytest.mark.parametrize(
    ("annotation", "name", "expected"),
    [
        (Color, "Color", {"enum": ["red", "green"], "type": "string"}),
        (Level, "Level", {"enum": [1, 2], "type": "integer"}),
        (
            Point,
            "Point",
            {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
                "required": ["x"],
                "additionalProperties": False,
            },
        ),
        *(
            (
                cls,
                cls.__name__,
                {
                    "type": "object",
                    "properties": {"title": {"type": "string"}, "year": {"type": "integer"}},
                    "required": ["title"],
                    "additionalProperties": False,
                },
            )
            for cls in (Movie, Book)
        ),
        (
            Open,
            "Open",
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}},
                "required": ["a"],
                "additionalProperties": True,
            },
        ),
        (
            Lenient,
            "Lenient",
            {
                "type": "object",
                "title": "Lenient one",
                "properties": {"a": {"type": "integer"}},
                "required": ["a"],
            },
        ),
    ],
)
def test_classes_become_definitions(annotation, name, expected):
    def body(one, many, maybe=None):
        return one, many, maybe

    body.__annotations__ = {
        "one": annotation,
        "many": list.__class_getitem__(annotation),
        "maybe": annotation | None,
    }
    schema = as_tool(body).input_schema
    reference = {"$ref": f"#/$defs/{name}"}
    assert schema["$defs"] == {name: expected}
    assert schema["properties"]["one"] == reference
    assert schema["properties"]["many"]["items"] == reference
    assert schema["properties"]["maybe"]["anyOf"] == [reference, {"type": "null"}]


def test_models_may_be_recursive_and_share_definitions():
    def invite(host: Person, guests: list[Person], place: Address) -> None: ...

    schema = as_tool(invite).input_schema
    assert sorted(schema["$defs"]) == ["Address", "Person"]
    person = schema["$defs"]["Person"]
    assert person["properties"]["friends"]["items"] == {"$ref": "#/$defs/Person"}
    assert person["properties"]["name"] == {"type": "string", "minLength": 1}
    assert schema["$defs"]["Address"]["description"] == "Where someone lives."
    assert "title" not in str(schema)


@pytest.mark.parametrize(
    ("annotation", "default", "expected"),
    [
        (int, 3, {"type": "integer", "default": 3}),
        (int | None, None, {"type": ["integer", "null"], "default": None}),
        (int, None, {"type": "integer"}),
        (float, float("nan"), {"type": "number"}),
        (Color, Color.RED, {"$ref": "#/$defs/Color", "default": "red"}),
        (dt.date, dt.date(2026, 1, 31), "2026-01-31"),
        (decimal.Decimal, decimal.Decimal("0.10"), "0.10"),
        (bytes, b"hi", "aGk="),
        (list[int], [1, 2], [1, 2]),
        (Any, object(), {}),
    ],
)
def test_defaults_that_json_can_say_are_written(annotation, default, expected):
    found = property_of(annotation, default)
    assert (found if isinstance(expected, dict) else found["default"]) == expected


def test_the_whole_of_a_signature():
    def search(
        query: str,
        limit: Annotated[int, "at most"] = 10,
        *,
        tenant: Annotated[str, Injected()],
        context: ToolContext,
        untyped=None,
    ) -> list[str]:
        """Search things.

        Args:
            query: What to find.
            limit: not this one
        """
        raise AssertionError((query, limit, tenant, context, untyped))

    tool = as_tool(search)
    assert tool.name == "search"
    assert tool.description == "Search things."
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to find."},
            "limit": {"type": "integer", "description": "at most", "default": 10},
            "untyped": {"default": None},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    assert dict(tool.injected) == {"tenant": Injected("tenant")}
    assert tool.wants_context


def test_a_tool_without_parameters():
    def ping() -> str:
        return "pong"

    assert as_tool(ping).input_schema == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_further_keywords_open_the_schema():
    def any_kind(**rest): ...
    def numbers(**rest: int): ...
    def people(**rest: Person): ...

    assert as_tool(any_kind).input_schema["additionalProperties"] is True
    assert as_tool(numbers).input_schema["additionalProperties"] == {"type": "integer"}
    with pytest.raises(Misuse, match=r"people.*kwargs"):
        as_tool(people)


def test_allow_unknown_opens_the_schema():
    def one(a: int): ...

    assert as_tool(one, allow_unknown=True).input_schema["additionalProperties"] is True


class NoJson: ...


@pytest.mark.parametrize("annotation", [NoJson, Callable[[int], int]])
def test_types_without_a_json_form_are_misuse(annotation):
    with pytest.raises(Misuse, match=r"tool 'body': parameter 'a'.*Injected"):
        property_of(annotation)


class Chain(typing.TypedDict):
    next: "Chain"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="pydantic takes it from Python 3.12 on")
def test_a_typed_dict_that_holds_itself_says_what_to_use():
    with pytest.raises(Misuse, match=r"typing_extensions\.TypedDict"):
        property_of(Chain)


def test_names_that_do_not_resolve_are_misuse():
    def body(a: "Nowhere"): ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(Misuse, match=r"'body'.*parameter 'a' does not resolve.*Nowhere"):
        as_tool(body)


def test_annotations_as_text_resolve_where_the_tool_is_made():
    class Local(BaseModel):
        a: int

    def body(one: "Local", many: "list[Local]") -> "Nowhere": ...  # type: ignore[name-defined]  # noqa: F821

    assert as_tool(body).input_schema["$defs"]["Local"]["required"] == ["a"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *rest: rest, r"\*rest cannot be filled.*list\[str\]"),
        (max, "signature cannot be read"),
    ],
)
def test_signatures_that_no_call_can_fill_are_misuse(function, message):
    with pytest.raises(Misuse, match=message):
        as_tool(function, name="f")


def test_what_a_partial_has_filled_is_no_parameter():
    def pay(account: str, amount: int, currency: str = "EUR") -> tuple[str, int, str]:
        """Pay."""
        return account, amount, currency

    tool = as_tool(functools.partial(pay, "a-1", currency="USD"))
    assert (tool.name, tool.description) == ("pay", "Pay.")
    assert list(tool.input_schema["properties"]) == ["amount"]


def test_field_gives_aliases_and_defaults():
    def page(
        size: Annotated[int, Field(alias="pageSize", ge=1)] = 10,
        tags: list[str] = Field(default_factory=list, description="labels"),  # noqa: B008
        order: Annotated[str, Field(default="asc")] = "desc",
        number: int = Field(1, ge=1),
    ): ...

    schema = as_tool(page).input_schema
    assert "required" not in schema
    assert schema["properties"] == {
        "pageSize": {"type": "integer", "minimum": 1, "default": 10},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "labels"},
        "order": {"type": "string", "default": "desc"},
        "number": {"type": "integer", "minimum": 1, "default": 1},
    }


def test_two_arguments_of_one_name_are_misuse():
    def body(a: int, b: Annotated[int, Field(alias="a")]): ...

    with pytest.raises(Misuse, match="change an alias"):
        as_tool(body)
