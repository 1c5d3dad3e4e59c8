# SPDX-License-Identifier: Apache-2.0
"""The start of a worker, from its program to the tools that it has (W1.1, W3)."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Final, NoReturn

from isonomy.bridge.workers.link import Link
from isonomy.bridge.workers.notices import log
from isonomy.bridge.workers.process import WorkerProcess, end_of, kill
from isonomy.bridge.workers.spawning import NOT_STARTED, SPAWNER, WITH_HOST
from isonomy.bridge.workers.unavailable import WorkerUnavailable
from isonomy.contract.frames import BrokenWireError, Frame, FrameBuffer, FrameType
from isonomy.contract.handshake import (
    Refused,
    Welcome,
    agreed,
    answer_frame,
    fields,
    read_hello,
    text,
)

CONNECT_TIMEOUT: Final = 10.0
"""Seconds in which a worker connects (W1.1)."""
_LOOK: Final = 0.02
"""Seconds between two looks at a process that may have ended instead."""
_PROBE_TIMEOUT: Final = 10.0
_LONGEST_PATH: Final = 90
"""Bytes of the path of a socket that every system takes."""
_NO_PROGRAM: Final = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR)


@dataclass(frozen=True)
class Program:
    """What is started as a worker.

    Args:
        who: The program in words, for messages.
        command: The command, to which the path of the socket is added.
        probe: A command that fails for the reason for which the worker did not begin, and says so
            on its standard error.
        probe_tells_all: Whether all that the probe says is the reason; else its last line is.
        tools: The names of what it loads.
        path: Folders that it imports from before others.
        environment: All its environment variables; None for those of this process.
        folder: Its working directory; None for that of this process.
        timeout: Seconds that it has from its start until it is ready.
        max_frame: Bytes that a frame may have.
    """

    who: str
    command: Sequence[str]
    probe: Sequence[str]
    tools: Sequence[str]
    probe_tells_all: bool = False
    path: Sequence[str] = ()
    environment: Mapping[str, str] | None = None
    folder: str | None = None
    timeout: float = 30.0
    max_frame: int = 64 * 1024 * 1024

    @property
    def what(self) -> str:
        """The worker in words."""
        return f"the worker of {self.who} for {', '.join(self.tools)}"

    def start(self, begun: Callable[[subprocess.Popen[bytes]], None]) -> WorkerProcess:
        """Start a worker and wait until it is ready.

        Args:
            begun: Is given the process as soon as there is one; what kills it ends the start.

        Raises:
            WorkerUnavailable: It cannot be started, or not in time.
        """
        return _Start(self, begun).run()


class _Start:
    def __init__(self, program: Program, begun: Callable[[subprocess.Popen[bytes]], None]) -> None:
        self._program = program
        self._begun = begun
        self._ends = time.monotonic() + program.timeout
        self._what = program.what

    def run(self) -> WorkerProcess:
        try:
            return self._run()
        except OSError as failed:  # no descriptor is left, say, or no place for a socket
            raise self._unstarted(failed.strerror or str(failed)) from None

    def _run(self) -> WorkerProcess:
        with _listening() as (listener, path):
            process = self._process(path)
            self._begun(process)
            connected: socket.socket | None = None
            ready = False
            try:
                connected = self._accept(listener, process)
                Path(path).unlink(missing_ok=True)
                worker = self._shake_hands(connected, process)
                ready = True
                return worker
            finally:
                if not ready:
                    kill(process)
                    process.wait()
                    if connected is not None:
                        connected.close()

    def _process(self, path: str) -> subprocess.Popen[bytes]:
        program = self._program
        try:
            return SPAWNER.start(lambda: self._popen(path))
        except NOT_STARTED as failed:
            folder = program.folder
            if folder is not None and not Path(folder).is_dir():
                raise self._unstarted(f"its working directory {folder} is no folder") from None
            if not isinstance(failed, OSError):
                raise self._unstarted(f"{type(failed).__name__}: {failed}") from None
            remedy = "; name another program" if failed.errno in _NO_PROGRAM else ""
            raise self._unstarted(f"{program.command[0]}: {failed.strerror}{remedy}") from None

    def _unstarted(self, why: str) -> WorkerUnavailable:
        return WorkerUnavailable(f"{self._what} cannot be started: {why}")

    def _popen(self, path: str) -> subprocess.Popen[bytes]:
        environment = self._program.environment
        given = os.environ if environment is None else environment
        # Where we had none from the start, what has its number is a file of somebody else's (W1.2).
        standard_error = 2 if sys.__stderr__ is not None else subprocess.DEVNULL
        return subprocess.Popen(  # noqa: S603 - what the application names
            [*self._program.command, path],
            stdin=subprocess.DEVNULL,
            stdout=standard_error,
            stderr=standard_error,
            cwd=self._program.folder,
            env={**given, WITH_HOST: str(os.getpid())},
            # Ctrl-C in a terminal is for the host, which ends its workers as it sees fit; and
            # what tools start can be killed with them.
            start_new_session=True,
        )

    def _accept(self, listener: socket.socket, process: subprocess.Popen[bytes]) -> socket.socket:
        ends = min(self._ends, time.monotonic() + CONNECT_TIMEOUT)
        listener.settimeout(_LOOK)
        while True:
            try:
                connected, _ = listener.accept()
            except TimeoutError:
                if process.poll() is not None:
                    self._never_began(process)
                if time.monotonic() > ends:
                    raise WorkerUnavailable(f"{self._what} did not connect in time") from None
                continue
            return connected

    def _never_began(self, process: subprocess.Popen[bytes]) -> NoReturn:
        how, _ = end_of(process)
        why = _reason(self._program)
        raise WorkerUnavailable(
            f"{self._what} ended before it began ({how}){': ' if why else ''}{why}"
        )

    # The handshake ------------------------------------------------------------------------------

    def _shake_hands(
        self, connected: socket.socket, process: subprocess.Popen[bytes]
    ) -> WorkerProcess:
        program = self._program
        buffer = FrameBuffer()
        try:
            hello = read_hello(self._expect(connected, buffer, process, FrameType.HELLO).payload)
            version = agreed(hello)
            if isinstance(version, Refused):
                connected.sendall(answer_frame(version).to_bytes())
                raise WorkerUnavailable(f"{self._what} cannot be used: {version.message}")
            welcome = Welcome(version, program.max_frame, program.tools, program.path)
            connected.sendall(answer_frame(welcome).to_bytes())
            buffer.limit = program.max_frame
            told = self._expect(connected, buffer, process, FrameType.READY, FrameType.FAILED)
            if told.type == FrameType.FAILED:
                self._failed(told)
            tools = _tools(told)
        except BrokenWireError as broken:
            raise WorkerUnavailable(f"{self._what} does not speak as a worker: {broken}") from None
        except TimeoutError:
            raise WorkerUnavailable(
                f"{self._what} was not ready within {program.timeout:g} seconds; see what it does"
                " while it is imported, or raise start_timeout"
            ) from None
        except OSError as failed:
            raise WorkerUnavailable(
                f"{self._what} broke the connection: {failed.strerror}"
            ) from None
        return WorkerProcess(process, Link(connected, buffer), tools)

    def _failed(self, frame: Frame) -> NoReturn:
        told = fields(frame.payload, "failed")
        unavailable = WorkerUnavailable(f"{self._what} is not ready: {text(told, 'message')}")
        trace = told.get("trace")
        if isinstance(trace, str):
            unavailable.add_note(trace)
        raise unavailable

    def _expect(
        self,
        connected: socket.socket,
        buffer: FrameBuffer,
        process: subprocess.Popen[bytes],
        *types: FrameType,
    ) -> Frame:
        """Read the next frame, which must be of one of these types; log records may come before.

        Raises:
            TimeoutError: The time is over.
        """
        while True:
            frame = buffer.next()
            if frame is None:
                self._receive(connected, buffer, process)
            elif frame.type == FrameType.LOG and FrameType.READY in types:
                log(frame.payload)
            elif frame.type in types:
                return frame
            else:
                raise BrokenWireError(f"a frame of type {frame.type} where none may come")

    def _receive(
        self, connected: socket.socket, buffer: FrameBuffer, process: subprocess.Popen[bytes]
    ) -> None:
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connected.settimeout(min(left, _LOOK * 10))
        try:
            count = connected.recv_into(buffer.writable())
        except TimeoutError:
            # A child that it forked may keep the connection open.
            if process.poll() is not None:
                self._ended_early(process)
            return
        if not count:
            self._ended_early(process)
        buffer.received(count)

    def _ended_early(self, process: subprocess.Popen[bytes]) -> NoReturn:
        try:
            process.wait(_LOOK * 10)
        except subprocess.TimeoutExpired:
            raise WorkerUnavailable(f"{self._what} closed its connection at its start") from None
        raise WorkerUnavailable(f"{self._what} ended at its start ({end_of(process)[0]})")


def _tools(ready: Frame) -> list[Mapping[str, Any]]:
    """Read the descriptions of a worker's tools (W3.4)."""
    tools = fields(ready.payload, "ready").get("tools")
    if not isinstance(tools, list) or not all(map(_is_description, tools)):
        raise BrokenWireError("a ready without its tools")
    return tools


def _is_description(told: Any) -> bool:
    if not isinstance(told, dict):
        return False
    injected = told.get("injected")
    return (
        all(isinstance(told.get(name), str) for name in ("name", "description"))
        and isinstance(told.get("input_schema"), dict)
        and isinstance(injected, dict)
        and all(
            isinstance(mark, dict)
            and isinstance(mark.get("name"), str)
            and isinstance(mark.get("identity"), bool)
            for mark in injected.values()
        )
        and isinstance(told.get("version"), str | NoneType)
        and all(type(told.get(key)) in (int, NoneType) for key in ("max_parallel", "deadline_ms"))
        and isinstance(told.get("wants_context"), bool)
    )


def _reason(program: Program) -> str:
    """Ask why a program does not begin: what its probe says of that."""
    try:
        probed = subprocess.run(  # noqa: S603 - of what was started just now
            program.probe,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=program.folder,
            env=program.environment,
            timeout=_PROBE_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = (probed.stderr or probed.stdout).decode(errors="replace")
    lines = [line.strip() for line in said.split("\n") if line.strip()]
    return " ".join(lines if program.probe_tells_all else lines[-1:])


@contextmanager
def _listening() -> Iterator[tuple[socket.socket, str]]:
    """Listen at a path in a folder that only this user may enter (W1.1)."""
    folder = tempfile.mkdtemp(prefix="isonomy-")
    if len(os.fsencode(folder)) > _LONGEST_PATH:
        Path(folder).rmdir()
        folder = tempfile.mkdtemp(prefix="isonomy-", dir="/tmp")
    path = str(Path(folder, "s"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        try:
            listener.bind(path)
            listener.listen(1)
            yield listener, path
        finally:
            with suppress(OSError):  # of a folder for such, which somebody may have cleared
                Path(path).unlink(missing_ok=True)
                Path(folder).rmdir()
