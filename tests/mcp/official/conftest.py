# SPDX-License-Identifier: Apache-2.0
"""Where the official servers are, and how one by HTTP is started."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

BIN = Path(__file__).parent / "node_modules/.bin"


def program(name: str) -> str:
    """Give the path of a program from npm; skip the test where `make test-all` found no npm."""
    path = BIN / name
    if not path.exists():
        pytest.skip(f"{name} is not installed: `make test-all` does that where there is npm")
    return str(path)


class HttpServer:
    """An official server by streamable HTTP, which can be killed and started again."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}/mcp"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [program("mcp-server-everything"), "streamableHttp"],
            env=os.environ | {"PORT": str(self._port)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if "listening on port" in line:
                return
        raise AssertionError("the server has ended")

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def http_server() -> Iterator[HttpServer]:
    server = HttpServer()
    yield server
    server.kill()
