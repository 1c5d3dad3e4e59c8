# SPDX-License-Identifier: Apache-2.0
"""The sink boundary: events go to sinks, and nothing that a sink does comes back (clause 9.5)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Final

from isonomy.contract.events import Event, Notice, Sink
from isonomy.contract.foreign import in_main_thread
from isonomy.contract.misuse import Misuse

_log = logging.getLogger("isonomy.sinks")

QUEUE_LIMIT = 10_000

#: Where an interrupt keeps the event that was told in spite of it.
_TOLD: Final = "_isonomy_told"


def told_in_spite_of(interrupt: KeyboardInterrupt) -> Event | None:
    """The event during whose telling Ctrl-C came: every sink was told, it may have cost one its."""
    told: Event | None = vars(interrupt).get(_TOLD)
    return told


class Emitter:
    """Hands each event to every sink. Safe to use from several threads."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        if callable(getattr(sinks, "emit", None)) or not isinstance(sinks, Iterable):
            raise Misuse("sinks are given as a list, such as sinks=[MemorySink()]")
        sinks = tuple(sinks)
        for sink in sinks:
            if not callable(getattr(sink, "emit", None)):
                name = type(sink).__name__
                raise Misuse(f"a sink has a method emit(event), {name} has none; give it one")
        self._queues = [_Queued(sink, self) for sink in sinks if not _is_direct(sink)]
        self._sinks: tuple[Sink | _Queued, ...] = (
            *(sink for sink in sinks if _is_direct(sink)),
            *self._queues,
        )
        self._reported: set[tuple[int, type[BaseException]]] = set()

    def of(self, kind: type[Event]) -> Callable[[Event], None]:
        """Make the function that hands an event of one kind to every sink that takes it.

        It never raises what a sink raises. Every event of every call goes through it, so it is made
        for just these sinks: with two of them, as is common, a loop costs more than they.
        """
        sinks = tuple(sink for sink in self._sinks if _takes(sink, kind))
        emits = tuple(sink.emit for sink in sinks)
        if not sinks:
            return _nobody

        def go_on(position: int, raised: BaseException, event: Event) -> None:
            """Count what one sink did not take, and hand the event to those behind it."""
            interrupt = self._failed(sinks[position], raised, event)
            for later in range(position + 1, len(sinks)):
                try:
                    emits[later](event)
                except BaseException as another:  # noqa: BLE001 - a sink may raise anything (9.5)
                    interrupt = self._failed(sinks[later], another, event) or interrupt
            if interrupt is not None:
                vars(interrupt)[_TOLD] = event
                raise interrupt

        if len(sinks) == 2:
            first, second = emits

            def emit_two(event: Event) -> None:
                position = 0
                try:
                    first(event)
                    position = 1
                    second(event)
                except BaseException as raised:  # noqa: BLE001 - a sink may raise anything (9.5)
                    go_on(position, raised, event)

            return emit_two

        def emit_all(event: Event) -> None:
            position = 0
            try:
                for emit in emits:
                    emit(event)
                    position += 1
            except BaseException as raised:  # noqa: BLE001 - a sink may raise anything (9.5)
                go_on(position, raised, event)

        return emit_all

    def _failed(
        self, sink: object, raised: BaseException, event: Event
    ) -> KeyboardInterrupt | None:
        """Count an event that a sink did not take, or give the interrupt that came meanwhile."""
        if isinstance(raised, KeyboardInterrupt) and in_main_thread():
            return raised
        self.dropped(sink, raised, event)
        return None

    def dropped(self, sink: object, raised: BaseException | None, event: Event) -> None:
        """Count an event that ``sink`` did not take, and log the first of each kind."""
        reason = type(raised) if raised is not None else BufferError
        key = (id(sink), reason)
        if key not in self._reported:
            self._reported.add(key)
            # The type alone: the text may hold what the event held (clause 12.9).
            _log.warning(
                "sink %s lost an event: %s; further ones are counted, not logged",
                type(sink).__name__,
                f"it raised {reason.__name__}" if raised is not None else "its queue is full",
            )
        if not isinstance(event, Notice):
            self._count(Notice("dropped_event", sink=type(sink).__name__), sink)

    def _count(self, notice: Notice, but: object) -> None:
        for other in self._sinks:
            if other is not but and not (isinstance(other, _Queued) and other.sink is but):
                try:
                    other.emit(notice)
                except BaseException as raised:
                    if issubclass(type(raised), KeyboardInterrupt) and in_main_thread():
                        raise
                    _log.debug("a sink lost a notice: it raised %s", type(raised).__name__)

    def flush(self, timeout: float) -> bool:
        """Wait until queued sinks took what was emitted before; false if that took too long."""
        reached = [queue.flush(timeout) for queue in self._queues]
        return all(reached)

    def close(self, timeout: float) -> None:
        """Give queued sinks at most ``timeout`` seconds, in all, for what is left."""
        ends = time.monotonic() + timeout
        for queue in self._queues:
            queue.end()
        for queue in self._queues:
            queue.join(max(0.0, ends - time.monotonic()))

    def renew(self) -> None:
        """Start afresh in a process that was forked: what is queued is its parent's to tell."""
        for queue in self._queues:
            queue.renew()


def _takes(sink: Sink | _Queued, kind: type[Event]) -> bool:
    kinds = getattr(sink.sink if isinstance(sink, _Queued) else sink, "takes", None)
    return kinds is None or kind in kinds


def _nobody(event: Event) -> None:
    """Where there is no sink."""


def _is_direct(sink: Sink) -> bool:
    return getattr(sink, "direct", False) is True


class _Queued:
    """A sink behind a bounded queue and a daemon thread, so that it may block."""

    def __init__(self, sink: Sink, emitter: Emitter) -> None:
        self.sink = sink
        self._emitter = emitter
        self.renew()

    def renew(self) -> None:
        self._queue: SimpleQueue[Event | threading.Event | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def emit(self, event: Event) -> None:
        if self._queue.qsize() >= QUEUE_LIMIT:
            self._emitter.dropped(self.sink, None, event)
            return
        self._queue.put(event)
        if self._thread is None:
            self._start()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                name = f"isonomy-sink-{type(self.sink).__name__}"
                self._thread = threading.Thread(target=self._drain, name=name, daemon=True)
                self._thread.start()

    def _drain(self) -> None:
        while True:
            event = self._queue.get()
            if event is None:
                return
            if isinstance(event, threading.Event):
                event.set()
                continue
            try:
                self.sink.emit(event)
            except BaseException as raised:  # noqa: BLE001 - a sink may raise anything (9.5)
                self._emitter.dropped(self.sink, raised, event)

    def flush(self, timeout: float) -> bool:
        if self._thread is None:
            return True
        reached = threading.Event()
        self._queue.put(reached)
        return reached.wait(timeout)

    def end(self) -> None:
        if self._thread is not None:
            self._queue.put(None)

    def join(self, timeout: float) -> None:
        if self._thread is not None:
            self._thread.join(timeout)
