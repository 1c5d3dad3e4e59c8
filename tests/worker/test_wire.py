# SPDX-License-Identifier: Apache-2.0
"""What a worker says and does on the wire (spec/wire.md), to a host that keeps to it or not."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isonomy import __version__
from isonomy.bridge.machine import JAR
from isonomy.contract.envelope import BridgeCall, decode_outcome, encode_call
from isonomy.contract.frames import Frame, FrameType
from isonomy.contract.outcome import Returned, Settled
from tests.worker.conftest import LIMIT, FakeHost

BROKEN = 70
Hosts = Callable[[], FakeHost]


def test_a_worker_begins_with_what_it_is(host: FakeHost) -> None:
    assert host.expect(FrameType.HELLO) == {
        "wire": [1],
        "language": "python",
        "isonomy": __version__,
        "pid": host.process.pid,
    }


def test_tools_are_told_whole(host: FakeHost) -> None:
    tools = {tool["name"]: tool for tool in host.begin()}
    assert tools["told"] == {
        "name": "told",
        "description": "Tell everything.",
        "input_schema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": False,
        },
        "injected": {"tenant": {"name": "customer", "identity": True, "secret": True}},
        "version": "2",
        "max_parallel": 3,
        "deadline_ms": 1500,
        "wants_context": False,
    }
    plain = tools["wait"]
    assert (plain["version"], plain["max_parallel"], plain["deadline_ms"]) == (None, None, None)
    assert plain["wants_context"] is True


PYTHON_WORKER = (sys.executable, "-P", "-m", "isonomy.worker")
JAVA_WORKER = ("java", "-cp", str(JAR), "dev.isonomy.worker.Main")


@pytest.mark.parametrize("is_bound", [False, True])
@pytest.mark.parametrize("command", [PYTHON_WORKER, JAVA_WORKER])
def test_a_host_that_is_gone_before_its_worker_connects_is_no_error(
    tmp_path: Path, command: tuple[str, ...], is_bound: bool
) -> None:
    if command is JAVA_WORKER and not (JAR.is_file() and shutil.which("java")):
        pytest.skip("no Java core, or no java on PATH")
    path = str(tmp_path / "s")
    if is_bound:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
    done = subprocess.run(
        [*command, path], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_tools_that_cannot_be_loaded_are_told(host: FakeHost) -> None:
    host.expect(FrameType.HELLO)
    welcome = {"wire": 1, "max_frame": LIMIT, "tools": ["no_such_module"], "path": []}
    host.send(FrameType.WELCOME, 0, welcome)
    told = host.expect(FrameType.FAILED)
    assert told["message"] == (
        "the module 'no_such_module' cannot be imported:"
        " ModuleNotFoundError: No module named 'no_such_module'; give its folder as path,"
        " or install it into this Python"
    )
    host.ends(1)


def test_a_host_without_a_common_version_ends_the_worker(host: FakeHost) -> None:
    host.expect(FrameType.HELLO)
    host.send(FrameType.REFUSED, 0, {"message": "no version in common"})
    assert "no version in common" in host.ends(BROKEN)


@pytest.mark.parametrize(
    "answer",
    [
        Frame(FrameType.WELCOME, 0, b'{"wire":2,"max_frame":65536,"tools":[]}'),
        Frame(FrameType.WELCOME, 0, b"no json"),
        Frame(FrameType.READY, 0, b"{}"),
        Frame(FrameType.CALL, 1, b"{}"),
        Frame(12, 0, b"{}"),
    ],
)
def test_an_answer_that_is_none_is_a_broken_wire(host: FakeHost, answer: Frame) -> None:
    host.expect(FrameType.HELLO)
    host.connection.sendall(answer.to_bytes())
    host.ends(BROKEN)


def test_a_call_before_the_tools_are_ready_is_a_broken_wire(host: FakeHost) -> None:
    host.expect(FrameType.HELLO)
    welcome = {"wire": 1, "max_frame": LIMIT, "tools": ["plain_tools"], "path": []}
    host.send(FrameType.WELCOME, 0, welcome)
    host.call(1, "add", a=1, b=2)
    host.ends(BROKEN)


def test_calls_are_answered_by_number(host: FakeHost) -> None:
    host.begin()
    host.call(1, "nap", seconds=0.3)
    host.call(5, "add", a=1, b=2)
    assert host.expect(FrameType.OUTCOME, 5) == {"v": 1, "outcome": "returned", "value": 3}
    assert host.expect(FrameType.OUTCOME, 1)["value"] == "slept"


def test_an_unknown_tool_and_a_request_that_is_none_are_answered(host: FakeHost) -> None:
    host.begin()
    host.call(1, "n\u00f6 \ud800")
    error = host.expect(FrameType.OUTCOME, 1)["error"]
    assert (error["kind"], error["effect"]) == ("not_found", "none")
    for number, payload in enumerate((b"", b"[]", b'{"v":2}', b"\xff", b'{"v":1,"tool":3}'), 2):
        host.send(FrameType.CALL, number, payload)
        told = host.expect(FrameType.OUTCOME, number)
        assert (told["outcome"], told["error"]["kind"]) == ("settled", "internal")
        assert told["error"]["effect"] == "none"
    host.call(10, "add", a=1, b=1)
    assert host.expect(FrameType.OUTCOME, 10)["value"] == 2


@pytest.mark.parametrize("numbers", [(1, 1), (5, 3), (0,)])
def test_a_number_that_does_not_rise_is_a_broken_wire(
    host: FakeHost, numbers: tuple[int, ...]
) -> None:
    host.begin()
    for number in numbers:
        host.call(number, "add", a=1, b=1)
    host.ends(BROKEN)


def test_a_cancellation_is_told_and_answered(host: FakeHost) -> None:
    host.begin()
    host.send(FrameType.CANCEL, 99)  # of a call that never was
    host.call(1, "wait")
    time.sleep(0.1)
    host.send(FrameType.CANCEL, 1)
    assert host.expect(FrameType.OUTCOME, 1)["value"] == "cancelled"
    host.send(FrameType.CANCEL, 1)
    host.call(2, "add", a=1, b=1)
    assert host.expect(FrameType.OUTCOME, 2)["value"] == 2


def test_notices_of_later_revisions_are_ignored(host: FakeHost) -> None:
    host.begin()
    host.send(200, 7, b"whatever")
    host.call(1, "add", a=1, b=1)
    assert host.expect(FrameType.OUTCOME, 1)["value"] == 2


def test_an_envelope_longer_than_the_limit_is_replaced(host: FakeHost) -> None:
    host.begin(max_frame=65_536)
    host.call(1, "large", characters=70_000)
    error = host.expect(FrameType.OUTCOME, 1)["error"]
    assert (error["kind"], error["effect"]) == ("too_large", "possible")


def test_close_lets_calls_end_and_then_the_worker(host: FakeHost) -> None:
    host.begin()
    host.call(1, "nap", seconds=0.5)
    host.call(2, "nap", seconds=0.5)
    host.send(FrameType.CLOSE)
    numbers = {frame.number for frame in (host.receive(), host.receive()) if frame}
    assert numbers == {1, 2}
    assert host.receive() is None
    host.ends(0)


def test_a_call_after_close_is_a_broken_wire(host: FakeHost) -> None:
    host.begin()
    host.call(1, "nap", seconds=20)
    host.send(FrameType.CLOSE)
    host.call(2, "add", a=1, b=1)
    host.ends(BROKEN)


@pytest.mark.parametrize("busy", [False, True])
def test_the_end_of_the_connection_ends_the_worker_at_once(host: FakeHost, busy: bool) -> None:
    host.begin()
    if busy:
        host.call(1, "nap", seconds=60)
        time.sleep(0.2)
    host.connection.close()
    host.ends(0)


def test_a_stream_that_ends_inside_a_frame_is_a_broken_wire(host: FakeHost) -> None:
    host.begin()
    host.connection.sendall(Frame(FrameType.CALL, 1, b"{}").to_bytes()[:-1])
    host.connection.shutdown(1)
    host.ends(BROKEN)


def test_a_length_over_the_limit_is_refused_before_its_bytes_come(host: FakeHost) -> None:
    host.begin()
    host.connection.sendall((LIMIT + 1).to_bytes(4, "big"))
    host.ends(BROKEN)


def test_a_worker_without_its_argument_says_how_it_is_used() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "isonomy.worker"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "usage: python -m isonomy.worker SOCKET" in done.stderr


# Garbage ----------------------------------------------------------------------------------------

WHOLE = encode_call(BridgeCall("add", {"a": 1, "b": 2}))
frames = st.builds(
    Frame,
    st.integers(0, 255),
    st.one_of(st.integers(0, 5), st.integers(0, 2**64 - 1)),
    st.one_of(st.binary(max_size=200), st.just(WHOLE), st.just(b"{}")),
)
streams = st.one_of(
    st.binary(max_size=400),
    st.lists(frames, max_size=6).map(lambda made: b"".join(one.to_bytes() for one in made)),
    st.builds(
        lambda data, at, bits: bytes(
            byte ^ bits if place == at % len(data) else byte for place, byte in enumerate(data)
        ),
        st.just(Frame(FrameType.CALL, 1, WHOLE).to_bytes() * 2),
        st.integers(0, 10_000),
        st.integers(1, 255),
    ),
    st.builds(lambda cut: Frame(FrameType.CALL, 1, WHOLE).to_bytes()[:cut], st.integers(0, 100)),
)


@pytest.fixture(scope="module")
def spare() -> Any:
    """Workers that are ready: each example needs a new one, and some are ready in advance."""
    from collections import deque

    made: deque[FakeHost] = deque()

    def take() -> FakeHost:
        while len(made) < 3:
            with tempfile.TemporaryDirectory(prefix="isonomy-") as folder:
                made.append(FakeHost(folder))
        return made.popleft()

    yield take
    for each in made:
        each.close()


@pytest.mark.slow
@pytest.mark.parametrize("ready", [False, True])
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=streams)
def test_whatever_comes_a_worker_answers_or_ends(
    spare: Callable[[], FakeHost], ready: bool, data: bytes
) -> None:
    host = spare()
    try:
        if ready:
            host.begin()
        host.connection.sendall(data)
        host.connection.shutdown(1)
        while (frame := host.receive()) is not None:
            if frame.type == FrameType.OUTCOME:
                outcome = decode_outcome(frame.payload).outcome
                assert isinstance(outcome, Returned | Settled), outcome
        _, err = host.process.communicate(timeout=30)
        assert host.process.returncode in (0, BROKEN), err
        assert b"Traceback" not in err
    except OSError:  # it ended while we were writing
        _, err = host.process.communicate(timeout=30)
        assert host.process.returncode in (0, BROKEN), err
    finally:
        host.close()
