# SPDX-License-Identifier: Apache-2.0
"""What tools log goes to the host while a call runs, or is kept for the next one (W4.6)."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from isonomy.contract.frames import Frame, FrameType, fits
from isonomy.contract.jsontext import write
from isonomy.contract.outcome import Returned
from isonomy.contract.text import without_surrogates
from isonomy.tools import boundary
from isonomy.tools.tool import Invocation
from isonomy.worker.connection import Connection, tell

KEPT: Final = 1_000
"""Records that are kept while no call runs."""
LONGEST: Final = 32_768
"""Code points of a message that are sent."""
_LEVELS: Final = ((logging.ERROR, "error"), (logging.WARNING, "warning"), (logging.INFO, "info"))


class Logs(logging.Handler):
    """Sends log records at INFO and above.

    Args:
        connection: To the host.
        number: Gives the number of the call that the current code works for, or 0.
    """

    def __init__(self, connection: Connection, number: Callable[[], int]) -> None:
        super().__init__(logging.INFO)
        self._connection = connection
        self._number = number
        self._form = logging.Formatter("%(message)s")
        self._keeping = threading.Lock()
        #: The calls that run, by number; of those that are just being read, None.
        self.running: dict[int, Invocation | None] = {}
        #: What was logged while no call ran.
        self.kept: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._dropped = 0

    def install(self) -> None:
        """Listen to all loggers; what modules set up while they were imported stays."""
        root = logging.getLogger()
        root.addHandler(self)
        if root.level > logging.INFO:
            root.setLevel(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record, or keep it."""
        text = boundary.run(self._form.format, (), record)
        message = text.value if type(text) is Returned else "(a log record that cannot be written)"
        told = {
            "level": next((name for at, name in _LEVELS if record.levelno >= at), "debug"),
            "logger": without_surrogates(record.name),
            "message": without_surrogates(message[:LONGEST]),
        }
        if self._connection.forked:  # the wire is not this copy's
            tell(f"{told['level']} {told['logger']}: {told['message']}")
            return
        if self.running:
            self._send(self._number(), told)
            return
        with self._keeping:
            self._dropped += len(self.kept) == KEPT
            self.kept.append(told)

    def send_kept(self) -> None:
        """Send what was kept, as a call has come."""
        with self._keeping:
            kept, dropped = list(self.kept), self._dropped
            self.kept.clear()
            self._dropped = 0
        for at, told in enumerate(kept):
            self._send(0, told | {"dropped": dropped} if dropped and not at else told)

    def _send(self, number: int, told: dict[str, Any]) -> None:
        frame = Frame(FrameType.LOG, number, write(told))
        if fits(frame.payload, self._connection.limit):
            self._connection.send(frame)
