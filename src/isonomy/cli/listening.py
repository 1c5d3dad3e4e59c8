# SPDX-License-Identifier: Apache-2.0
"""Where `isonomy serve --http` listens, and what it runs there."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from isonomy.cli.config import Config
from isonomy.cli.serve import Serve
from isonomy.cli.standard import tell
from isonomy.contract.misuse import Misuse
from isonomy.mcp.http_guard import Guard, is_loopback
from isonomy.mcp.serving import ToolService
from isonomy.mcp.serving_http import HttpServer

if TYPE_CHECKING:
    from uvicorn import Server

PATH: Final = "/mcp"
_MOST: Final = 1_000
"""Connections at once."""
_LAST: Final = 3
"""Seconds that connections have when the server ends, its calls having had one."""


@contextmanager
def by_http(config: Config, where: str, token_env: str | None) -> Iterator[Serve]:
    """Listen, and yield what serves there; raises `Misuse` where that cannot be."""
    host, port = _read(where)
    token = config.token() if token_env is None else _token(token_env)
    addresses = _addresses(host, port)
    local = all(is_loopback(address[0]) for _, address in addresses)
    if not local and token is None:
        raise Misuse(
            f"--http {where} is reached from other machines, so it needs a token; name the"
            " variable that holds one with --token-env, or listen at 127.0.0.1"
        )
    names = config.serve.hosts
    try:
        guard = Guard(token, config.serve.origins, names if local or names else None)
    except Misuse as misuse:
        if token_env is None:
            raise config.complaint(("serve", "token"), f"cannot be used: {misuse}") from None
        raise Misuse(f"--token-env {token_env}: {misuse}") from None
    try:
        from isonomy.cli.patient import patient_server
    except ModuleNotFoundError as missing:
        if missing.name not in ("uvicorn", "h11"):
            raise
        raise Misuse("serve --http needs its extra: pip install 'isonomy[serve]'") from None
    listening = _listen(where, addresses)
    with listening:
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listening.getsockname()[1]}{PATH}"

        async def serve(service: ToolService, stopping: asyncio.Event) -> None:
            server = patient_server(HttpServer(service, guard, path=PATH), _MOST, _LAST)
            tell(f"serving {len(service)} tools at {url}")
            await _run(server, listening, service, stopping)

        yield serve


async def _run(
    server: Server, listening: socket.socket, service: ToolService, stopping: asyncio.Event
) -> None:
    running = asyncio.ensure_future(server.serve(sockets=[listening]))
    ending = asyncio.ensure_future(stopping.wait())
    await asyncio.wait((running, ending), return_when=asyncio.FIRST_COMPLETED)
    service.end()
    server.should_exit = True
    ending.cancel()
    await running


def _read(where: str) -> tuple[str, int]:
    """Return host and port of `[HOST:]PORT`."""
    host, _, port = where.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise Misuse(f"--http {where}: an IPv6 address is put in brackets, such as [::1]:8000")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65_536):
        raise Misuse(f"--http is [HOST:]PORT, such as 8000 or 0.0.0.0:8000, not {where}")
    return host or "127.0.0.1", int(port)


def _token(variable: str) -> str:
    token = os.environ.get(variable)
    if not token:
        raise Misuse(f"--token-env names the variable {variable}, which is not set; set it")
    return token


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise Misuse(f"--http names the host {host}, which is not known here") from None
    # Of a name with addresses of both kinds, IPv4 is what clients try without asking.
    found.sort(key=lambda each: each[0] != socket.AF_INET)
    return [(each[0], (str(each[4][0]), port)) for each in found]


def _listen(
    where: str, addresses: list[tuple[socket.AddressFamily, tuple[str, int]]]
) -> socket.socket:
    family, address = addresses[0]
    try:
        return socket.create_server(address, family=family, backlog=2_048)
    except OSError as failed:
        remedy = (
            "give an address of this machine, or 0.0.0.0 for all of them"
            if failed.errno == errno.EADDRNOTAVAIL
            else "give another port, or 0 for any that is free"
        )
        raise Misuse(
            f"--http {where}: cannot listen there: {os.strerror(failed.errno or 0)}; {remedy}"
        ) from None
