# SPDX-License-Identifier: Apache-2.0
"""Frames and handshakes: the vectors, and what garbage can do to a reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.contract.frames import (
    LEAST_LIMIT,
    BrokenWireError,
    Frame,
    FrameBuffer,
    FrameType,
    fits,
)
from isonomy.contract.handshake import (
    Hello,
    Refused,
    Welcome,
    agreed,
    answer_frame,
    hello_frame,
    read_answer,
    read_hello,
)
from tests.vectors import Case, each


def read(stream: bytes, limit: int, step: int) -> tuple[list[Frame], str]:
    """Give the frames of a stream that comes in steps of so many bytes, and how it ends."""
    buffer = FrameBuffer(limit)
    frames = []
    at = 0
    try:
        while True:
            room = buffer.writable()
            piece = stream[at : at + min(step, len(room))]
            room[: len(piece)] = piece
            at += len(piece)
            buffer.received(len(piece))
            while (frame := buffer.next()) is not None:
                frames.append(frame)
            if not piece:
                return frames, "clean"
    except BrokenWireError:
        return frames, "broken"


@each("wire", lambda case: case.file.stem == "frames")
def test_frames(case: Case) -> None:
    stream = bytes.fromhex(case["stream"])
    limit = case.get("limit", LEAST_LIMIT)
    expected = [Frame(f["type"], f["number"], f["payload"].encode()) for f in case["frames"]]
    for step in (1, 3, 1000):
        assert read(stream, limit, step) == (expected, case["ends"])
    if case["ends"] == "clean" and not any(byte in stream for byte in (0x80, 0xFF)):
        assert b"".join(frame.to_bytes() for frame in expected) == stream


@each("wire", lambda case: case.file.stem == "handshake")
def test_handshakes(case: Case) -> None:
    payload = case["hello"].encode()
    if case["answer"] == "broken":
        with pytest.raises(BrokenWireError):
            read_hello(payload)
        return
    answer = agreed(read_hello(payload))
    if case["answer"] == "welcome":
        assert answer == case["wire"]
    else:
        assert answer == Refused(case["message"])


def test_what_is_said_in_a_handshake_is_read_as_it_was_said() -> None:
    hello = Hello([1], "python", "0.1.0", 7)
    assert read_hello(hello_frame(hello).payload) == hello
    for answer in (Welcome(1, 99_999, ["acme.tools"], ["/srv"]), Refused("no")):
        assert read_answer(answer_frame(answer)) == answer


@pytest.mark.parametrize(
    "frame",
    [
        Frame(FrameType.READY, 0, b"{}"),
        Frame(FrameType.WELCOME, 0, b"{}"),
        Frame(FrameType.WELCOME, 0, b'{"wire":2,"max_frame":70000,"tools":[]}'),
        Frame(FrameType.WELCOME, 0, b'{"wire":1,"max_frame":0,"tools":[]}'),
        Frame(FrameType.WELCOME, 0, b'{"wire":1,"max_frame":70000,"tools":[1]}'),
        Frame(FrameType.REFUSED, 0, b"[]"),
    ],
)
def test_an_answer_that_is_none_is_a_broken_wire(frame: Frame) -> None:
    with pytest.raises(BrokenWireError):
        read_answer(frame)


@given(st.binary(max_size=200), st.integers(1, 300))
def test_garbage_gives_frames_or_a_broken_wire(stream: bytes, step: int) -> None:
    frames, ends = read(stream, LEAST_LIMIT, step)
    assert (frames, ends) == read(stream, LEAST_LIMIT, 1000)
    if ends == "clean" and all(byte < 0x80 for byte in stream[4::13]):
        assert sum(len(frame.to_bytes()) for frame in frames) <= len(stream)


@given(
    st.lists(
        st.builds(
            Frame,
            st.sampled_from(FrameType),
            st.integers(0, 2**63 - 1),
            st.binary(max_size=300_000),
        ),
        max_size=6,
    ),
    st.integers(1, 200_000),
)
def test_frames_come_as_they_were_sent(frames: list[Frame], step: int) -> None:
    stream = b"".join(frame.to_bytes() for frame in frames)
    assert read(stream, 1 << 20, max(step, len(stream) // 500 + 1)) == (frames, "clean")


def test_a_frame_fits_up_to_the_limit() -> None:
    assert fits(b"x" * 7, 16)
    assert not fits(b"x" * 8, 16)


def test_a_long_frame_is_given_room_once_and_the_room_is_given_back() -> None:
    buffer = FrameBuffer(10_000_000)
    head = Frame(FrameType.CALL, 1, b"x" * 5_000_000).to_bytes()
    room = buffer.writable()
    room[:13] = head[:13]
    buffer.received(13)
    assert buffer.next() is None
    assert len(buffer.writable()) >= 5_000_000
    room = buffer.writable()
    room[: len(head) - 13] = head[13:]
    buffer.received(len(head) - 13)
    assert buffer.next() == Frame(FrameType.CALL, 1, b"x" * 5_000_000)
    assert len(buffer.writable()) <= 2 * LEAST_LIMIT
