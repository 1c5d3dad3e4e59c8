# SPDX-License-Identifier: Apache-2.0
"""The process's own streams: kept from tools, written in whole lines."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import BinaryIO

from isonomy.cli.standard import flush, is_missing
from isonomy.contract.misuse import Misuse


class WriteFailed(Exception):  # noqa: N818 - named for what happened, like ToolFailed
    """Raised where a line cannot be written, unless because nobody reads it any more."""


@contextmanager
def own_stdout(*, needed: bool = True) -> Iterator[int]:
    """Yield a descriptor of stdout, and meanwhile send what anything else prints to stderr.

    It is done to the descriptor, not only to `sys.stdout`, so that it holds for the JVM, for C code
    and for child processes too. Where it is `needed` and closed, that is misuse, before calls run
    whose responses would be lost.
    """
    if needed and is_missing("stdout"):
        raise Misuse("stdout is closed, and the output goes there; redirect it to a file")
    flush("stdout", 1)
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield kept
    finally:
        # What tools have printed and stderr does not take must not come out among the responses.
        if flush("stdout", 1):
            os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def own_stdin() -> Iterator[BinaryIO]:
    """Yield stdin, and meanwhile leave an empty one to anything else that reads."""
    if is_missing("stdin"):
        raise Misuse("stdin is closed, and the calls come from there; name a file of calls")
    kept = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        with os.fdopen(kept, "rb", closefd=False) as stream:
            yield stream
    finally:
        os.dup2(kept, 0)
        os.close(kept)


class LineWriter:
    """Writes whole lines to a descriptor, each at once.

    An interrupt (Ctrl-C) that comes while a line is written is raised after the line; a second one
    is raised at once. Where a regular file takes only a part of a line, the part is removed again.
    To be used from the main thread, which alone may set signal handlers.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, line: bytes) -> None:
        """Write one line, which gets its line feed here.

        Raises:
            BrokenPipeError: Nobody reads any more.
            WriteFailed: It could not be written for another reason.
        """
        with _interrupts_held():
            try:
                self._write(line + b"\n")
            except BrokenPipeError:
                raise
            except OSError as failed:
                raise WriteFailed(failed.strerror) from failed

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                self._take_back(len(line) - len(rest))
                raise

    def _take_back(self, written: int) -> None:
        if written and stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            end = os.lseek(self._descriptor, -written, os.SEEK_CUR)
            os.ftruncate(self._descriptor, end)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold the first interrupt back until the end."""
    held = 0

    def hold(_number: int, _frame: FrameType | None) -> None:
        nonlocal held
        held += 1
        if held > 1:
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield  # interrupts are ignored, or somebody else's
        return
    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt
