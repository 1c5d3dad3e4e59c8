# SPDX-License-Identifier: Apache-2.0
"""The text of decimals (clause 5.12), whatever the host's decimal context says."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import Final

from isonomy.contract.tagged import MAX_DIGITS

_OURS: Final = Context()


def decimal_text(value: Decimal) -> str:
    """Write a decimal by its to-scientific-string."""
    return _OURS.to_sci_string(value)


def read_decimal(text: str) -> Decimal | None:
    """Read a decimal; None for a signalling NaN and where the text is not the one written."""
    try:
        made = Decimal(text, _OURS)
    except InvalidOperation:
        return None
    return None if made.is_snan() or decimal_text(made) != text else made


def has_too_many_digits(value: Decimal, text: str) -> bool:
    """Tell whether the coefficient has more digits than clause 5.8 allows; `text` is its text."""
    return len(text) > MAX_DIGITS and len(value.as_tuple().digits) > MAX_DIGITS
