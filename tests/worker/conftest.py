# SPDX-License-Identifier: Apache-2.0
"""A host that is written out, so that it can say what no host says."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from isonomy.contract.envelope import BridgeCall, encode_call
from isonomy.contract.frames import Frame, FrameBuffer, FrameType

TOOLS = Path(__file__).parent
LIMIT = 1 << 20


class FakeHost:
    """One worker and the connection to it."""

    def __init__(self, folder: str) -> None:
        path = str(Path(folder, "s"))
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(1)
            listener.settimeout(30)
            command = [sys.executable, "-P", "-m", "isonomy.worker", path]
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=2, stderr=subprocess.PIPE
            )
            self.connection, _ = listener.accept()
        self.connection.settimeout(30)
        self.buffer = FrameBuffer(LIMIT)

    def send(self, kind: int, number: int = 0, payload: Any = b"") -> None:
        if not isinstance(payload, bytes):
            payload = json.dumps(payload).encode()
        self.connection.sendall(Frame(kind, number, payload).to_bytes())

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        self.send(FrameType.CALL, number, encode_call(BridgeCall(tool, arguments)))

    def receive(self) -> Frame | None:
        """Give the next frame, or None at the end."""
        while (frame := self.buffer.next()) is None:
            count = self.connection.recv_into(self.buffer.writable())
            self.buffer.received(count)
            if not count:
                return None
        return frame

    def expect(self, kind: FrameType, number: int = 0) -> Any:
        frame = self.receive()
        assert frame is not None
        assert (frame.type, frame.number) == (kind, number), frame
        return json.loads(frame.payload)

    def begin(self, *modules: str, **fields: Any) -> Any:
        """Shake hands and give the worker's tools."""
        self.expect(FrameType.HELLO)
        welcome = {
            "wire": 1,
            "max_frame": LIMIT,
            "tools": modules or ("plain_tools",),
            "path": [str(TOOLS)],
        }
        self.send(FrameType.WELCOME, 0, welcome | fields)
        return self.expect(FrameType.READY)["tools"]

    def ends(self, code: int) -> str:
        """Wait for the end of the worker and give what it wrote."""
        _, err = self.process.communicate(timeout=30)
        assert self.process.returncode == code, err
        return err.decode()

    def close(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def hosts() -> Iterator[Callable[[], FakeHost]]:
    """Give what starts a worker and its host."""
    made: list[FakeHost] = []

    def make() -> FakeHost:
        with tempfile.TemporaryDirectory(prefix="isonomy-") as folder:
            made.append(FakeHost(folder))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def host(hosts: Callable[[], FakeHost]) -> FakeHost:
    """A worker that has just begun, and its host."""
    return hosts()
