# SPDX-License-Identifier: Apache-2.0
"""Runs the cells of the matrix and looks at each from three sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple, cast

from isonomy.contract.call import ToolCall, ToolRequest
from isonomy.engines.java import Answer
from isonomy.matrix.cases import Case
from isonomy.matrix.comparing import differences
from isonomy.matrix.hosts import TOOLS_OF, Host, server_of

MODES: Final = ("sequential", "parallel")
_CALLS_OF_A_TOOL: Final = 2
_AMOUNT: Final = 7


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: where it ran, what was expected, and what was seen.

    `response` is what the records of the response event say, `events` what the execution events
    say, `metrics` what the calls were counted as: each in words, and the same as `expected` where
    all is well. `problems` says what is not, with the call and the place.
    """

    host: str
    tool: str
    outcome: str
    is_control: bool
    mode: str
    clause: str
    expected: str
    response: str
    events: str
    metrics: str
    calls: int
    problems: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether everything is as expected."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """Give the cell as a JSON object."""
        return asdict(self) | {"problems": list(self.problems), "agrees": self.agrees}


def cells(name: str, host: Host, cases: Sequence[Case]) -> Iterator[Cell]:
    """Run all cases in one host, tools of every language, in order and side by side."""
    counted: Mapping[tuple[str, str | None], int] = {}
    for language in TOOLS_OF:
        own = [case for case in cases if language in case.languages]
        found: dict[tuple[str, str], Cell] = {}
        for mode, together in _batches(own):
            places = _places(language, together)
            answer = _run(host, [tool for _, tools in places for tool in tools], mode)
            new = Counter(answer.metrics)
            new.subtract(counted)
            counted = answer.metrics
            for case, (first, tools) in zip(together, places, strict=True):
                seen = _Seen(first, tools, answer, +new)
                found[case.name, mode] = _cell(name, language, case, mode, seen)
        yield from (found[case.name, mode] for case in own for mode in MODES)


def _batches(cases: Sequence[Case]) -> Iterator[tuple[str, Sequence[Case]]]:
    """Give the cases of each batch: one, or all whose calls run side by side in one session."""
    for case in cases:
        yield "sequential", [case]
    sessions: dict[str, list[Case]] = {}
    for case in cases:
        sessions.setdefault(server_of(case) or case.name, []).append(case)
    for together in sessions.values():
        yield "parallel", together


def _places(language: str, cases: Sequence[Case]) -> list[tuple[int, Sequence[str]]]:
    """Give for each case where its calls begin in the batch, and their tools."""
    places: list[tuple[int, Sequence[str]]] = []
    first = 0
    for case in cases:
        tools = TOOLS_OF[language](case.name) * _CALLS_OF_A_TOOL
        places.append((first, tools))
        first += len(tools)
    return places


def _run(host: Host, tools: Sequence[str], mode: str) -> Answer:
    together = len(tools) if mode == "parallel" else 1
    arguments = {"amount": _AMOUNT, "together": together}
    calls = tuple(ToolCall(tool, arguments, f"call-{at}") for at, tool in enumerate(tools))
    return host.run(ToolRequest(calls, "matrix"), parallel=together)


class _Seen(NamedTuple):
    """What was seen of the calls of one cell, which are the `first` and those behind it."""

    first: int
    tools: Sequence[str]
    answer: Answer
    counted: Counter[tuple[str, str | None]]
    """What the metrics counted of the whole batch."""

    @property
    def records(self) -> Sequence[Any]:
        return cast(
            "Sequence[Any]",
            self.answer.response["records"][self.first : self.first + len(self.tools)],
        )

    def events(self, position: int) -> list[Any]:
        return [event for event in self.answer.executions if event["position"] == position]

    def metrics(self) -> Counter[tuple[str, str | None]]:
        """Give what was counted of these calls, and of those that nobody made."""
        others = {call["tool"] for call in self.answer.response["records"]} - set(self.tools)
        return Counter({key: n for key, n in self.counted.items() if key[0] not in others})


def _cell(host: str, language: str, case: Case, mode: str, seen: _Seen) -> Cell:
    problems: list[str] = []
    tools, records, counted = seen.tools, seen.records, seen.metrics()
    ends = [seen.events(seen.first + at) for at in range(len(tools))]
    if len(records) != len(tools):
        problems.append(f"there are {len(records)} records of {len(tools)} calls")
    for at, (tool, record) in enumerate(zip(tools, records, strict=False)):
        found = list(_faults_of_record(record, seen.first + at, tool))
        found += differences(record["response"], case.response, language)
        types = [event["type"] for event in ends[at]]
        if types != list(case.events):
            found.append(f"events are {types}, not {list(case.events)}")
        if ends[at] and ends[at][-1].get("kind") != case.kind:
            found.append(f"the last event has kind {ends[at][-1].get('kind')}, not {case.kind}")
        problems += [f"{tool}[{at}]: {fault}" for fault in found]
    wanted = Counter({(tool, case.kind): _CALLS_OF_A_TOOL for tool in tools})
    if counted != wanted:
        problems.append(f"metrics counted {dict(counted)}, not {dict(wanted)}")
    return Cell(
        host,
        language,
        case.name.replace("_", " "),
        case.is_control,
        mode,
        case.clause,
        _said([case.kind]),
        _said(_kind_of(record["response"]) for record in records),
        _said(events[-1].get("kind") if events else "nothing" for events in ends),
        _said(kind for _, kind in counted),
        len(tools),
        tuple(problems),
    )


def _faults_of_record(record: Mapping[str, Any], position: int, tool: str) -> Iterator[str]:
    wanted = {
        "position": position,
        "call_id": f"call-{position}",
        "tool": tool,
        "execution": "executed",
        "attempts": 1,
    }
    for name, value in wanted.items():
        if record.get(name) != value:
            yield f"record.{name} is {record.get(name)!r}, not {value!r}"
    if record.get("started_at") is None or record.get("duration_us") is None:
        yield "the record of an executed call has no times"


def _kind_of(response: Mapping[str, Any]) -> str | None:
    return None if response["status"] == "success" else str(response["error"]["kind"])


def _said(kinds: Any) -> str:
    """Return how calls ended: `success` or the kind of the failure; several where they differ."""
    words = {"success" if kind is None else kind for kind in kinds}
    return ", ".join(sorted(words)) or "nothing"
