# SPDX-License-Identifier: Apache-2.0
"""What revision 2026-07-28, which knows no sessions, wants of every request (clause 14.19)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any, Final

REVISION: Final = "2026-07-28"

_PREFIX: Final = "io.modelcontextprotocol/"
_MARK: Final = "x-mcp-header"
_PLAIN: Final = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_ENCODED: Final = re.compile(r"=\?base64\?.*\?=")
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TYPES: Final = ("string", "integer", "boolean")


def stateless_meta(client_info: Mapping[str, Any]) -> dict[str, Any]:
    """Give the members of `_meta` that every request has."""
    return {
        f"{_PREFIX}protocolVersion": REVISION,
        f"{_PREFIX}clientInfo": client_info,
        f"{_PREFIX}clientCapabilities": {},
    }


def stateless_headers(
    method: str, params: Mapping[str, Any], marked: Marked | None
) -> dict[str, str]:
    """Give the headers by which HTTP says again what is in a request."""
    headers = {"Mcp-Method": method}
    name = params.get("name")
    if type(name) is str:
        headers["Mcp-Name"] = encoded(name)
    if marked:
        headers.update(marked.headers(params.get("arguments")))
    return headers


def encoded(text: str) -> str:
    """Give a text as the value of a header: as it is, or where that would not arrive, in base64.

    >>> encoded("a b"), encoded("é")
    ('a b', '=?base64?w6k=?=')
    """
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


class Marked:
    """The arguments that a tool's schema marks with `x-mcp-header`. Immutable; false without any.

    A mark that is not as it has to be counts as none.

    >>> marked = Marked({"properties": {"at": {"type": "string", "x-mcp-header": "Region"}}})
    >>> marked.headers({"at": "eu"})
    {'Mcp-Param-Region': 'eu'}
    """

    def __init__(self, schema: Any) -> None:
        self._paths: dict[str, tuple[str, ...]] = {}
        taken: set[str] = set()
        for path, token in _marks(schema):
            if token.lower() not in taken:
                taken.add(token.lower())
                self._paths[f"Mcp-Param-{token}"] = path

    def __bool__(self) -> bool:
        return bool(self._paths)

    def headers(self, arguments: Any) -> dict[str, str]:
        """Give the headers for such arguments; what is absent, null or no scalar has none."""
        found = ((header, _text(_at(arguments, path))) for header, path in self._paths.items())
        return {header: encoded(text) for header, text in found if text is not None}


def _marks(schema: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give the marks that are reached by properties alone, in order."""
    left: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while left:
        path, part = left.pop()
        if not isinstance(part, Mapping):
            continue
        token = part.get(_MARK)
        sound = type(token) is str and _TOKEN.fullmatch(token) and part.get("type") in _TYPES
        if path and sound:
            yield path, str(token)
        inner = part.get("properties")
        if isinstance(inner, Mapping):
            left.extend(((*path, name), each) for name, each in reversed(tuple(inner.items())))


def _at(arguments: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, Mapping) else None
    return arguments


def _text(value: Any) -> str | None:
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
        return f"{Decimal(value):f}" if isfinite(value) else None
    return str(value) if type(value) in (str, int) else None
