# SPDX-License-Identifier: Apache-2.0
"""Runs requests one after another and writes a response line for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from isonomy.cli.reading import BadLine, Request
from isonomy.cli.streams import LineWriter
from isonomy.contract.call import ToolRequest
from isonomy.contract.error import Effect, ErrorKind, ToolError
from isonomy.contract.jsontext import write
from isonomy.contract.wire import error_tree


@dataclass(frozen=True)
class RunOptions:
    """How each request is run: options of `ToolExecutor.run`, deadlines in seconds."""

    parallel: int = 1
    deadline: float | None = None
    call_deadline: float | None = None
    fail_fast: bool = False


class Runner(Protocol):
    """A host that runs requests."""

    def run(self, request: ToolRequest, options: RunOptions) -> dict[str, Any]:
        """Run one request and return its response event, a tree (clause 8.3)."""
        ...


@dataclass
class Tally:
    """What a job has done so far."""

    requests: int = 0
    calls: int = 0
    succeeded: int = 0
    bad_lines: int = 0
    failed: Counter[str] = field(default_factory=Counter)

    def add(self, event: Mapping[str, Any]) -> None:
        """Count the records of one response event, a tree."""
        self.requests += 1
        for record in event["records"]:
            self.calls += 1
            error = record["response"].get("error")
            if error is None:
                self.succeeded += 1
            else:
                self.failed[error["kind"]] += 1

    def sentence(self) -> str:
        """Return what the job did, in one line."""
        text = f"{_counted(self.calls, 'call')} in {_counted(self.requests, 'request')}"
        text += f": {self.succeeded} succeeded, {self.failed.total()} failed"
        if self.failed:
            text += f" ({', '.join(f'{kind} {n}' for kind, n in self.failed.most_common())})"
        if self.bad_lines:
            text += f"; {_counted(self.bad_lines, 'bad line')}"
        return text


def run_job(
    requests: Iterable[Request | BadLine],
    runner: Runner,
    options: RunOptions,
    output: LineWriter,
    tally: Tally,
    *,
    on_bad_line: Callable[[BadLine], None],
    on_begin: Callable[[int], None],
    on_step: Callable[[], None],
) -> None:
    """Run each request when its turn comes and write its response before the next is read.

    A bad line gets a line too, in its place. An interrupt leaves whole lines, and no line for the
    request that it stopped (clause 8.9).

    Args:
        requests: What the lines hold.
        runner: Runs the calls.
        options: How each request is run.
        output: Takes the lines.
        tally: Is kept up to date.
        on_bad_line: Is told of each bad line.
        on_begin: Is told how many calls each request has, before they run.
        on_step: Is called after each line.
    """
    for request in requests:
        if isinstance(request, BadLine):
            tally.bad_lines += 1
            on_bad_line(request)
            output.write(write(_invalid(request)))
        else:
            on_begin(len(request.calls))
            event = runner.run(ToolRequest(tuple(request.calls), request.id), options)
            output.write(write(event))
            tally.add(event)
        on_step()


def _invalid(bad: BadLine) -> dict[str, Any]:
    error = ToolError(ErrorKind.INVALID_ARGUMENTS, bad.problem, Effect.NONE)
    return {"event": "invalid_request", "line": bad.line, "error": error_tree(error)}


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
