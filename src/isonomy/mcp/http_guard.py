# SPDX-License-Identifier: Apache-2.0
"""Who may talk to our own MCP server by HTTP (clause 14.30)."""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from isonomy.contract.misuse import Misuse

_ONCE: Final = frozenset(
    {
        "authorization",
        "content-type",
        "host",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "origin",
    }
)
"""Headers of which a second one could be read by somebody else than the first."""


_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@]+|null")
_HOST: Final = re.compile(r"[^\s/?#@:\[\]]+")


def origin_of(given: str) -> str:
    """Give an origin as it is compared; raises `Misuse` for what no browser calls one."""
    origin = given.lower().rstrip("/")
    if not _ORIGIN.fullmatch(origin):
        raise Misuse(f"an origin is a scheme and a host, such as https://app.example, not {given}")
    return origin


def host_of(given: str) -> str:
    """Give a name of a server as it is compared; raises `Misuse` where it is more than that."""
    host = given.lower()
    if not _HOST.fullmatch(host) and not _is_address(host):
        raise Misuse(f"a host is a name without scheme and port, not {given}")
    return host


class Refusal(NamedTuple):
    """Why a request is not looked at any further: a status, a sentence, headers of the answer."""

    status: int
    sentence: str
    headers: Mapping[str, str] = {}


class Guard:
    """Looks at the headers of a request before anything else is done.

    Args:
        token: What a client has to know; None for nothing.
        origins: Origins of web pages that may ask, beside those of loopback.
        hosts: Names by which the server may be called, beside those of loopback; None for any. A
            page of another name that has been pointed at this machine is kept out by it.

    Raises:
        Misuse: The token cannot stand in a header, or an origin or a host is none.
    """

    def __init__(
        self,
        token: str | None = None,
        origins: Collection[str] = (),
        hosts: Collection[str] | None = (),
    ) -> None:
        if token is not None and not (token and token.isascii() and token.isprintable()):
            raise Misuse("the token of a server is printable ASCII text, and not empty")
        if token is not None and " " in token:
            raise Misuse("the token of a server has no spaces")
        self._wanted = None if token is None else f"Bearer {token}".encode()
        self._origins = {origin_of(each) for each in origins}
        self._hosts = None if hosts is None else {host_of(each) for each in hosts}

    def refusal(self, headers: Collection[tuple[bytes, bytes]]) -> Refusal | None:
        """Tell why a request with these headers is refused; None where it is not."""
        known = told(headers)
        if known is None:
            return Refusal(400, "a header that stands once stands twice")
        if self._hosts is not None and not self._is_ours(known.get("host", "")):
            return Refusal(403, "this server is not known by that Host")
        origin = known.get("origin")
        if origin is not None and not self._may_ask(origin):
            return Refusal(403, "pages of that Origin may not ask this server")
        if self._wanted is not None and not self._knows(known.get("authorization", "")):
            return Refusal(401, "a bearer token is needed", {"www-authenticate": "Bearer"})
        return None

    def _is_ours(self, host: str) -> bool:
        name = _name_of(host)
        return name is not None and (is_loopback(name) or name in (self._hosts or ()))

    def _may_ask(self, origin: str) -> bool:
        if origin.lower() in self._origins:
            return True
        scheme, separator, host = origin.partition("://")
        name = _name_of(host) if separator and scheme.lower() in ("http", "https") else None
        return name is not None and is_loopback(name)

    def _knows(self, given: str) -> bool:
        scheme, _, token = given.partition(" ")
        said = f"Bearer {token.strip()}" if scheme.lower() == "bearer" else ""
        return hmac.compare_digest(said.encode(), self._wanted or b"")


def told(headers: Collection[tuple[bytes, bytes]]) -> dict[str, str] | None:
    """Give headers by their names, in small letters; None where one that stands once does not."""
    known: dict[str, str] = {}
    for name, value in headers:
        key = name.decode("latin-1").lower()
        if key in known:
            if key in _ONCE:
                return None
            known[key] += ", " + value.decode("latin-1")
        else:
            known[key] = value.decode("latin-1")
    return known


def is_loopback(name: str) -> bool:
    """Tell whether a name or an address is this machine, and nobody else reaches it so."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _name_of(host: str) -> str | None:
    """Give the name or the address of `name:port`, in small letters; None where it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    if parts.netloc != host or "@" in host or parts.hostname is None:
        return None
    return parts.hostname
