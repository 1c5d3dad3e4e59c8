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


@dataclass(frozen=True, slots=True)
class Case:
    """One way for a call to end, and what every host must give for it.

    `response` is an *expected response*, `events` the types of the call's execution events, `kind`
    what the metrics count it under (None: success). The tool has the name of the case.
    """

    name: str
    clause: str
    response: Any
    events: Sequence[str]
    kind: str | None
    is_control: bool


def outcomes() -> list[Case]:
    """Return the cases of the cells: success and failure, returned and raised."""
    return _read("outcomes.json")


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
    metrics = told["metrics"]
    name = told["id"].replace("-", "_")
    return Case(name, told["clause"], told["response"], told["events"], metrics["kind"], is_control)
