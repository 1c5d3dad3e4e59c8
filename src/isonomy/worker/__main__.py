# SPDX-License-Identifier: Apache-2.0
"""`python -m isonomy.worker SOCKET`: started by a host, never by hand.

What a start needs is imported step by step, after the host has heard of the worker.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from isonomy import __version__
from isonomy.contract.frames import BrokenWireError, Frame, FrameType
from isonomy.contract.handshake import VERSIONS, Hello, Refused, Welcome, hello_frame, read_answer
from isonomy.worker.connection import Connection, tell
from isonomy.worker.ending import BROKEN, Vital, asked, end_with

UNLOADABLE = 1
"""The exit code of a worker whose tools cannot be loaded (W3.3)."""


def main(arguments: list[str]) -> int:
    """Serve one host until it closes; return the exit code."""
    if len(arguments) != 1:
        tell("usage: python -m isonomy.worker SOCKET (a host starts it)")
        return 2
    _leave_standard_streams()
    # A handler of our own and not SIG_IGN, which programs that tools start would inherit.
    signal.signal(signal.SIGINT, _unheard)
    host = asked()
    try:
        connection = Connection(arguments[0])
    except (ConnectionRefusedError, FileNotFoundError):
        return 0  # the host ended, or closed its workers, while this one started (W1.3)
    try:
        welcome = _shake_hands(connection)
    except BrokenWireError as broken:
        connection.give_up(str(broken))
    return _serve(connection, welcome, host)


def _leave_standard_streams() -> None:
    """Let what is printed go to the host's standard error, line by line (W1.2)."""
    os.dup2(2, 1)
    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a text stream


def _unheard(number: int, frame: Any) -> None:
    """Leave Ctrl-C to the host, which ends its workers as it sees fit."""


def _shake_hands(connection: Connection) -> Welcome:
    connection.send(hello_frame(Hello(VERSIONS, "python", __version__, os.getpid())))
    answer = read_answer(connection.receive())
    if isinstance(answer, Refused):
        tell(answer.message)
        end(BROKEN)
    connection.set_limit(answer.max_frame)
    return answer


def _serve(connection: Connection, welcome: Welcome, host: int | None) -> int:
    from isonomy.worker.serving import Server

    server = Server(connection)
    server.start()  # now, so that the end of the host is seen while modules are imported
    from isonomy.contract.jsontext import write
    from isonomy.worker.loading import Unloadable, describe, load

    gc.disable()  # what is imported stays: to look through it again and again is for nothing
    sys.path[:] = list(dict.fromkeys([*welcome.path, *sys.path]))
    loaded = load(welcome.tools)
    if isinstance(loaded, Unloadable):
        connection.send(Frame(FrameType.FAILED, 0, write(loaded.fields())))
        end(UNLOADABLE)
    gc.freeze()
    gc.enable()
    told = Frame(FrameType.READY, 0, write({"tools": [describe(tool) for tool in loaded]}))
    with Vital():
        server.serve(loaded, told, None if host is None else partial(end_with, host))
    return 0


def end(code: int) -> NoReturn:
    """End the process at once, whatever its threads do."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a tool's module may have closed it
            if stream is not None:
                stream.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
