# SPDX-License-Identifier: Apache-2.0
import os
import signal
from pathlib import Path

import pytest

from isonomy.cli.streams import LineWriter, WriteFailed


@pytest.fixture
def out(tmp_path: Path):
    descriptor = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT)
    yield descriptor
    os.close(descriptor)


def content(descriptor: int) -> bytes:
    return os.pread(descriptor, 10_000, 0)


def test_a_line_is_finished_before_an_interrupt_is_raised(out, monkeypatch) -> None:
    real = os.write

    def in_pieces(descriptor: int, data: memoryview) -> int:
        signal.raise_signal(signal.SIGINT) if len(data) == 4 else None
        return real(descriptor, data[:2])

    monkeypatch.setattr("isonomy.cli.streams.os.write", in_pieces)
    writer = LineWriter(out)
    with pytest.raises(KeyboardInterrupt):
        writer.write(b"12345")
    assert content(out) == b"12345\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_is_raised_at_once(out, monkeypatch) -> None:
    def stuck(descriptor: int, data: memoryview) -> int:
        signal.raise_signal(signal.SIGINT)
        return 0

    monkeypatch.setattr("isonomy.cli.streams.os.write", stuck)
    with pytest.raises(KeyboardInterrupt):
        LineWriter(out).write(b"12345")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ignored_interrupts_stay_ignored(out) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        LineWriter(out).write(b"1")
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_part_of_a_line_is_taken_back(out, monkeypatch) -> None:
    real = os.write

    def full(descriptor: int, data: memoryview) -> int:
        if len(data) < 6:
            raise OSError(28, "No space left on device")
        return real(descriptor, data[:3])

    writer = LineWriter(out)
    writer.write(b"one")
    monkeypatch.setattr("isonomy.cli.streams.os.write", full)
    with pytest.raises(WriteFailed, match="No space left on device"):
        writer.write(b"second")
    assert content(out) == b"one\n"
    monkeypatch.undo()
    writer.write(b"third")
    assert content(out) == b"one\nthird\n"
