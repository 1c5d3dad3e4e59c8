# SPDX-License-Identifier: Apache-2.0
"""The host's end of one connection to a worker.

No thread of its own reads: of the callers that wait, one does, and hands the others what is theirs.
A lone call so costs no change of threads.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from contextlib import suppress
from threading import get_ident
from typing import Final

from isonomy.bridge.workers.notices import log, report
from isonomy.bridge.workers.pending import Lost, Pending, Unsent
from isonomy.contract.frames import BrokenWireError, Frame, FrameBuffer, FrameType, header
from isonomy.contract.spinning import Spin

_APART: Final = 16_384
"""A payload that is longer is sent beside its header, not copied behind it."""
_CALL: Final = int(FrameType.CALL)
_OUTCOME: Final = int(FrameType.OUTCOME)
_ALL: Final = (0,)
_AT_ONCE: Final = (socket.MSG_DONTWAIT,)


def _reply_of(pending: Pending) -> bytes:
    if pending.reply is None:
        raise Lost
    return pending.reply


class Link:
    """Sends calls and waits for their outcomes, for any number of threads.

    Args:
        connected: The connection, after the handshake.
        buffer: What was read of it and not yet used.
    """

    def __init__(self, connected: socket.socket, buffer: FrameBuffer) -> None:
        connected.settimeout(None)
        self._socket = connected
        self._recv_into = connected.recv_into
        self._buffer = buffer
        self._next = buffer.next
        self._spin = Spin()
        self._sending = threading.Lock()
        self._state = threading.Lock()
        self._number = 0
        #: Calls whose cancellation is still to be sent.
        self._cancels: deque[Pending] = deque()
        self._pending: dict[int, Pending] = {}
        #: The thread that reads, or None.
        self._reader: int | None = None
        # What the last reading gave, and whether it is being used: a signal handler that raises
        # there leaves the stream in a state that nobody knows.
        self._got: list[int] = []
        self._torn = False
        #: Whether it has ended: no call can be sent, and none gets an outcome.
        self.over = False
        #: Whether that was for what came, or for what was left half done here.
        self.broken = False

    # Sending ------------------------------------------------------------------------------------

    def send(self, payload: bytes, pending: Pending) -> None:
        """Send a call.

        Raises:
            Unsent: No byte was written.
            Lost: The connection ended under way.
        """
        with self._sending:
            if self.over or pending.cancelled:
                raise Unsent
            pending.number = self._number = self._number + 1
            self._pending[pending.number] = pending
            try:
                self._write(pending, payload)
            except Unsent:
                with self._state:  # or what ends here would be told to it on its next connection
                    self._pending.pop(pending.number, None)
                pending.number, pending.lost = 0, False
                raise
        if self._cancels:
            self._send_cancels()

    def _write(self, pending: Pending, payload: bytes) -> None:
        head = header(_CALL, pending.number, len(payload))
        sent = 0
        whole = False
        try:
            if len(payload) < _APART:
                data = head + payload
                sent = self._socket.send(data)
            else:
                sent = self._socket.sendmsg((head, payload))
                data = b"" if sent == len(head) + len(payload) else head + payload
            if sent < len(data):
                self._socket.sendall(memoryview(data)[sent:])
            whole = True
        except OSError:
            self.end()
            whole = True
            raise (Lost if sent else Unsent) from None
        finally:
            if not whole:  # a signal handler raised in the midst of it
                self.broken = True
                self.end()

    def cancel(self, pending: Pending) -> None:
        """Tell the worker that nobody waits for a call; nothing where its outcome has come.

        Never waits for a worker that does not read: it is told with what is sent next (W4.4).
        """
        self._cancels.append(pending)
        self._send_cancels()

    def _send_cancels(self) -> None:
        # Where somebody else is sending, that thread comes by here when it has done so.
        while self._cancels and self._sending.acquire(blocking=False):
            try:
                if not self._cancel_first():
                    return
            finally:
                self._sending.release()

    def _cancel_first(self) -> bool:
        """Send the first cancellation; tell whether that did not have to wait."""
        pending = self._cancels[0]
        if pending.number in self._pending and not self.over:
            frame = header(FrameType.CANCEL, pending.number, 0)
            try:
                sent = self._socket.send(frame, socket.MSG_DONTWAIT)
                if sent < len(frame):
                    self._socket.sendall(frame[sent:])
            except BlockingIOError:
                return False
            except OSError:
                self.end()
        self._cancels.popleft()
        return True

    def close(self) -> None:
        """Tell the worker that no call comes any more; it ends once it has answered those it has.

        Not where a thread is in the midst of sending: such a worker is ended otherwise.
        """
        if self._sending.acquire(timeout=0.1):
            try:
                with suppress(OSError):
                    if not self.over:
                        self._socket.send(Frame(FrameType.CLOSE).to_bytes(), socket.MSG_DONTWAIT)
            finally:
                self._sending.release()

    # Waiting ------------------------------------------------------------------------------------

    def wait(self, pending: Pending) -> bytes:
        """Wait for the outcome of a call that was sent.

        Raises:
            Lost: The connection ended before.
            BaseException: What a signal handler raised; the wait may be taken up again, by any
                thread.
        """
        me = get_ident()
        with self._state:
            if pending.reply is not None:
                return pending.reply
            if self.over:
                raise Lost
            before = self._reader
            if before is None or before == me:
                self._reader = me
            else:
                pending.turn = threading.Lock()
                pending.turn.acquire()
        if pending.turn is not None:
            self._sleep(pending, pending.turn, me)
        elif before == me:  # called by a sink or a log handler that this very thread runs
            self._read(pending)
        else:
            self._lead(pending)
        return _reply_of(pending)

    def _sleep(self, pending: Pending, turn: threading.Lock, me: int) -> None:
        woken = False
        try:
            while pending.reply is None and not pending.lost and not pending.leads:
                turn.acquire()
            woken = True
        finally:
            with self._state:
                pending.turn = None
                leads, pending.leads = pending.leads, False
                if leads:
                    self._reader = me
            if leads and not woken:
                self._step_down()
        if leads:
            self._lead(pending)

    def _lead(self, pending: Pending) -> None:
        try:
            self._read(pending)
        finally:
            if (self._torn or self._got) and not self.over:
                self.broken = True
                self.end()  # a signal handler raised in the midst of it
            self._step_down()

    def _step_down(self) -> None:
        """Let another caller read that waits, if there is one."""
        with self._state:
            self._reader = None
            if not self._pending:
                return
            for other in list(self._pending.values()):
                if other.turn is not None:
                    other.leads = True
                    self._reader = -1  # nobody else takes it meanwhile
                    other.wake()
                    return

    def _read(self, pending: Pending) -> None:
        """Read until an outcome is there."""
        try:
            while pending.reply is None and not self.over:
                self._torn = True
                frame = self._next()
                if frame is None:
                    self._torn = False
                    self._receive()
                elif frame.type == _OUTCOME:
                    self._hand_over(frame)
                else:
                    self._torn = False
                    self._notice(frame)
            self._torn = False
        except BrokenWireError:
            self.broken = True
            self.end()
        except OSError:
            self.end()

    def _receive(self) -> None:
        got = self._got
        view = self._buffer.writable()
        spin = self._spin
        # In one step for signal handlers: either nothing was taken from the socket, or we know.
        if spin.begins() and len(self._pending) == 1:
            while not got and spin.goes_on():
                try:
                    got.extend(map(self._recv_into, (view,), _ALL, _AT_ONCE))
                except BlockingIOError:  # nothing there yet
                    continue
        if not got:
            got.extend(map(self._recv_into, (view,)))
        spin.came()
        count = got[0]
        self._buffer.received(count)
        got.clear()
        if not count:
            self.end()

    def _hand_over(self, frame: Frame) -> None:
        pending = self._pending.pop(frame.number, None)
        if pending is not None:
            with self._state:
                pending.reply = frame.payload
                pending.wake()

    def _notice(self, frame: Frame) -> None:
        if frame.type == FrameType.PROGRESS:
            pending = self._pending.get(frame.number)
            report(frame.payload, None if pending is None else pending.report)
        elif frame.type == FrameType.LOG:
            log(frame.payload)
        else:
            raise BrokenWireError(f"a frame of type {frame.type} where none may come")

    # The end ------------------------------------------------------------------------------------

    def end(self) -> None:
        """End the connection: whoever waits is told, and the worker ends too (W1.3)."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with self._state:
            if self._reader is not None and self._reader != get_ident() and not self.over:
                # What was sent before the end is still there to be read, by the one who reads.
                return
            self.over = True
            pending, self._pending = list(self._pending.values()), {}
            for each in pending:
                each.lost = True
                each.wake()

    def release(self) -> None:
        """Give the descriptor back, which may be that of another file from then on."""
        self._socket.close()

    def __del__(self) -> None:
        # Not before: another thread may be about to use the descriptor.
        self._socket.close()
