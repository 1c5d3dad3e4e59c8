# SPDX-License-Identifier: Apache-2.0
"""The vectors of area `arguments`: every case through a real tool (clause 7)."""

import datetime as dt
import json
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest

from isonomy.contract.canonical import canonical, digest
from isonomy.contract.outcome import Returned, Settled
from isonomy.contract.portable import decode
from isonomy.tools.arguments import parse
from isonomy.tools.injection import Injected
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Invocation, Tool

FOLDER = Path(__file__).parents[2] / "spec" / "vectors" / "arguments"
FILES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
CASES = [case for file in FILES.values() for case in file["cases"]]
OURS = [case for case in CASES if "python" in case.get("only", ["python"])]

# Fields that say something for people, or that `test_files` looks at.
ASIDE = {"id", "clause", "note", "only"}
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


class Case(dict[str, Any]):
    """A case that knows which of its fields were looked at."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.unread = set(fields) - ASIDE

    def take(self, name: str, default: Any = None) -> Any:
        self.unread.discard(name)
        return self.get(name, default)


def test_files() -> None:
    assert len(CASES) > 200
    assert len({case["id"] for case in CASES}) == len(CASES)
    for file in FILES.values():
        assert set(file) == {"area", "about", "cases"}
        assert file["area"] == "arguments"
    for case in CASES:
        assert {"id", "clause"} <= set(case)
        assert case.get("only", ["python"]) in (["python"], ["java"])


@pytest.mark.parametrize("fields", OURS, ids=[case["id"] for case in OURS])
def test_case(fields: dict[str, Any]) -> None:
    case = Case(fields)
    injected = case.take("injected", [])
    seen: dict[str, Any] = {}
    tool = tool_of(case, injected, seen)
    arguments = case.take("arguments")
    if "object" in case:
        arguments = decode(json.dumps(case.take("object")))
    invocation = Invocation(arguments, dict.fromkeys(injected, HOST_VALUE))
    outcome = tool.invoke(invocation)
    if "accepts" in case:
        assert isinstance(outcome, Returned)
        assert canonical(outcome.value) == canonical(decode(case.take("accepts")))
        assert seen == dict.fromkeys(injected, HOST_VALUE)
    else:
        expected = {"violations": case.take("violations")}
        if "more" in case:
            expected["more"] = case.take("more")
        assert isinstance(outcome, Settled)
        assert (outcome.error.kind, outcome.error.effect) == ("invalid_arguments", "none")
        assert outcome.error.details == expected
        assert outcome.error.message == case.take("message")
    if "decoded" in case:
        assert list(invocation.decoded) == case.take("decoded")
    if "digest" in case:
        assert digest(parse(arguments)) == case.take("digest")
    assert case.unread == set()


def tool_of(case: Case, injected: list[str], seen: dict[str, Any]) -> Tool:
    """Give a tool with the schema or the signature of a case; its body gives what it receives."""
    if "signature" in case:
        return as_tool(SIGNATURES[case.take("signature")])

    def body(**arguments: Any) -> dict[str, Any]:
        seen.update({name: arguments.pop(name) for name in injected})
        return arguments

    return as_tool(with_injected(body, injected), name="body", schema=case.take("schema"))


def with_injected(body: Callable[..., Any], injected: list[str]) -> Callable[..., Any]:
    """Give a function of the same body that declares injected parameters."""
    parameters = "".join(f"{name}: text, " for name in injected)
    given = "".join(f"{name}={name}, " for name in injected)
    scope = {"body": body, "text": Annotated[str, Injected()]}
    star = "*, " if injected else ""
    exec(f"def made({star}{parameters}**rest): return body({given}**rest)", scope)
    made: Callable[..., Any] = scope["made"]  # type: ignore[assignment]
    return made
