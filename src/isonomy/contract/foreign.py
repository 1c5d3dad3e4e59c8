# SPDX-License-Identifier: Apache-2.0
"""What is asked of foreign objects without trusting them: their type's name and their text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

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
    return (
        qualname if not isinstance(module, str) or module == "builtins" else f"{module}.{qualname}"
    )


def text_of(value: Any) -> str:
    """Give `str(value)`, or "" for None and where no text can be obtained (clause 4.13)."""
    return "" if value is None else obtain(str, value)


def obtain(make: Callable[..., str], *arguments: Any) -> str:
    """Give the text that `make` makes, or "" where it raises whatever it raises (clause 4.13)."""
    try:
        return str.__str__(make(*arguments))
    except BaseException:  # noqa: BLE001 - foreign code gives the text; an error is made all the same
        return ""
