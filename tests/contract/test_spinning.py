# SPDX-License-Identifier: Apache-2.0
"""When a waiting side looks again at once: only in a quick rhythm, and never for long."""

from __future__ import annotations

import pytest

from isonomy.contract import spinning
from isonomy.contract.spinning import Spin

SOON, LATE = 150, 250
"""Microseconds."""


class Clock:
    def __init__(self) -> None:
        self.nanos = 1

    def __call__(self) -> int:
        return self.nanos

    def passes(self, micros: int) -> None:
        self.nanos += micros * 1_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(spinning, "perf_counter_ns", clock)
    return clock


def wait(spin: Spin, clock: Clock, micros: int) -> bool:
    """Wait so long for a frame; tell whether the wait began with looking."""
    looks = spin.begins()
    clock.passes(micros)
    spin.came()
    return looks


def test_it_looks_after_enough_short_waits(clock: Clock) -> None:
    spin = Spin(2)
    assert [wait(spin, clock, SOON) for _ in range(33)] == [False] * 32 + [True]


def test_a_long_wait_begins_the_count_again(clock: Clock) -> None:
    spin = Spin(2)
    for micros in [SOON] * 31 + [LATE]:
        assert not wait(spin, clock, micros)
    assert [wait(spin, clock, SOON) for _ in range(33)] == [False] * 32 + [True]


def test_looking_has_an_end_and_is_then_left_for_a_while(clock: Clock) -> None:
    spin = Spin(2)
    for _ in range(32):
        wait(spin, clock, SOON)
    assert spin.begins()
    clock.passes(99)
    assert spin.goes_on()
    clock.passes(1)
    assert not spin.goes_on()
    spin.came()
    assert [wait(spin, clock, SOON) for _ in range(32)][:31] == [False] * 31


def test_calls_that_come_slowly_never_make_it_look(clock: Clock) -> None:
    spin = Spin(64)
    assert not any(wait(spin, clock, LATE) for _ in range(1_000))


def test_one_processor_is_left_to_the_other_side(clock: Clock) -> None:
    spin = Spin(1)
    assert not any(wait(spin, clock, SOON) for _ in range(1_000))
