# SPDX-License-Identifier: Apache-2.0
"""Workers that say what no worker says: the host takes them for lost, and never hangs (W2.5)."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isonomy.bridge.workers.link import Link
from isonomy.bridge.workers.pending import Lost, Pending, Unsent
from isonomy.bridge.workers.pool import WorkerPool
from isonomy.bridge.workers.starting import Program
from isonomy.bridge.workers.unavailable import WorkerUnavailable
from isonomy.bridge.workers.worker_tools import WorkerTools
from isonomy.contract.envelope import decode_outcome
from isonomy.contract.frames import Frame, FrameBuffer, FrameType
from isonomy.contract.outcome import Settled

LIMIT = 65_536
HANG = 20

HELLO = {"wire": [1], "language": "python", "isonomy": "0.1.0", "pid": 1}
READY = {
    "tools": [
        {
            "name": "one",
            "description": "",
            "input_schema": {"type": "object"},
            "injected": {},
            "version": None,
            "max_parallel": None,
            "deadline_ms": None,
            "wants_context": False,
        }
    ]
}
SCRIPT = """
import os, socket, sys
folder, path = sys.argv[1:]
connection = socket.socket(socket.AF_UNIX)
connection.connect(path)
for name in ("first", "second", "third"):
    data = open(os.path.join(folder, name), "rb").read()
    if data:
        connection.sendall(data)
    if connection.recv(65536) == b"":
        break
    open(os.path.join(folder, "heard"), "a").close()
"""


def frame(kind: int, told: object, number: int = 0) -> bytes:
    return Frame(kind, number, json.dumps(told).encode()).to_bytes()


Fake = Callable[..., WorkerPool]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    """Give a pool whose worker says given bytes: at once, when it was welcomed, when called."""
    (tmp_path / "fake.py").write_text(SCRIPT, encoding="utf-8")

    def make(first: bytes, second: bytes = b"", third: bytes = b"") -> WorkerPool:
        for name, data in (("first", first), ("second", second), ("third", third)):
            (tmp_path / name).write_bytes(data)
        command = [sys.executable, "-S", "-E", str(tmp_path / "fake.py"), str(tmp_path)]
        program = Program("a fake", command, ["true"], ["made"], timeout=2, max_frame=LIMIT)
        return WorkerPool(program, 1, grace=0.2)

    return make


def test_a_worker_of_another_version_is_refused(fake: Fake) -> None:
    pool = fake(frame(FrameType.HELLO, HELLO | {"wire": [2, 3]}))
    with pytest.raises(WorkerUnavailable) as raised:
        pool.begin()
    assert str(raised.value) == (
        "the worker of a fake for made cannot be used: the worker speaks wire versions [2, 3],"
        " this host [1]; install the same version of Isonomy on both sides"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", b""),
        (frame(FrameType.READY, READY), b""),
        (frame(FrameType.HELLO, {"wire": "1"}), b""),
        (frame(FrameType.HELLO, HELLO), frame(FrameType.HELLO, HELLO)),
        (frame(FrameType.HELLO, HELLO), frame(FrameType.READY, {})),
        (frame(FrameType.HELLO, HELLO), frame(FrameType.READY, {"tools": [{"name": "x"}]})),
        (frame(FrameType.HELLO, HELLO), frame(FrameType.FAILED, {"trace": "none"})),
        (frame(FrameType.HELLO, HELLO), frame(FrameType.OUTCOME, {}, 1)),
        (frame(FrameType.HELLO, HELLO), (LIMIT + 1).to_bytes(4, "big")),
    ],
)
def test_a_start_that_is_none_is_told(fake: Fake, first: bytes, second: bytes) -> None:
    with pytest.raises(WorkerUnavailable, match="the worker of a fake for made does not speak"):
        fake(first, second).begin()


@pytest.mark.parametrize("wrong", [{"name": " "}, {"deadline_ms": -1}, {"max_parallel": 0}])
def test_tools_that_are_none_are_told_and_their_worker_ends(fake: Fake, wrong: Any) -> None:
    before = set(psutil.Process().children())
    tool: Any = READY["tools"][0]
    pool = fake(frame(FrameType.HELLO, HELLO), frame(FrameType.READY, {"tools": [tool | wrong]}))
    with pytest.raises(WorkerUnavailable, match="the worker of a fake for made does not speak"):
        WorkerTools(pool, "python")
    assert set(psutil.Process().children()) <= before


@pytest.mark.parametrize("first", [b"", b"\x00\x00\x00"])
def test_a_start_that_never_comes_is_bounded(fake: Fake, first: bytes) -> None:
    with pytest.raises(WorkerUnavailable, match="was not ready within 2 seconds"):
        fake(first).begin()


@pytest.mark.parametrize(
    "third",
    [
        b"\x00\x00\x00\x01",
        frame(FrameType.CALL, {}, 1),
        frame(FrameType.PROGRESS, {"progress": "much"}, 1),
        frame(FrameType.LOG, []),
        Frame(FrameType.OUTCOME, 2**63 - 1, b"{}").to_bytes() + b"\xff" * 20,
    ],
)
def test_a_worker_that_breaks_the_wire_is_lost(fake: Fake, third: bytes) -> None:
    pool = fake(frame(FrameType.HELLO, HELLO), frame(FrameType.READY, READY), third)
    pool.begin()
    outcome = pool.carry(b"{}", Pending())
    assert not isinstance(outcome, bytes)
    assert outcome.error.message == "the worker ended (the connection broke)"  # type: ignore[union-attr]
    pool.close(0)


def test_an_outcome_that_is_none_is_an_internal_failure(fake: Fake) -> None:
    third = Frame(FrameType.OUTCOME, 7, b"x").to_bytes()  # of no call: dropped
    third += Frame(FrameType.OUTCOME, 1, b'{"v":1,"outcome":"fine"}').to_bytes()
    pool = fake(frame(FrameType.HELLO, HELLO), frame(FrameType.READY, READY), third)
    pool.begin()
    reply = pool.carry(b"{}", Pending())
    assert isinstance(reply, bytes)
    outcome = decode_outcome(reply).outcome
    assert isinstance(outcome, Settled)
    error = outcome.error
    assert (error.kind, error.effect) == ("internal", "possible")
    pool.close(0)


# Garbage ----------------------------------------------------------------------------------------

frames = st.builds(
    Frame,
    st.one_of(st.sampled_from([7, 9, 10]), st.integers(0, 255)),
    st.one_of(st.integers(1, 3), st.integers(0, 2**64 - 1)),
    st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            [b'{"progress":1}', b'{"level":"info","logger":"fuzz","message":"x"}', b"{}"]
        ),
    ),
)
streams = st.one_of(
    st.binary(max_size=200),
    st.lists(frames, max_size=8).map(lambda made: b"".join(one.to_bytes() for one in made)),
    st.builds(lambda one, cut: one.to_bytes()[:cut], frames, st.integers(0, 40)),
)


@settings(max_examples=200, deadline=None)
@given(data=streams, callers=st.integers(1, 3))
def test_whatever_comes_every_call_ends(data: bytes, callers: int) -> None:
    ours, theirs = socket.socketpair()
    link = Link(ours, FrameBuffer(LIMIT))
    ends: list[object] = []

    def call() -> None:
        pending = Pending(lambda *_: None)
        try:
            link.send(b"{}", pending)
            ends.append(link.wait(pending))
        except (Lost, Unsent) as lost:
            ends.append(type(lost))

    threads = [threading.Thread(target=call) for _ in range(callers)]
    for thread in threads:
        thread.start()
    theirs.sendall(data)
    theirs.shutdown(socket.SHUT_WR)
    for thread in threads:
        thread.join(HANG)
        assert not thread.is_alive()
    theirs.close()
    assert len(ends) == callers
    assert all(isinstance(end, bytes) or end in (Lost, Unsent) for end in ends)
