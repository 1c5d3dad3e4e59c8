# SPDX-License-Identifier: Apache-2.0
"""What a worker tells while a call runs: progress and log records (W4.5, W4.6)."""

from __future__ import annotations

import logging
from typing import Final

from isonomy.bridge.workers.pending import Report
from isonomy.contract.frames import BrokenWireError
from isonomy.contract.handshake import fields, text
from isonomy.tools import boundary

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def report(payload: bytes, to: Report | None) -> None:
    """Pass a report of progress on; raises `BrokenWireError` for what is none."""
    told = fields(payload, "progress")
    progress, total, message = told.get("progress"), told.get("total"), told.get("message")
    if (
        type(progress) not in (int, float)
        or type(total) not in (int, float, type(None))
        or type(message) not in (str, type(None))
    ):
        raise BrokenWireError("a progress whose fields are none")
    if to is not None:
        to(progress, total, message)  # type: ignore[arg-type]  # just checked


def log(payload: bytes) -> None:
    """Log what a worker logged, under the same name; raises `BrokenWireError` for what is none."""
    told = fields(payload, "log")
    level, message = text(told, "level"), text(told, "message")
    logger = logging.getLogger(text(told, "logger"))
    dropped = told.get("dropped")
    if type(dropped) is int and dropped > 0:
        _say(logger, logging.WARNING, f"{dropped} earlier log records of a worker were dropped")
    _say(logger, _LEVELS.get(level, logging.INFO), message)


def _say(logger: logging.Logger, level: int, message: str) -> None:
    # A filter of the application may raise, and that is no affair of the call that waits.
    boundary.run(logger.log, (), level, "%s", message)
