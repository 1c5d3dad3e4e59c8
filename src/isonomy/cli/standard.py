# SPDX-License-Identifier: Apache-2.0
"""The standard streams that the process was given: there, closed, or full.

A shell may close any of them (`<&-`, `>&-`, `2>&-`), and the next file that anything opens then
takes its number: a tool's print would end in a database. So each missing one becomes the null
device before anything else happens. Python's own `sys.__stdout__` still tells that it was missing.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def open_missing() -> None:
    """Open the null device in place of each standard stream that is closed."""
    for number, (name, mode) in enumerate([("stdin", "r"), ("stdout", "w"), ("stderr", "w")]):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, number)
            if nothing != number:
                os.close(nothing)
            os.set_inheritable(number, True)
            stream = os.fdopen(number, mode, errors="backslashreplace", closefd=False)
            setattr(sys, name, stream)


def is_missing(name: str) -> bool:
    """Tell whether a standard stream, such as `stdout`, was closed when the process started."""
    return getattr(sys, f"__{name}__") is None


def tell(sentence: str) -> None:
    """Write a sentence to stderr; where that cannot be written, there is nobody left to tell."""
    line = f"{sentence}\n"
    try:
        sys.stderr.write(line)
        sys.stderr.flush()
    except OSError:
        pass
    except (ValueError, AttributeError):  # a tool has closed it, or put something else there
        with suppress(OSError):
            os.write(2, line.encode(errors="backslashreplace"))


def settle(*, told: bool = False) -> bool:
    """Write what the process still holds for its streams, and return whether stdout took it.

    That it did not is said, unless it was `told` before. What stderr does not take is dropped here:
    Python would try again at exit, and say with the exit code that it failed.
    """
    written = flush("stdout", 1, told=told)
    flush("stderr", 2)
    return written


def flush(name: str, number: int, *, told: bool = False) -> bool:
    """Write what a stream holds, and return whether its descriptor took it.

    What it does not take goes to the null device, or it would come out later, somewhere else.
    """
    try:
        getattr(sys, name).flush()
    except OSError as failed:
        if number == 1 and not told and not isinstance(failed, BrokenPipeError):
            tell(f"the output cannot be written: {failed.strerror}")
        _drop_rest(number)
        return False
    except (ValueError, AttributeError):
        pass  # a tool has closed it, or put something else there
    return True


def _drop_rest(number: int) -> None:
    """Point a descriptor at the null device, which takes what its stream still holds."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    if nothing != number:  # it takes the very number where that was closed
        os.dup2(nothing, number)
        os.close(nothing)
