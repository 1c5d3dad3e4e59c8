# SPDX-License-Identifier: Apache-2.0
"""Both languages judge arguments alike, word for word, whatever the schema (clause 7).

One tool in Python and one in Java, each with the same given schema, receive the same text.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tools.test_pattern import patterns, texts

from isonomy.contract.call import ToolCall
from isonomy.contract.canonical import canonical
from isonomy.contract.misuse import Misuse
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.sources import as_tool

NAMES = ["a", "b", "xy", "x1", "a b", "", "é", "\ud800", "\ufffd", "$iso:date", "\x1f"]
PORTABLE = [
    *("^x", "^[a-z]{1,2}$", r"^\d+$", r"\s", r"^(?=.*a).{2,}$", "^(a|b)*$", r"^\p{Lu}", "^.$", ""),
    *(r"\bé", "[^a]", "^[[a&&]", r"^[\w-.]+$", r"a\/", "(a+)+$"),
]
OTHERS = ["(?i)a", r"\Z", "(?<=a)b", "(", "a{,2}", "[b-a]"]
NUMBERS = [
    *(0, 1, -1, 2, 3, 10, 2**53 + 1, 2**63, -(2**63), 10**30, 10**400),
    *(0.0, -0.0, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 1e-7, 1e16, 1e22, 1e300, 9007199254740992.0),
]
TEXTS = [
    *("", "a", "b", "ab", "xy", "é", "É", "12", "\u0663", "\xa0", "\ud800", "\ufffd", "\U0001f600"),
    *("a/b", "[", "{}", "[]", "[1.0]", '{"a":1}', '{"a":1,"a":2}', "null", '{"b":"[]"}', "a\n"),
]

numbers = st.sampled_from(NUMBERS)
positive = st.sampled_from([number for number in NUMBERS if number > 0])
scalars = st.none() | st.booleans() | numbers | st.sampled_from(TEXTS)
names = st.sampled_from(NAMES)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4)


values = st.recursive(scalars, containers, max_leaves=8)
types = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])
sizes = st.sampled_from([0, 1, 2, 2.0])


def parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw one keyword, or a few that belong together, with schemas inside of it."""
    schemas = st.lists(inner, min_size=1, max_size=3)
    by_name = st.dictionaries(names, inner, max_size=3)

    def said(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries(
            {
                name.replace("_dynamic", "$dynamic").strip("_"): what
                for name, what in keywords.items()
            }
        )

    return st.one_of(
        said(type=types | st.lists(types, min_size=1, max_size=3, unique=True)),
        said(enum=st.lists(values, max_size=3)),
        said(const=values),
        said(minimum=numbers),
        said(maximum=numbers),
        said(exclusiveMinimum=numbers),
        said(exclusiveMaximum=numbers),
        said(multipleOf=positive),
        said(minLength=sizes),
        said(maxLength=sizes),
        said(pattern=st.sampled_from(PORTABLE)),
        said(minItems=sizes),
        said(maxItems=sizes),
        said(uniqueItems=st.booleans()),
        said(items=inner),
        said(prefixItems=schemas),
        said(prefixItems=schemas, items=inner),
        said(prefixItems=schemas, unevaluatedItems=inner),
        said(contains=inner),
        said(contains=inner, minContains=sizes, maxContains=sizes),
        said(contains=inner, unevaluatedItems=inner),
        said(required=st.lists(names, max_size=2, unique=True)),
        said(minProperties=sizes),
        said(maxProperties=sizes),
        said(properties=by_name),
        said(properties=by_name, required=st.lists(names, max_size=2, unique=True)),
        said(properties=by_name, additionalProperties=inner),
        said(properties=by_name, unevaluatedProperties=inner),
        said(additionalProperties=inner),
        said(patternProperties=st.dictionaries(st.sampled_from(PORTABLE), inner, max_size=2)),
        said(propertyNames=inner),
        said(dependentRequired=st.dictionaries(names, st.lists(names, max_size=2, unique=True))),
        said(dependentSchemas=by_name),
        said(allOf=schemas),
        said(anyOf=schemas),
        said(oneOf=schemas),
        said(not_=inner),
        said(if_=inner, then=inner, else_=inner),
        said(if_=inner, then=inner),
        st.sampled_from([{"$ref": to} for to in ("#/$defs/one", "#/$defs/two", "#two", "#")]),
        st.sampled_from(
            [{"default": 7}, {"x-more": 1}, {"format": "date"}, {"$dynamicRef": "#two"}]
        ),
    )


def joined(drawn: list[dict[str, Any]]) -> dict[str, Any]:
    return {keyword: said for one in drawn for keyword, said in one.items()}


def deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(parts(inner), min_size=1, max_size=3).map(joined)


schemas = st.recursive(st.booleans() | deeper(st.booleans()), deeper, max_leaves=6)


@st.composite
def roots(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the schema of a tool, whose properties are those that arguments have."""
    made: dict[str, Any] = {"type": "object"}
    made |= {"properties": draw(st.dictionaries(names, schemas, min_size=1, max_size=3))}
    more = draw(schemas)
    if isinstance(more, dict):
        made = more | made
    one = draw(schemas)
    two = draw(schemas)
    made["$defs"] = {"one": one, "two": {"$anchor": "two", "allOf": [two]}}
    return made


def in_python(schema: dict[str, Any], text: str) -> dict[str, Any] | None:
    def body(**accepted: Any) -> dict[str, Any]:
        return accepted

    try:
        tool = as_tool(body, name="judge", schema=schema)
    except Misuse:
        return None
    with ToolExecutor([tool]) as executor:
        return told(executor.run([ToolCall("judge", text)]).to_wire())


def told(event: dict[str, Any]) -> dict[str, Any]:
    """Give what a response event tells of its one call, whatever language it was made in."""
    (record,) = event["records"]
    error = record["response"].get("error", {})
    error.pop("language", None)
    return {"response": record["response"], "decoded": record.get("decoded")}


def check_same(behaving: Any, schema: dict[str, Any], text: str) -> None:
    python = in_python(schema, text)
    answer = behaving.judged(json.dumps(schema), text)
    java = None if answer is None else told(json.loads(bytes(answer)))
    assert (python is None) == (java is None), (python, java)
    assert canonical(python) == canonical(java), (python, java)


QUIETLY = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=150)


@QUIETLY
@given(roots(), st.dictionaries(names, values, max_size=4))
def test_arguments_of_any_schema(behaving: Any, schema: dict[str, Any], arguments: Any) -> None:
    check_same(behaving, schema, json.dumps(arguments))


@QUIETLY
@given(st.lists(st.tuples(parts(st.booleans()), scalars | values), min_size=1, max_size=12))
def test_many_rules_at_once(behaving: Any, drawn: list[tuple[dict[str, Any], Any]]) -> None:
    """Each rule by a property of its own, so that much is judged and told in one call."""
    properties = {f"p{at:02}": rule for at, (rule, _) in enumerate(drawn)}
    definitions = {"one": {}, "two": True, "three": {"$anchor": "two", "type": "integer"}}
    schema = {"type": "object", "properties": properties, "$defs": definitions}
    arguments = {f"p{at:02}": value for at, (_, value) in enumerate(drawn)}
    check_same(behaving, schema, json.dumps(arguments))


BROKEN = [
    "",
    "[",
    "]",
    "{",
    "}",
    '"',
    ",",
    ":",
    "1e400",
    '"a":',
    "\ufeff",
    "\xa0",
    "9" * 4301,
    "{}",
]


@QUIETLY
@given(
    st.dictionaries(names, values, max_size=3).map(json.dumps),
    st.integers(0, 60),
    st.sampled_from([*BROKEN, "[" * 200, '{"a":' * 200]),
)
def test_broken_texts(behaving: Any, text: str, at: int, piece: str) -> None:
    check_same(behaving, {"type": "object"}, text[:at] + piece + text[at:])


@QUIETLY
@given(patterns, st.lists(texts, max_size=12))
def test_any_pattern_on_texts(behaving: Any, pattern: str, several: list[str]) -> None:
    schema = {"type": "object", "additionalProperties": {"pattern": pattern}}
    check_same(behaving, schema, json.dumps({str(at): text for at, text in enumerate(several)}))


@QUIETLY
@given(st.text(st.sampled_from(list("ab[]()-^$\\{},?*+|.=!:<>012dDwWsSbBpPuxcLkZn")), max_size=8))
def test_any_text_as_a_pattern(behaving: Any, pattern: str) -> None:
    schema = {"type": "object", "additionalProperties": {"pattern": pattern}}
    check_same(behaving, schema, json.dumps({str(at): text for at, text in enumerate(TEXTS)}))


@pytest.mark.parametrize("pattern", [*PORTABLE, *OTHERS])
def test_patterns_on_texts(behaving: Any, pattern: str) -> None:
    schema = {"type": "object", "additionalProperties": {"pattern": pattern}}
    check_same(behaving, schema, json.dumps({str(at): text for at, text in enumerate(TEXTS)}))
