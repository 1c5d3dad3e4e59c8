# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of `isonomy serve`, connection by connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from isonomy.cli import patient

HANG = 30
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
ANSWER = b"HTTP/1.1 204 No Content\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


class Running:
    def __init__(self, server: Any, port: int) -> None:
        self.server = server
        self.port = port

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)


@pytest.fixture
async def running(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Running]:
    monkeypatch.setattr(patient, "_HEADERS", 0.2)
    server = patient.patient_server(app, 10, 1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        yield Running(server, listening.getsockname()[1])
        server.should_exit = True
        async with asyncio.timeout(HANG):
            await serving


async def test_small_answers_go_out_at_once(running: Running) -> None:
    reader, writer = await running.connect()
    writer.write(REQUEST)
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(ANSWER)
    (connection,) = running.server.server_state.connections
    theirs = connection.transport.get_extra_info("socket")
    assert theirs.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
    writer.close()


@pytest.mark.parametrize("begun", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
@pytest.mark.parametrize("before", [0, 1])
async def test_headers_that_do_not_come(running: Running, begun: bytes, before: int) -> None:
    reader, writer = await running.connect()
    async with asyncio.timeout(HANG):
        for _ in range(before):
            writer.write(REQUEST)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(ANSWER)
        writer.write(begun)
        assert await reader.read() == b""
    writer.close()


async def test_headers_that_come_in_pieces(running: Running) -> None:
    reader, writer = await running.connect()
    for at in range(len(REQUEST)):
        writer.write(REQUEST[at : at + 1])
        await asyncio.sleep(0)
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(ANSWER)
    writer.close()


async def test_more_connections_than_there_may_be(running: Running) -> None:
    connections = [await running.connect() for _ in range(10)]
    reader, writer = connections[-1]
    writer.write(REQUEST)
    assert b" 503 " in await reader.readline()
    for _, each in connections:
        each.close()
