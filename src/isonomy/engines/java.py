# SPDX-License-Identifier: Apache-2.0
"""A Java host: batches go to a Java executor in a process of its own.

`dev.isonomy.host.Main` says which lines go there and back. The host's answers are the response
events of its own executor: nothing here maps, redacts or counts.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, Final, NamedTuple, Self, cast

from isonomy.bridge.classpath import Entry, resolve
from isonomy.bridge.locating import command as java_command
from isonomy.bridge.machine import JAR
from isonomy.bridge.reference import JavaMethod
from isonomy.bridge.unavailable import JavaUnavailable
from isonomy.contract.call import ToolRequest
from isonomy.contract.jsontext import parse, write
from isonomy.contract.misuse import IsonomyError, Misuse
from isonomy.contract.portable import decode, encode

_OPTIONS: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
"""A host that lives for one command: quick to start."""
_CLOSE_SECONDS: Final = 10
_KILL_SECONDS: Final = 6
"""MCP servers that end neither with their input nor when asked to take four."""


class HostLost(IsonomyError):  # noqa: N818 - named for what happened
    """The host's process ended before it had answered; its standard error may say why."""


class JavaSource(NamedTuple):
    """Tools of a class, or one method, as `java_tools` takes them; all, or `only` some by name."""

    reference: str | JavaMethod
    only: Sequence[str] | None = None

    def to_wire(self) -> dict[str, Any]:
        """Give the source as the host reads it."""
        named = self.reference
        target = {"target": named} if isinstance(named, str) else named.to_wire()
        return {"reference": target, "only": self.only}


class PythonSource(NamedTuple):
    """Tools of Python modules for a Java host, which runs them in worker processes of their own.

    `tools` are names of modules (`acme.prices`), or of single tools of them (`acme.prices#find`);
    `path` the folders to import them from before all others; `python` the interpreter.
    """

    tools: Sequence[str]
    path: Sequence[str]
    python: str
    workers: int = 1


@dataclass(frozen=True, kw_only=True)
class McpSettings:
    """An MCP server, with the arguments of `isonomy.mcp.mcp_server`; None is its own default.

    Values of `env` and `headers` may be secrets: no text of this object shows them.
    """

    name: str
    command: Sequence[str] | None = None
    url: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    timeout: float | None = None
    start_timeout: float | None = None
    max_reply: int | None = None
    tools: Sequence[str] | None = None

    def arguments(self) -> dict[str, Any]:
        """Give what is set, by the name of the argument."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def to_wire(self) -> dict[str, Any]:
        """Give the server as the host reads it."""
        told = self.arguments()
        for name in ("timeout", "start_timeout"):
            told[f"{name}_ms"] = _milliseconds(told.pop(name, None))
        return told


class SourceRefused(Misuse):
    """The host cannot use the MCP server at an index of its settings; it says why."""

    def __init__(self, refused: str, at: int) -> None:
        super().__init__(refused)
        #: The index.
        self.at = at


class Answer(NamedTuple):
    """What a host answers to a batch.

    `response` is the response event, a tree (clause 8.3). Where a report was asked for,
    `executions` are the execution events as trees (clause 9.1), and `metrics` counts the calls so
    far by tool and kind (None: success).
    """

    response: Any
    executions: Sequence[Any] = ()
    metrics: Mapping[tuple[str, str | None], int] = {}


class JavaHost:
    """A process with a Java executor. For one thread at a time.

    Args:
        java: Where the Java tools come from.
        classpath: As in `java_tools`.
        python: Where Python tools come from; each source has workers of its own.
        mcp: MCP servers, whose sessions the host begins itself.
        settings: Of the host: `inject`, `max_result_bytes`, `strict_values`, `max_threads`,
            `identity_key` (a text), `journal` (the file of a journal in SQLite that keeps the
            batches; its driver, org.xerial:sqlite-jdbc, is on the class path then).
        report: Whether answers have execution events and metrics.
        watch: Takes each execution event, a tree, while its batch runs.

    Raises:
        JavaUnavailable: There is no fitting Java, or no Java core.
        Misuse: The host refuses its tools or settings; it says why. Where that is about a server,
            it is a `SourceRefused`.
    """

    def __init__(
        self,
        java: Sequence[JavaSource],
        *,
        classpath: Entry | Iterable[Entry] = (),
        python: Sequence[PythonSource] = (),
        mcp: Sequence[McpSettings] = (),
        settings: Mapping[str, Any] | None = None,
        report: bool = False,
        watch: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        if not JAR.is_file():
            raise JavaUnavailable(f"the Java core {JAR} is not there; run `make jar` in a checkout")
        entries = os.pathsep.join([str(JAR), *resolve(classpath)])
        started = [java_command(), *_OPTIONS, "-cp", entries, "dev.isonomy.host.Main"]
        # Ctrl-C is the caller's: a session of its own keeps the terminal from sending it here too.
        self._process = subprocess.Popen(  # noqa: S603 - a command of our own making
            started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._watch = watch
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        try:
            told = {
                "java": [source.to_wire() for source in java],
                "python": [source._asdict() for source in python],
                "mcp": [source.to_wire() for source in mcp],
                "report": report,
                "watch": watch is not None,
                **(settings or {}),
            }
            answer = self._ask(encode(told))
        except BaseException:
            self.kill()
            raise
        if "ready" not in answer:
            self.close()
            if "source" in answer:
                raise SourceRefused(answer["refused"], answer["source"][1])
            raise Misuse(answer["refused"])

    def run(
        self,
        request: ToolRequest,
        *,
        parallel: int = 1,
        deadline: float | None = None,
        call_deadline: float | None = None,
        fail_fast: bool = False,
    ) -> Answer:
        """Run a batch there; the options are those of `ToolExecutor.run`.

        Raises:
            HostLost: The process ended meanwhile.
            Misuse: The host refuses the batch, and ends.
        """
        batch = {
            "request": write(request.to_wire()).decode(),
            "parallel": parallel,
            "deadline_ms": _milliseconds(deadline),
            "call_deadline_ms": _milliseconds(call_deadline),
            "fail_fast": fail_fast,
        }
        answer = self._ask(encode(batch))
        if "response" not in answer:
            raise Misuse(answer["refused"])
        return Answer(
            parse(answer["response"]),
            [parse(event) for event in answer.get("executions", ())],
            {(each["tool"], each["kind"]): each["count"] for each in answer.get("metrics", ())},
        )

    def _ask(self, line: bytes) -> Any:
        try:
            self._requests.write(line + b"\n")
            self._requests.flush()
        except BrokenPipeError:
            pass  # why, an answer may say
        while True:
            line = self._answers.readline()
            if not line.endswith(b"\n"):
                raise HostLost(f"the Java host ended (exit code {self._process.wait()})")
            answer = decode(line[:-1])
            if "execution" not in answer:
                return answer
            if self._watch is not None:
                self._watch(parse(answer["execution"]))

    def close(self) -> None:
        """End the host; one that does not end within ten seconds is killed."""
        with suppress(BrokenPipeError):  # it has ended
            self._requests.close()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def kill(self) -> None:
        """End the host at once, whatever it does, and what it has started."""
        self._process.terminate()  # it takes the MCP servers along
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_KILL_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A batch that was broken off would go on there.
        if kind is None:
            self.close()
        else:
            self.kill()


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else max(1, round(seconds * 1000))
