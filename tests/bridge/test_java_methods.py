# SPDX-License-Identifier: Apache-2.0
"""Any public method of any library as a tool, by its signature."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.bridge.conftest import Load

from isonomy.bridge.jvm import JavaMethod, java_tools
from isonomy.contract.misuse import Misuse
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.names import SafeNames


def test_a_method_of_the_jdk() -> None:
    tools = java_tools("java.time.LocalDate#parse(CharSequence)")
    assert [tool.name for tool in tools] == ["LocalDate_parse"]
    (parameter,) = tools[0].input_schema["required"]  # a stripped runtime has no names: arg0
    executor = ToolExecutor(tools)
    assert executor.call("LocalDate_parse", {parameter: "2024-02-29"}).unwrap() == date(2024, 2, 29)
    error = executor.call("LocalDate_parse", {parameter: "tomorrow"}).error
    assert error is not None
    assert (error.kind, error.language) == ("exception", "java")
    assert error.type == "java.time.format.DateTimeParseException"
    assert error.message == "Text 'tomorrow' could not be parsed at index 0"
    assert SafeNames(["LocalDate_parse"]).safe("LocalDate_parse") == "LocalDate_parse"


def test_what_is_said_of_a_method() -> None:
    tools = java_tools(
        JavaMethod(
            "java.time.LocalDate#parse(CharSequence)",
            name="read_date",
            description="Read an ISO date.",
            parameters=["text"],
        ),
        JavaMethod("java.lang.Integer#parseInt(String, int)", parameters=("digits", "base")),
        JavaMethod("java.math.BigDecimal#valueOf(long,int)", parameters=["n", "scale"]),
        "java.lang.Math#max(long,long)",
    )
    assert [tool.name for tool in tools] == [
        "read_date",
        "Integer_parseInt",
        "BigDecimal_valueOf",
        "Math_max",
    ]
    assert [tool.description for tool in tools] == ["Read an ISO date.", "", "", ""]
    executor = ToolExecutor(tools)
    assert executor.call("read_date", {"text": "2024-01-02"}).unwrap() == date(2024, 1, 2)
    assert executor.call("Integer_parseInt", {"digits": "ff", "base": 16}).unwrap() == 255
    result = executor.call("BigDecimal_valueOf", {"n": 10, "scale": 1}).unwrap()
    assert (result, str(result)) == (Decimal("1.0"), "1.0")
    error = executor.call("Integer_parseInt", {"digits": "ff", "base": 2**31}).error
    assert error is not None
    assert error.message == "base: must be <= 2147483647"


def test_methods_of_one_class_share_an_instance(load: Load) -> None:
    tools = load("com.acme.Stock#add", "com.acme.Stock#left")
    executor = ToolExecutor(tools.values())
    assert executor.call("add", {"sku": "x", "count": 2}).unwrap() == 2
    assert executor.call("left", {"sku": "x"}).unwrap() == 2


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            "java.time.LocalDate#parse",
            "has several public methods named parse: parse(CharSequence), ",
        ),
        ("java.time.LocalDate#parse(int)", "there are: parse(CharSequence), parse(CharSequence,"),
        ("java.time.LocalDate#plusDays(long)", "constructor without parameters"),
        ("java.util.Collections#sort(List,Comparator)", "java.util.Comparator<java.lang.Object>"),
        ("java.time.LocalDate#parse(", "names no method"),
        (JavaMethod("java.lang.Math#max(int,int)", parameters=["a"]), "gives 2 parameters of"),
        (JavaMethod("java.lang.Math#max(int,int)", parameters=["a", "a"]), "another parameter"),
        (JavaMethod("java.lang.Math#max(int,int)", name=""), "not blank"),
    ],
)
def test_what_cannot_be_a_tool(spec: Any, said: str) -> None:
    with pytest.raises(Misuse) as caught:
        java_tools(spec)
    assert said in str(caught.value)


def test_overloads_need_names() -> None:
    with pytest.raises(Misuse, match='named "Math_max"; give one of them another name, as "name"'):
        java_tools("java.lang.Math#max(int,int)", "java.lang.Math#max(long,long)")
    tools = java_tools(
        JavaMethod("java.lang.Math#max(int,int)", name="max_int"), "java.lang.Math#max(long,long)"
    )
    assert [tool.name for tool in tools] == ["max_int", "Math_max"]


@pytest.mark.parametrize(
    "fields",
    [
        {"method": "java.lang.Math"},
        {"method": 1},
        {"method": "a#b", "name": 1},
        {"method": "a#b", "description": 1},
        {"method": "a#b", "parameters": "text"},
        {"method": "a#b", "parameters": [1]},
        {"method": "a#b", "parameters": {"a"}},
    ],
)
def test_fields_are_checked(fields: dict[str, Any]) -> None:
    with pytest.raises(Misuse):
        JavaMethod(**fields)


def test_an_instance_method_of_a_class_path(classes: Path) -> None:
    (tool,) = java_tools(
        JavaMethod("com.acme.Prices#unmarked(int)", name="next"), classpath=[classes]
    )
    assert ToolExecutor([tool]).call("next", {"number": 4}).unwrap() == 5
