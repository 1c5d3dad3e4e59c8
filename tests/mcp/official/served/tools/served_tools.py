# SPDX-License-Identifier: Apache-2.0
"""Tools in Python that are served."""

from typing import Literal

from isonomy import ToolResponse, tool


@tool
def py_add(left: int, right: int = 1, unit: Literal["m", "km"] = "m") -> dict[str, object]:
    """Add two lengths.

    Args:
        left: The first.
        right: The second.
        unit: What both are in.
    """
    return {"sum": left + right, "unit": unit}


@tool
def py_echo(text: str) -> str:
    """Give the text back."""
    return text


@tool
def py_refuse(reason: str) -> ToolResponse:
    """Fail, and say so."""
    return ToolResponse.error(reason, code="REFUSED", retryable=False, details={"left": 0})


@tool
def py_break(text: str) -> str:
    """Raise an exception that nobody expected."""
    raise ValueError(f"a secret of {text}")


__all__ = ["py_add", "py_break", "py_echo", "py_refuse"]
