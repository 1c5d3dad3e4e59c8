# SPDX-License-Identifier: Apache-2.0
"""What the structured content of a success breaks (clause 14.4)."""

from __future__ import annotations

from isonomy.mcp.replies import Output


def test_a_property_of_the_name_that_the_whole_of_arguments_has() -> None:
    schema = {"properties": {"arguments": {"type": "integer"}, "zone": {"type": "string"}}}
    found = Output(schema, "tool").violations({"arguments": "x", "zone": 1})
    assert [(one["path"], one["rule"]) for one in found] == [
        ("arguments", "type"),
        ("zone", "type"),
    ]


def test_the_whole_is_in_order_with_its_parts() -> None:
    schema = {
        "maxProperties": 1,
        "properties": {"b": {"type": "integer"}, "s": {"type": "integer"}},
    }
    found = Output(schema, "tool").violations({"b": "x", "s": "x"})
    assert [one["path"] for one in found] == ["b", "result", "s"]
