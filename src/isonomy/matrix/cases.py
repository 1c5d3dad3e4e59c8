# SPDX-License-Identifier: Apache-2.0
"""What the matrix expects: the vectors of the area `matrix`, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from isonomy.contract.jsontext import parse
from isonomy.contract.misuse import Misuse

_HERE: Final = Path(__file__).parent
_PLACES: Final = (_HERE / "_vectors", _HERE.parents[2] / "spec" / "vectors" / "matrix")
"""Where the vectors are in an installed package, and in a checkout."""
_CONTROLS: Final = "controls.json"
_LANGUAGES: Final = ("python", "java")
"""Of tools that are there in every language."""


@dataclass(frozen=True, slots=True)
class Case:
    """One way for a call to end, and what every host must give for it.

    `response` is an *expected response*, `events` the types of the call's execution events, `kind`
    what the metrics count it under (None: success). The tool has the name of the case, and is there
    in each of the `languages`.
    """

    name: str
    clause: str
    response: Any
    events: Sequence[str]
    kind: str | None
    is_control: bool
    languages: Sequence[str]


def outcomes() -> list[Case]:
    """Return the cases of the cells: success and failure, returned, raised, of MCP servers."""
    return [*_read("outcomes.json"), *_read("mcp.json")]


def controls() -> list[Case]:
    """Return the negative controls: payloads that look like something else."""
    return _read(_CONTROLS)


def _read(name: str) -> list[Case]:
    for place in _PLACES:
        if (place / name).is_file():
            told = parse((place / name).read_bytes())
            return [_case(each, name == _CONTROLS) for each in told["cases"]]
    raise Misuse(f"the vectors {name} of the matrix are not there; install isonomy again")


def _case(told: dict[str, Any], is_control: bool) -> Case:
    return Case(
        name=told["id"].replace("-", "_"),
        clause=told["clause"],
        response=told["response"],
        events=told["events"],
        kind=told["metrics"]["kind"],
        is_control=is_control,
        languages=[told["language"]] if "language" in told else _LANGUAGES,
    )
