# SPDX-License-Identifier: Apache-2.0
"""What is asked of foreign objects without trusting them: the name of their type, their text."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from isonomy.contract.tagged import PortableError

FAILED: Final = object()
"""What `attempt` gives where the foreign code raised."""

_MODULE: Final = vars(type)["__module__"]
_QUALNAME: Final = vars(type)["__qualname__"]


def type_name(cls: type) -> str:
    """Name a class: bare for builtins, else `module.qualname` (clause 4.4). Never raises.

    >>> type_name(ValueError)
    'ValueError'
    """
    try:
        module = _MODULE.__get__(cls)
    except AttributeError:
        module = None
    qualname: str = _QUALNAME.__get__(cls)
    qualname = qualname if qualname.strip() else "?"
    if not isinstance(module, str) or module == "builtins":
        return qualname
    return f"{module}.{qualname}"


def text_of(value: Any) -> str:
    """Give `str(value)`, or "" for None and where no text can be obtained (clause 4.13)."""
    if value is None:
        return ""
    try:
        return str.__str__(str(value))
    except BaseException as raised:
        if issubclass(type(raised), KeyboardInterrupt) and in_main_thread():
            raise
        return ""


def attempt(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call code that is not ours; gives `FAILED` where it raises, whatever it raises.

    A refusal of clause 5 passes, and so does Ctrl-C, which comes in the main thread (8.11).
    """
    try:
        return call(*arguments)
    except PortableError:
        raise
    except BaseException as raised:
        if issubclass(type(raised), KeyboardInterrupt) and in_main_thread():
            raise
        return FAILED


def in_main_thread() -> bool:
    """Whether a `KeyboardInterrupt` here may be the process's own signal (clause 8.11)."""
    return threading.current_thread() is threading.main_thread()
