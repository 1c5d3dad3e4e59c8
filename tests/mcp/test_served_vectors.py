# SPDX-License-Identifier: Apache-2.0
"""What our own server makes of responses (clauses 14.24 to 14.27)."""

from __future__ import annotations

from isonomy.contract.jsontext import parse, write
from isonomy.contract.response import ToolResponse
from isonomy.mcp.served import LATEST, Disclosure, served
from tests.expected import normal
from tests.vectors import Case, each


@each("mcp", where=lambda case: "serve" in case)
def test_served(case: Case) -> None:
    response = ToolResponse.from_wire(parse(case["serve"]))
    options = dict(case.get("options", {}))
    disclosure = Disclosure(options.pop("unexpected", "message"), options.pop("traces", False))
    result = served(
        response,
        disclosure,
        revision=options.pop("revision", LATEST),
        output_schema=case.get("output_schema") is not None,
    )
    assert options == {}
    case.get("back")  # is read by a host, and tested with it
    assert normal(write(result)) == normal(case["mcp"])
