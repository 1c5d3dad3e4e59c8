# SPDX-License-Identifier: Apache-2.0
"""Whether a tag is written in the form that clause 5 states, whoever can hold it.

A time of nanoseconds is, though Python keeps it as `Tagged`; base64 without its padding is not.
"""

from __future__ import annotations

import binascii
import re
from calendar import isleap
from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from isonomy.contract.canonical import canonical_tree
from isonomy.contract.decimals import decimal_text, read_decimal
from isonomy.contract.tagged import TAG
from isonomy.contract.text import has_surrogate, plain_tree

_DATE = (
    r"(?P<year>[0-9]{4}|\+[1-9][0-9]{4,}|-(?!0000)[0-9]{4}|-[1-9][0-9]{4,})"
    r"-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01])"
)
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{0,8}[1-9])?"
_OFFSET = r"(?:Z|(?!.00:00(?![0-9:]))[+-](?:[01][0-9]|2[0-3]):[0-5][0-9](?::(?!00)[0-5][0-9])?)"
_REGION = r"\[(?!(?:Z|UT|UTC|GMT)(?:[+-][^\]]*)?\])[A-Z][A-Za-z0-9_+/-]*\]"

_GRAMMAR: Final = {
    f"{TAG}{name}": pattern
    for name, pattern in {
        "date": _DATE,
        "datetime": f"{_DATE}T{_TIME}",
        "duration": r"(?!-0\Z)-?(?:0|[1-9][0-9]*)(?:\.[0-9]{0,8}[1-9])?",
        "float": r"NaN|-?Infinity",
        "offsetdatetime": f"{_DATE}T{_TIME}{_OFFSET}",
        "offsettime": f"{_TIME}{_OFFSET}",
        "time": _TIME,
        "zoneddatetime": f"{_DATE}T{_TIME}{_OFFSET}{_REGION}",
    }.items()
}
_DAYS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NO_NUMBER: Final = r"-?(?:Infinity|s?NaN(?:[1-9][0-9]*)?)"
# An exponent that no language holds: such a number is written with one, and one digit before it.
_SCIENTIFIC: Final = r"-?[0-9](?:\.[0-9]+)?E[+-][1-9][0-9]{10,}"


def is_text_form(tag: str, text: str) -> bool:
    """Tell whether a tag whose payload is a text is written as clauses 5.9 and 5.11 to 5.17 say."""
    if tag == "$iso:bytes":
        return read_bytes(text) is not None
    if tag == "$iso:uuid":
        return read_uuid(text) is not None
    if tag == "$iso:decimal":
        return is_decimal(text)
    grammar = _GRAMMAR.get(tag)
    found = None if grammar is None else re.fullmatch(grammar, text)
    return found is not None and ("year" not in found.groupdict() or _is_date(found))


def _is_date(found: re.Match[str]) -> bool:
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    return day <= _DAYS[month - 1] and (month != 2 or day < 29 or isleap(year))


def is_decimal(text: str) -> bool:
    """Tell whether a text is a to-scientific-string (clause 5.12)."""
    if re.fullmatch(_NO_NUMBER, text) or re.fullmatch(_SCIENTIFIC, text):
        return True
    made = read_decimal(text)
    return made is not None and decimal_text(made) == text


def read_bytes(text: str) -> bytes | None:
    """Read base64; None where it is not in the form of clause 5.11."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:  # also for text beyond ASCII
        return None
    return data if binascii.b2a_base64(data, newline=False).decode() == text else None


def read_uuid(text: str) -> UUID | None:
    """Read a UUID; None where it is not in the form of clause 5.17."""
    try:
        made = UUID(text)
    except ValueError:
        return None
    return made if str(made) == text else None


def is_set(payload: Any) -> bool:
    """Tell whether a payload is that of a set (clause 5.18)."""
    return type(payload) is list and is_ordered(payload)


def is_map(payload: Any) -> bool:
    """Tell whether a payload is that of a map that needs its tag (clause 5.19)."""
    if type(payload) is not list:
        return False
    if not all(type(pair) is list and len(pair) == 2 for pair in payload):
        return False
    keys = [key for key, _ in payload]
    plain = all(type(key) is str and not has_surrogate(key) for key in keys)
    if plain and not is_escape(keys):
        return False
    return is_ordered(keys)


def is_escape(keys: list[Any]) -> bool:
    """Tell whether these are the keys of a map that only looked like a tag."""
    return len(keys) == 1 and type(keys[0]) is str and keys[0].startswith(TAG)


def is_ordered(trees: Iterable[Any]) -> bool:
    """Tell whether trees are in canonical order, none twice."""
    last = b""
    for tree in trees:
        encoding = canonical_tree(plain_tree(tree))
        if encoding <= last:
            return False
        last = encoding
    return True


def is_opaque(payload: Any) -> bool:
    """Tell whether a payload is that of an opaque value (clause 5.20)."""
    if type(payload) is not dict or payload.keys() != {"type", "path"}:
        return False
    return type(payload["type"]) is str and type(payload["path"]) is str
