# SPDX-License-Identifier: Apache-2.0
"""Servers that are processes of ours and speak over their standard streams."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, cast

from isonomy.contract.error import ErrorKind
from isonomy.contract.outcome import Settled
from isonomy.mcp.connection import NOTICE, Connection, Ended, Unreachable
from isonomy.mcp.messages import Lines, notification, request
from isonomy.mcp.pending import Pending
from isonomy.mcp.replies import settled_by_mcp

_PASSED_ON: Final = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
"""What of our environment a server sees; anything else may be a secret."""
_CHUNK: Final = 65_536
_DRAIN: Final = 0.2
"""Seconds that what an ended server wrote has to arrive: a child of it may hold the pipe open."""
_LAST_WORDS: Final = 0.5
"""Seconds in which a server that does not read any more has to end, so that its end can be told."""
_GRACE: Final = 2.0
"""Seconds that a server has to end once its input has; then as much again after SIGTERM."""
_LOOK_UP_MS: Final = 50
_ANSWER: Final = 0.1
"""Seconds in which a server has to begin to read an answer."""


class StdioConnection(Connection):
    """A server's process, its input and its output.

    Args:
        name: The server's name, as a JSON string.
        command: The program and its arguments.
        env: Environment variables beside those that every server gets.
        cwd: Its working directory; ours where it is left out.
        cap: The most bytes of one line.
        changed: Called when the server says that its tools have changed.

    Raises:
        Unreachable: The process cannot be started.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None,
        cap: int,
        changed: Callable[[], object],
    ) -> None:
        super().__init__(name, cap, changed)
        if cwd is not None and not Path(cwd).is_dir():  # the platform would name the program
            raise Unreachable(f"its working directory {cwd} is no folder")
        passed_on = {each: os.environ[each] for each in _PASSED_ON if each in os.environ}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - what the application names
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env={**passed_on, **env},
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as refused:
            reason = getattr(refused, "strerror", None) or str(refused)
            raise Unreachable(f"{command[0]} cannot be started ({reason})") from None
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._input = self._stdin.fileno()
        self._output = self._stdout.fileno()
        os.set_blocking(self._input, False)
        self._sending = threading.Lock()
        self._reader = threading.Thread(target=self._read, name="isonomy-mcp-read", daemon=True)
        self._reader.start()
        self._watcher = threading.Thread(target=self._watch, name="isonomy-mcp-watch", daemon=True)
        self._watcher.start()

    # Sending ------------------------------------------------------------------------------------

    def notify(self, method: str, params: Mapping[str, Any], limit: float = NOTICE) -> None:
        """Send a notification; where the server does not read, nothing."""
        self._say(notification(method, params), limit)

    def _reply(self, message: bytes) -> None:
        # Not for long: the reader itself is the one that answers.
        self._say(message, _ANSWER)

    def _say(self, message: bytes, limit: float) -> None:
        last = time.monotonic() + limit
        if self._sending.acquire(timeout=limit):
            try:
                self._write(message + b"\n", lambda: time.monotonic() < last)
            finally:
                self._sending.release()

    def _send(self, number: int, method: str, params: Mapping[str, Any], pending: Pending) -> None:
        data = request(number, method, params) + b"\n"

        def wanted() -> bool:
            return not pending.abandoned and pending.ended is None

        while not self._sending.acquire(timeout=_LOOK_UP_MS / 1000):
            if not wanted():
                return
        try:
            sent = self._write(data, wanted)
        finally:
            self._sending.release()
        if not sent and wanted():
            self._watcher.join(_LAST_WORDS)  # which knows how the process ended
            raise Ended(self._how_it_ended())

    def _ask_to_be_told(self, pending: Pending, params: Mapping[str, Any]) -> None:
        with suppress(Ended):
            self._send(pending.number, "subscriptions/listen", params, pending)

    def _write(self, data: bytes, wanted: Callable[[], bool]) -> bool:
        """Write a line whole, or nothing of it where it is not wanted before the first byte."""
        left = memoryview(data)
        poll = select.poll()
        poll.register(self._input, select.POLLOUT)
        begun = False
        while left and (begun or wanted()) and not self.over:
            try:
                count = os.write(self._input, left)
            except BlockingIOError:
                poll.poll(_LOOK_UP_MS)
                continue
            except OSError:
                break
            left, begun = left[count:], True
        return begun

    # Receiving ----------------------------------------------------------------------------------

    def _read(self) -> None:
        lines = Lines(self.cap)
        while True:
            try:
                data = os.read(self._output, _CHUNK)
            except OSError:
                break
            if not data:
                break
            for line in lines.feed(data):
                self._take(line)
        # The end of the stream alone: it may have closed its output, and go on.
        if self._process.poll() is None:
            time.sleep(0.05)
        if self._process.poll() is None:
            self._end(self._broke)
            self._kill()

    def _watch(self) -> None:
        self._process.wait()
        self._reader.join(_DRAIN)
        self._end(self._ended)
        self._signal(signal.SIGKILL)  # what it left behind, which may hold the pipes
        self._close_input()
        self._reader.join()
        self._stdout.close()

    def _broke(self) -> Settled:
        return self._lost("the connection broke")

    def _ended(self) -> Settled:
        code = self._process.returncode
        if code < 0:
            name = signal.Signals(-code).name if -code in _SIGNALS else str(-code)
            return self._lost(f"signal {name}", {"signal": name})
        return self._lost(f"exit code {code}", {"exit_code": code})

    def _lost(self, how: str, details: dict[str, Any] | None = None) -> Settled:
        message = f"the MCP server {self.name} ended ({how})"
        return settled_by_mcp(ErrorKind.CONNECTION_LOST, message, details=details)

    # The end ------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the process: its input ends, then SIGTERM, then SIGKILL."""
        self._end(self._broke)
        self._close_input()
        for number in (None, signal.SIGTERM):
            if number is not None:
                self._signal(number)
            try:
                self._process.wait(_GRACE)
                break
            except subprocess.TimeoutExpired:
                continue
        self._kill()

    def _let_go(self) -> None:
        self._stdin.close()
        self._stdout.close()
        self._process.returncode = 0  # it is no child of this process, which has not to wait for it

    def _close_input(self) -> None:
        with self._sending, suppress(OSError):
            self._stdin.close()

    def _kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(OSError):
            os.killpg(self._process.pid, number)


_SIGNALS: Final = frozenset(map(int, signal.Signals))
