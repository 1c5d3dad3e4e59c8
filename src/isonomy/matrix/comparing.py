# SPDX-License-Identifier: Apache-2.0
"""Compares a whole response with what a vector expects of it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final

_NOT_COMPARED: Final = frozenset({"trace"})
_LANGUAGES: Final = frozenset({"python", "java"})


def differences(
    response: Mapping[str, Any], expected: Mapping[str, Any], language: str
) -> list[str]:
    """Return where a response, as a tree, is not the expected one of a tool in this language.

    Trees are compared exactly: 1 and 1.0 differ (clause 5.4), the order of keys does not count. Of
    an error nothing may be there that is not expected, beside its trace, which an exception has.
    """
    wanted = _meant(expected, language)
    found = list(_differ(_whole(response), _whole(wanted), "response"))
    is_exception = wanted.get("error", {}).get("kind") == "exception"
    if is_exception and not response.get("error", {}).get("trace"):
        found.append("response.error.trace is missing")
    return found


def _whole(response: Mapping[str, Any]) -> dict[str, Any]:
    return {"content": [], "meta": {}, **response}


def _meant(expected: Any, language: str) -> Any:
    if isinstance(expected, Mapping):
        if expected.keys() == _LANGUAGES:
            return expected[language]
        return {key: _meant(value, language) for key, value in expected.items()}
    return [_meant(item, language) for item in expected] if isinstance(expected, list) else expected


def _differ(got: Any, wanted: Any, path: str) -> Iterator[str]:
    if isinstance(got, dict) and isinstance(wanted, dict):
        for key in sorted(got.keys() | wanted.keys()):
            at = f"{path}.{key}"
            if key in got and key in wanted:
                yield from _differ(got[key], wanted[key], at)
            elif key in wanted:
                yield f"{at} is missing"
            elif path != "response.error" or key not in _NOT_COMPARED:
                yield f"{at} is not expected"
    elif isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        for index, (one, other) in enumerate(zip(got, wanted, strict=True)):
            yield from _differ(one, other, f"{path}[{index}]")
    elif _exact(got) != _exact(wanted):
        yield f"{path} is {got!r:.60}, not {wanted!r:.60}"


def _exact(value: Any) -> Any:
    kind = type(value).__name__
    return (kind, struct.pack(">d", value) if kind == "float" else value)
