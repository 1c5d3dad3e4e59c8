# SPDX-License-Identifier: Apache-2.0
"""Reads what the host sends and has it done, with no hand-over for what is done in no time.

One thread at a time reads: it leads. It runs the body of a call itself where that tool's last one
was quick, which saves the way to another thread and back; before any other body it lets the next
thread lead. A body that turns out slow is noticed by the main thread, which lets the next one lead
then, at the latest after 10 ms. So a cancellation and the end of the host are always seen.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from functools import partial

from isonomy.contract.frames import BrokenWireError, Frame, FrameType
from isonomy.worker.connection import Connection
from isonomy.worker.ending import Vital

TYPE_CHECKING = False
if TYPE_CHECKING:
    from isonomy.tools.tool import Tool
    from isonomy.worker.calls import Call, Calls

_CALL = int(FrameType.CALL)
_CANCEL = int(FrameType.CANCEL)
_TICK = 0.005
"""Seconds between two looks of the main thread while calls come."""
_QUIET_TICKS = 20
"""After so many looks without a call it sleeps until one comes."""
_SPARE = 64
"""Threads that stay when there is nothing to do for them."""


class Server:
    """Serves the host of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._calls: Calls | None = None
        self._lock = threading.Lock()
        self._parked: list[threading.Lock] = []
        #: Rises whenever another thread begins to lead.
        self._term = 0
        #: When the leading thread began with a body, in seconds of `time.monotonic()`, or 0.0.
        self._since = 0.0
        self._last = 0
        self._awake = threading.Event()
        self._sleeps = False
        self._closing = False

    def start(self) -> None:
        """Begin to read. Before `serve`, only the end of the connection may come."""
        self._begin(self._term)

    def serve(
        self, tools: Iterable[Tool], told: Frame, then: Callable[[], None] | None = None
    ) -> None:
        """Say that the tools are there, and serve until the host closes.

        For the main thread, in which no body ever runs: signals reach it, and it looks after the
        thread that leads.

        Args:
            tools: What there is to call.
            told: The frame that says so.
            then: What is to be done once it was sent.
        """
        from isonomy.worker.calls import Calls, number_here
        from isonomy.worker.logs import Logs

        logs = Logs(self._connection, number_here.get)
        logs.install()
        self._calls = Calls(self._connection, tools, logs)
        self._connection.send(told)
        if then is not None:
            then()
        while not self._closing:
            self._sleep()
            quiet = 0
            while quiet < _QUIET_TICKS and not self._closing:
                last = self._last
                time.sleep(_TICK)
                self._look()
                quiet = quiet + 1 if self._last == last and not self._since else 0
        while logs.running:
            time.sleep(_TICK)
        self._connection.finish()

    # The main thread ----------------------------------------------------------------------------

    def _sleep(self) -> None:
        self._awake.clear()
        self._sleeps = True
        # Whoever begins after this line wakes us; whoever did before is seen here.
        if not self._since and not self._closing:
            self._awake.wait()
        self._sleeps = False

    def _look(self) -> None:
        since = self._since
        if since and time.monotonic() - since > _TICK / 2:
            with self._lock:
                if self._since == since:
                    self._pass_on()

    # Threads that lead --------------------------------------------------------------------------

    def _begin(self, term: int) -> None:
        threading.Thread(
            target=self._live, args=(term,), name=f"isonomy-call-{term}", daemon=True
        ).start()

    def _live(self, term: int) -> None:
        mine = threading.Lock()
        mine.acquire()
        with Vital():
            while True:
                try:
                    self._lead(term)
                except BrokenWireError as broken:
                    self._connection.give_up(str(broken))
                with self._lock:
                    if len(self._parked) >= _SPARE:
                        return
                    self._parked.append(mine)
                mine.acquire()
                term = self._term

    def _pass_on(self) -> None:
        """Let the next thread lead; with the lock held."""
        self._term += 1
        self._since = 0.0
        if self._parked:
            self._parked.pop().release()
        else:
            self._begin(self._term)

    def _lead(self, term: int) -> None:
        """Read and serve until another thread leads."""
        receive = self._connection.receive
        while True:
            calls = self._calls
            frame = receive(idle=calls is not None and not calls.running)
            if frame.type == _CALL:
                call = self._accepted(frame)
                if call is None:
                    continue
                if self._runs_here(call, term):
                    continue
                return
            calls = self._calls  # there may have been none when the wait began
            if frame.type == _CANCEL and calls is not None:
                # It calls what bodies gave to be called then, which may take its time as they may.
                if self._quickly(partial(calls.cancel, frame.number), term):
                    continue
                return
            self._other(frame)

    def _runs_here(self, call: Call, term: int) -> bool:
        """Run a call; tell whether this thread still leads."""
        calls = self._calls
        if calls is None:
            raise BrokenWireError("a call before the tools were ready")
        if not call.quick:
            with self._lock:
                self._pass_on()
            calls.run(call)
            return False
        return self._quickly(partial(calls.run, call), term)

    def _quickly(self, work: Callable[[], None], term: int) -> bool:
        """Do what should take no time; tell whether this thread still leads."""
        self._since = time.monotonic()
        if self._sleeps:
            self._awake.set()
        work()
        with self._lock:
            if self._term != term:
                return False
            self._since = 0.0
        return True

    def _accepted(self, frame: Frame) -> Call | None:
        if self._calls is None or self._closing:
            raise BrokenWireError("a call where none may come")
        if frame.number <= self._last:
            raise BrokenWireError("the number of a call does not rise")
        self._last = frame.number
        return self._calls.read(frame)

    def _other(self, frame: Frame) -> None:
        if self._calls is not None and frame.type == FrameType.CLOSE and not self._closing:
            self._closing = True
            self._awake.set()
        else:
            raise BrokenWireError(f"a frame of type {frame.type} where none may come")
