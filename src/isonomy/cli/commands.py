# SPDX-License-Identifier: Apache-2.0
"""The commands and their options."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

import isonomy
from isonomy.bridge.machine import JAR
from isonomy.bridge.unavailable import JavaUnavailable
from isonomy.cli.config import load_config
from isonomy.cli.job import RunOptions, Tally, run_job
from isonomy.cli.listing import tools_json, tools_table
from isonomy.cli.progress import progress
from isonomy.cli.reading import BadLine, RequestReader
from isonomy.cli.streams import LineWriter, WriteFailed, is_same_file, own_stdin, own_stdout
from isonomy.cli.toolbox import load_tools, make_executor
from isonomy.contract.jsontext import write
from isonomy.contract.misuse import Misuse
from isonomy.runtime.executor import ToolExecutor

FAILED = 1
MISUSED = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

app = typer.Typer(
    name="isonomy", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration, isonomy.yaml.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"isonomy {isonomy.__version__}")
        raise typer.Exit


@app.callback()
def isonomy_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Run tool calls: one explicit response each, with the same meaning in Python and Java."""
    del version


@app.command()
def run(
    config: ConfigFile,
    calls: Annotated[
        str, typer.Argument(metavar="CALLS", help="Requests, one a line; - is stdin.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where the responses go; - is stdout.")
    ] = "-",
    parallel: Annotated[
        int | None, typer.Option(min=1, help="Calls of one request that run at once.")
    ] = None,
    deadline: Annotated[
        float | None, typer.Option(help="Seconds that one request may take.")
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Start no more calls of a request after a failure.")
    ] = False,
) -> None:
    """Run the calls in CALLS and write one response line for each request.

    Failed calls are data: the exit code is 0. It is 2 where a line holds no request; the other
    lines run all the same.
    """
    with _ends(), ExitStack() as opened:
        if deadline is not None and not 0 < deadline < float("inf"):
            raise Misuse(f"--deadline is a positive number of seconds, not {deadline:g}")
        settings = load_config(config)
        stdout = opened.enter_context(own_stdout())
        source = opened.enter_context(_source(calls))
        executor = opened.enter_context(make_executor(settings))
        writer = LineWriter(opened.enter_context(_target(output, stdout, source, config)))
        limits = settings.limits
        options = RunOptions(
            parallel=parallel or limits.parallel or 1,
            deadline=deadline or limits.deadline,
            call_deadline=limits.call_deadline,
            fail_fast=fail_fast,
        )
        name = "<stdin>" if calls == "-" else calls
        if not _run(executor, source, name, options, writer):
            raise typer.Exit(MISUSED)


def _run(
    executor: ToolExecutor, source: BinaryIO, name: str, options: RunOptions, writer: LineWriter
) -> bool:
    """Run the job, tell what it did, and return whether all lines were good."""
    reader, tally = RequestReader(source), Tally()
    information = os.fstat(source.fileno())
    size = information.st_size if stat.S_ISREG(information.st_mode) else None

    def tell(bad: BadLine) -> None:
        _say(f"{name}:{bad.line}: {bad.problem}")

    try:
        with progress(reader, tally, size) as step:
            run_job(reader, executor, options, writer, tally, on_bad_line=tell, on_step=step)
    except KeyboardInterrupt:
        _say(f"interrupted after {tally.sentence()}; the responses written are whole")
        raise typer.Exit(INTERRUPTED) from None
    _say(tally.sentence())
    return not tally.bad_lines


@app.command()
def tools(
    config: ConfigFile,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List the tools of a configuration."""
    with _ends(), own_stdout() as stdout:
        found = load_tools(load_config(config))
        writer = LineWriter(stdout)
        if as_json:
            writer.write(write(tools_json(found)))
        else:
            writer.write(tools_table(found, terminal=os.isatty(stdout)).encode())


@app.command()
def matrix(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Prove the contract here and now: the same calls in every host, language and order.

    Each cell runs calls that end as its name says, and compares the whole responses, the events
    and the metrics with what the contract's vectors say. The exit code is 1 where anything differs.
    """
    from isonomy.cli.matrix import matrix_json, matrix_table, run_matrix

    with _ends(), own_stdout() as stdout:
        try:
            found = list(run_matrix())
        except JavaUnavailable as missing:
            raise Misuse(f"the matrix needs Java: {missing}") from missing
        if as_json:
            LineWriter(stdout).write(write(matrix_json(found)))
        else:
            table = matrix_table(found, terminal=os.isatty(stdout))
            LineWriter(stdout).write(table.encode())
        if not all(cell.agrees for cell in found):
            raise typer.Exit(FAILED)


@app.command()
def jar() -> None:
    """Print where the Java core is, for javac and java."""
    with _ends(), own_stdout() as stdout:
        if not JAR.is_file():
            raise Misuse(f"{JAR} is not there; install a JDK and Maven and then isonomy again")
        LineWriter(stdout).write(str(JAR).encode())


@app.command()
def call(
    config: ConfigFile,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tool's name.")],
    arguments: Annotated[
        str, typer.Argument(metavar="[JSON]", help="The arguments, a JSON object.")
    ] = "",
) -> None:
    """Run one call and print its response as JSON; the exit code is 1 where it failed."""
    with _ends(), own_stdout() as stdout:
        settings = load_config(config)
        with make_executor(settings) as executor:
            response = executor.call(name, arguments, deadline=settings.limits.call_deadline)
        LineWriter(stdout).write(write(response.to_wire()))
        if not response.is_success:
            raise typer.Exit(FAILED)


@contextmanager
def _source(calls: str) -> Iterator[BinaryIO]:
    if calls == "-":
        with own_stdin() as stream:
            yield stream
        return
    with _opened(calls) as stream:
        yield stream


def _opened(calls: str) -> BinaryIO:
    try:
        return Path(calls).open("rb")
    except OSError as failed:
        raise Misuse(f"{calls}: cannot be read: {failed.strerror}") from failed


@contextmanager
def _target(output: str, stdout: int, source: BinaryIO, config: Path) -> Iterator[int]:
    """Open where the responses go, unless that would destroy what is being read."""
    try:
        flags = os.O_WRONLY | os.O_CREAT
        descriptor = os.dup(stdout) if output == "-" else os.open(output, flags, 0o666)
    except OSError as failed:
        raise Misuse(f"{output}: cannot be written: {failed.strerror}") from failed
    try:
        if is_same_file(descriptor, source.fileno()) or is_same_file(descriptor, config):
            raise Misuse(f"-o {output} is also read from; write the responses elsewhere")
        if output != "-" and stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.ftruncate(descriptor, 0)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _ends() -> Iterator[None]:
    """Turn what ends a command early into a sentence and an exit code."""
    try:
        yield
    except Misuse as misuse:
        _say(str(misuse))
        raise typer.Exit(MISUSED) from None
    except KeyboardInterrupt:
        _say("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise typer.Exit(BROKEN_PIPE) from None
    except WriteFailed as failed:
        _say(f"the output cannot be written: {failed}; the lines that are there are whole")
        raise typer.Exit(FAILED) from None


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
