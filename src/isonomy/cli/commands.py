# SPDX-License-Identifier: Apache-2.0
"""The commands and their options."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

import isonomy
from isonomy.bridge.machine import JAR
from isonomy.bridge.unavailable import JavaUnavailable
from isonomy.cli.codes import BROKEN_PIPE, FAILED, INTERRUPTED, MISUSED
from isonomy.cli.complaints import one_of
from isonomy.cli.config import load_config
from isonomy.cli.hosts import RUNNERS, HostLanguage
from isonomy.cli.inputs import Inputs
from isonomy.cli.job import Runner, RunOptions, Tally, run_job
from isonomy.cli.listing import tools_json, tools_table
from isonomy.cli.progress import Underway, is_shown, progress
from isonomy.cli.reading import BadLine, ReadFailed, RequestReader
from isonomy.cli.standard import tell
from isonomy.cli.streams import LineWriter, WriteFailed, own_stdin, own_stdout
from isonomy.cli.toolbox import class_path, load_tools, make_executor
from isonomy.contract.error import ErrorKind, Unexpected
from isonomy.contract.jsontext import parse, write
from isonomy.contract.misuse import Misuse
from isonomy.contract.tagged import PortableError
from isonomy.engines.java import HostLost

app = typer.Typer(
    name="isonomy", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration, isonomy.yaml.")]
Seconds = float | None


class Disclose(StrEnum):
    """What clients see of an exception that no tool declared (clause 14.27)."""

    TYPE = "type"
    MESSAGE = "message"
    TRACE = "trace"


def _print_version(wanted: bool) -> None:
    if wanted:
        with _ends(), own_stdout() as stdout:
            LineWriter(stdout).write(f"isonomy {isonomy.__version__}".encode())
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
    deadline: Annotated[Seconds, typer.Option(help="Seconds that one request may take.")] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Start no more calls of a request after a failure.")
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 where a call failed.")
    ] = False,
    host: Annotated[
        HostLanguage, typer.Option(help="The language of the executor that runs the calls.")
    ] = HostLanguage.PYTHON,
) -> None:
    """Run the calls in CALLS and write one response line for each request.

    Failed calls are data: the exit code is 0, unless --exit-code asks for 1. It is 2 where a line
    holds no request; the other lines run all the same.
    """
    with _ends(), ExitStack() as opened:
        _check_seconds(deadline)
        settings = load_config(config)
        stdout = opened.enter_context(own_stdout(needed=output == "-"))
        source = opened.enter_context(_source(calls))
        underway = Underway()
        watch = underway.take if is_shown() else None
        runner = opened.enter_context(RUNNERS[host](settings, watch))
        inputs = Inputs([config, source.fileno()], class_path(settings))
        writer = LineWriter(opened.enter_context(_target(output, stdout, inputs)))
        limits = settings.limits
        options = RunOptions(
            parallel=parallel or limits.parallel or 1,
            deadline=deadline or limits.deadline,
            call_deadline=limits.call_deadline,
            fail_fast=fail_fast,
        )
        name = "<stdin>" if calls == "-" else calls
        tally = _run(runner, source, name, options, writer, underway)
        if tally.bad_lines:
            raise typer.Exit(MISUSED)
        if exit_code and tally.failed:
            raise typer.Exit(FAILED)


def _run(
    runner: Runner,
    source: BinaryIO,
    name: str,
    options: RunOptions,
    writer: LineWriter,
    underway: Underway,
) -> Tally:
    """Run the job, tell what it did, and return it."""
    reader, tally = RequestReader(source), Tally()
    information = os.fstat(source.fileno())
    size = information.st_size if stat.S_ISREG(information.st_mode) else None

    def tell_bad(bad: BadLine) -> None:
        tell(f"{name}:{bad.line}: {bad.problem}")

    try:
        with progress(reader, tally, size, underway) as step:
            run_job(
                reader,
                runner,
                options,
                writer,
                tally,
                on_bad_line=tell_bad,
                on_begin=underway.begin,
                on_step=step,
            )
    except KeyboardInterrupt:
        tell(f"interrupted after {tally.sentence()}; the responses written are whole")
        raise typer.Exit(INTERRUPTED) from None
    except ReadFailed as failed:
        tell(f"{name}: cannot be read: {failed}; stopped after {tally.sentence()}")
        raise typer.Exit(FAILED) from None
    except HostLost as lost:
        tell(f"{lost}; stopped after {tally.sentence()}")
        raise typer.Exit(FAILED) from None
    tell(tally.sentence())
    return tally


@app.command()
def serve(
    config: ConfigFile,
    http: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve by HTTP, at /mcp; HOST is this machine."),
    ] = None,
    token_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The variable with the token that clients have to send."),
    ] = None,
    disclose: Annotated[
        Disclose, typer.Option(help="What clients see of an exception that no tool declared.")
    ] = Disclose.TYPE,
) -> None:
    """Serve the tools of CONFIG as an MCP server, by stdin and stdout, or by HTTP."""
    from isonomy.cli.listening import by_http
    from isonomy.cli.serve import by_streams, serve_tools
    from isonomy.mcp.served import Disclosure

    with _ends(), ExitStack() as opened:
        settings = load_config(config)
        if http is None and token_env is not None:
            raise Misuse("--token-env is for --http; who starts a server of streams needs no token")
        stdout = opened.enter_context(own_stdout(needed=http is None))
        if http is None:
            stdin = opened.enter_context(own_stdin())
            way = by_streams(stdin.fileno(), stdout)
        else:
            way = opened.enter_context(by_http(settings, http, token_env))
        unexpected: Unexpected = "type" if disclose is Disclose.TYPE else "message"
        told = Disclosure(unexpected, traces=disclose is Disclose.TRACE)
        if serve_tools(settings, told, way):
            raise KeyboardInterrupt


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
    deadline: Annotated[Seconds, typer.Option(help="Seconds that the call may take.")] = None,
) -> None:
    """Run one call and print its response as JSON; the exit code is 1 where it failed."""
    with _ends(), own_stdout() as stdout:
        _check_seconds(deadline)
        if arguments.strip() == "-":
            raise Misuse('call reads no stdin; give the arguments as JSON, such as "$(cat FILE)"')
        settings = load_config(config)
        with make_executor(settings) as executor:
            seconds = deadline or settings.limits.call_deadline
            response = executor.call(name, arguments, deadline=seconds)
        LineWriter(stdout).write(write(response.to_wire()))
        error = response.error
        if error is None:
            return
        if error.kind is ErrorKind.NOT_FOUND:
            tell(f'{config} has no tool "{name}"; {one_of(name, [t.name for t in executor.tools])}')
        elif error.kind is ErrorKind.INVALID_ARGUMENTS:
            _tell_where_broken(arguments)
        raise typer.Exit(FAILED)


def _tell_where_broken(arguments: str) -> None:
    """Tell where JSON text is broken, which the response does not say (clause 7.9)."""
    try:
        parse(arguments or "null")
    except PortableError as refused:
        remedy = ""
        if '"' not in arguments:  # a shell takes away quotes that have none around them
            remedy = "; put them in quotes for the shell, such as '{\"a\": 1}'"
        tell(f"the arguments are {refused.message}{remedy}")


def _check_seconds(deadline: Seconds) -> None:
    if deadline is not None and not 0 < deadline < float("inf"):
        raise Misuse(f"--deadline is a positive number of seconds, not {deadline:g}")


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
        return open(calls, "rb")  # noqa: PTH123 - Path("") is the folder
    except OSError as failed:
        raise Misuse(f"{_shown(calls)}: cannot be read: {failed.strerror}") from failed


def _shown(path: str) -> str:
    return path or "''"


@contextmanager
def _target(output: str, stdout: int, inputs: Inputs) -> Iterator[int]:
    """Open where the responses go, unless that would destroy what is being read."""
    try:
        flags = os.O_WRONLY | os.O_CREAT
        descriptor = os.dup(stdout) if output == "-" else os.open(output, flags, 0o666)
    except OSError as failed:
        folder = Path(output).parent
        if failed.errno == errno.ENOENT and not folder.exists():
            raise Misuse(f"{output}: there is no folder {folder}; make it first") from failed
        raise Misuse(f"{_shown(output)}: cannot be written: {failed.strerror}") from failed
    try:
        if inputs.hold(descriptor):
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
        tell(str(misuse))
        raise typer.Exit(MISUSED) from None
    except KeyboardInterrupt:
        tell("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise typer.Exit(BROKEN_PIPE) from None
    except WriteFailed as failed:
        tell(f"the output cannot be written: {failed}; the lines that are there are whole")
        raise typer.Exit(FAILED) from None
