# SPDX-License-Identifier: Apache-2.0
"""Tools that give back what arguments they receive (spec/vectors/README.md, area `arguments`)."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

import pytest

from isonomy.contract.canonical import canonical
from isonomy.contract.error import ToolError
from isonomy.contract.misuse import Misuse
from isonomy.contract.portable import decode
from isonomy.tools.injection import Injected
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Tool
from tests.vectors import Case

HOST_VALUE = "t-1"


def matrix(title: str, limit: int = 10, note: str | None = None) -> dict[str, Any]:
    return {"title": title, "limit": limit, "note": note}


def texts(
    day: dt.date | None = None,
    id: uuid.UUID | None = None,  # noqa: A002 - the vectors name it
    amount: Decimal | None = None,
) -> dict[str, Any]:
    return {"day": day, "id": id, "amount": amount}


SIGNATURES: dict[str, Callable[..., Any]] = {"matrix": matrix, "texts": texts}


class Receiving:
    """A case's tool, the arguments of its call, and what the host injects."""

    def __init__(self, case: Case) -> None:
        names = host_names(case)
        self._names = names
        #: The values that the host has.
        self.host = dict.fromkeys(names.values(), HOST_VALUE)
        #: The values that the body must see.
        self.injected = dict.fromkeys(names, HOST_VALUE)
        #: The injected values that the body saw.
        self.seen: dict[str, Any] = {}
        self.arguments: Any = case.get("arguments")
        if "object" in case:
            self.arguments = decode(json.dumps(case["object"]))
        self.tool = self._tool(case)

    def _tool(self, case: Case) -> Tool:
        if "signature" in case:
            return as_tool(SIGNATURES[case["signature"]])

        def body(**arguments: Any) -> dict[str, Any]:
            self.seen.update({name: arguments.pop(name) for name in self.injected})
            return arguments

        return as_tool(_with_injected(body, self._names), name="body", schema=case["schema"])


def host_names(case: Case) -> dict[str, str]:
    """Give the host's names of a case's injected parameters."""
    given = case.get("injected", [])
    return dict(given) if isinstance(given, dict) else {name: name for name in given}


def check_misuse(case: Case) -> None:
    """Check that no tool can be made of a case."""
    case.get("arguments")
    assert case["misuse"] is True
    with pytest.raises(Misuse):
        Receiving(case)


def _with_injected(body: Callable[..., Any], names: dict[str, str]) -> Callable[..., Any]:
    """Give a function of the same body that declares injected parameters."""
    injected = list(names)
    parameters = "".join(f"{name}: marks[{name!r}], " for name in injected)
    given = "".join(f"{name}={name}, " for name in injected)
    marks = {name: Annotated[str, Injected(host)] for name, host in names.items()}
    scope = {"body": body, "marks": marks}
    star = "*, " if injected else ""
    exec(f"def made({star}{parameters}**rest): return body({given}**rest)", scope)
    made: Callable[..., Any] = scope["made"]  # type: ignore[assignment]
    return made


def check_received(case: Case, received: Any) -> None:
    """Check the arguments that a body received."""
    assert canonical(received) == canonical(decode(case["accepts"]))


def check_refused(case: Case, error: ToolError) -> None:
    """Check why arguments were refused."""
    if "internal" in case:
        assert (error.kind, error.effect) == ("internal", "none")
        assert (error.message, error.details) == (case["internal"], None)
        return
    expected = {"violations": case["violations"]}
    if "more" in case:
        expected["more"] = case["more"]
    assert (error.kind, error.effect) == ("invalid_arguments", "none")
    assert error.details == expected
    assert error.message == case["message"]
