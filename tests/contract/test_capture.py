# SPDX-License-Identifier: Apache-2.0
"""Making an error from an exception never raises, whatever the exception does (clause 4.13)."""

import sys
import traceback
from itertools import pairwise
from types import new_class
from typing import Any

import pytest

from isonomy.contract.capture import causes, error_info, raised, sole_leaf
from isonomy.contract.error import Cause, ErrorKind, ToolError
from isonomy.contract.foreign import type_name
from isonomy.contract.mapping import to_response
from isonomy.contract.outcome import Raised, Returned
from isonomy.contract.portable import encode
from isonomy.contract.response import ToolFailed, ToolFailure, ToolResponse


def caught(function: Any) -> BaseException:
    with pytest.raises(BaseException) as info:  # noqa: PT011 - whatever it raises
        function()
    return info.value


def _refuse(self: Any) -> Any:
    raise RuntimeError("no such thing")


class Silent(Exception):  # noqa: N818
    """Its text raises, and not an Exception at that."""

    def __str__(self) -> str:
        raise SystemExit("no text")


class Odd(Exception):  # noqa: N818
    """Every attribute that an error is made of raises."""

    __cause__ = __context__ = __traceback__ = __notes__ = property(_refuse)

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")


class Text(str):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __len__(self) -> int:
        raise RuntimeError("no length")


class Textual(Exception):  # noqa: N818
    def __str__(self) -> str:
        return Text("fine")


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        (KeyError("sku"), "'sku'"),
        (ValueError(), "ValueError"),
        (ValueError("  \n"), "ValueError"),
        (ValueError(7), "7"),
        (ValueError("a", 1), "('a', 1)"),
        (ValueError("a\ud800b"), "a\ufffdb"),
        (ValueError("\x00"), "\x00"),
        (SystemExit(3), "3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration(5), "5"),
        (OSError(2, "gone", "f.txt"), "[Errno 2] gone: 'f.txt'"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), None),
        (SyntaxError("bad", ("f.py", 1, 2, "text")), "bad (f.py, line 1)"),
        (Silent(), f"{__name__}.Silent"),
        (Odd, None),
        (Textual(), "fine"),
        (ExceptionGroup("g", [ValueError("a"), KeyError("b")]), "g (2 sub-exceptions)"),
    ],
)
def test_message(exception: Any, message: str | None) -> None:
    if exception is Odd:  # which pytest cannot look at
        exception = Odd("text")
    info = error_info(exception)
    if message is not None:
        assert info.message == message
    assert type(info.message) is str
    assert info.message.strip()
    assert info.type == type_name(type(exception))
    assert info.language == "python"
    assert encode(to_response(Raised(info)).to_wire())


def test_a_message_of_a_mebibyte_is_cut_at_the_host_only() -> None:
    info = error_info(ValueError("x" * 1_048_576))
    assert len(info.message) == 262_144
    response = to_response(Raised(info))
    assert response.error is not None
    assert len(response.error.bounded().message) == 8_192


def test_every_overridden_attribute_is_passed_by() -> None:
    def fail() -> None:
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise Odd("outer") from inner

    info = error_info(caught(fail))
    assert info.causes == (Cause("KeyError", "'inner'"),)
    assert info.type.endswith(".Odd")


def test_causes_follow_cause_then_context_unless_suppressed() -> None:
    def by_context() -> None:
        try:
            raise KeyError("a")
        except KeyError:
            raise ValueError("b")  # noqa: B904 - the context is what is tested

    def suppressed() -> None:
        try:
            raise KeyError("a")
        except KeyError:
            raise ValueError("b") from None

    assert causes(caught(by_context)) == (Cause("KeyError", "'a'"),)
    assert causes(caught(suppressed)) == ()


def test_a_chain_that_meets_itself_ends() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert causes(first) == (Cause("ValueError", "second"),)
    own = ValueError("own")
    own.__cause__ = own
    assert error_info(own).causes == ()


def test_at_most_sixteen_causes_of_a_very_long_chain() -> None:
    chain = [ValueError(str(number)) for number in range(50_000)]
    for outer, inner in pairwise(chain):
        outer.__cause__ = inner
    info = error_info(chain[0])
    assert [cause.message for cause in info.causes] == [str(n) for n in range(1, 17)]


def test_a_chain_goes_on_across_languages() -> None:
    inner = ToolError(
        ErrorKind.EXCEPTION,
        "no stock",
        language="java",
        type="java.lang.IllegalStateException",
        causes=(Cause("java.io.IOException", "disk", "java"),),
    )

    def fail() -> None:
        try:
            ToolFailure(inner).unwrap()
        except ToolFailed as failed:
            raise ValueError("outer") from failed

    assert causes(caught(fail)) == (
        Cause("java.lang.IllegalStateException", "no stock", "java"),
        Cause("java.io.IOException", "disk", "java"),
    )


def test_a_group_of_one_leaf_is_the_leaf() -> None:
    leaf = ValueError("leaf")
    deep = ExceptionGroup("a", [ExceptionGroup("b", [leaf])])
    assert sole_leaf(deep) is leaf
    assert error_info(deep).type == "ValueError"
    two = ExceptionGroup("a", [leaf, ExceptionGroup("b", [KeyError("x")])])
    assert sole_leaf(two) is two


def test_a_group_keeps_sixteen_leaves_depth_first_and_counts_the_rest() -> None:
    leaves = [ValueError(str(number)) for number in range(40)]
    group = ExceptionGroup("g", [*leaves[:3], ExceptionGroup("h", leaves[3:30]), *leaves[30:]])
    info = error_info(group)
    assert [member.message for member in info.members] == [str(number) for number in range(16)]
    assert info.more == 24
    response = to_response(Raised(info))
    assert response.error is not None
    assert response.error.details["more"] == 24
    assert len(response.error.details["members"]) == 16


def test_groups_that_share_members_without_end_are_bounded() -> None:
    group: ExceptionGroup[Exception] = ExceptionGroup("g", [ValueError("a"), ValueError("b")])
    for _ in range(200):
        group = ExceptionGroup("g", [group, group])
    info = error_info(group)
    assert info.more == 100_000 - 16
    outer = ValueError("outer")
    outer.__cause__ = group
    assert error_info(outer).causes == (Cause("ExceptionGroup", "g (2 sub-exceptions)"),)


def test_a_failure_in_the_place_of_an_exception() -> None:
    failure = ToolResponse.error("no seats")
    assert raised(ToolFailed(failure)) == Returned(failure)
    assert raised(ExceptionGroup("g", [ToolFailed(failure)])) == Returned(failure)
    outcome = raised(ExceptionGroup("g", [ToolFailed(failure), ToolFailed(failure)]))
    assert isinstance(outcome, Raised)
    assert [member.message for member in outcome.error.members] == ["no seats", "no seats"]


def test_trace_is_formatted_and_bounded() -> None:
    def recurse(depth: int) -> None:
        recurse(depth + 1)

    def fail() -> None:
        try:
            recurse(0)
        except RecursionError as inner:
            raise ValueError("x" * 1_000_000) from inner

    info = error_info(caught(fail))
    assert info.trace is not None
    assert len(info.trace) == 262_144
    assert info.trace.endswith("x\n")
    trace = error_info(caught(lambda: {"a": 1}["sku"])).trace
    assert trace is not None
    assert trace.startswith("Traceback (most recent call last):\n")
    assert trace.endswith("KeyError: 'sku'\n")


def test_trace_looks_as_python_s_own() -> None:
    def fail() -> None:
        try:
            try:
                raise KeyError("a")
            except KeyError:
                raise OSError("b")  # noqa: B904 - the context is what is tested
        except OSError as inner:
            inner.add_note("a note")
            raise ValueError("c") from inner

    failed = caught(fail)
    own = traceback.format_exception(type(failed), failed, failed.__traceback__, limit=-100)
    assert error_info(failed).trace == "".join(own)
    assert error_info(ValueError("never raised")).trace == "ValueError: never raised\n"
    assert error_info(ValueError()).trace == "ValueError\n"


def test_trace_leaves_out_the_frames_of_the_runtime() -> None:
    # A tool that calls into the package again: frames of ours below the body stay.
    def body() -> None:
        ToolResponse.error("no").unwrap()

    failed = caught(body)
    trace = error_info(ValueError("x").with_traceback(failed.__traceback__)).trace
    assert trace is not None
    assert "in body" in trace
    assert "in unwrap" in trace
    inner = failed.__traceback__
    while inner is not None and "response.py" not in inner.tb_frame.f_code.co_filename:
        inner = inner.tb_next
    only_ours = error_info(ValueError("x").with_traceback(inner)).trace
    assert only_ours is not None
    assert "in unwrap" in only_ours


def test_names_of_types() -> None:
    assert type_name(int) == "int"
    assert type_name(Silent) == f"{__name__}.Silent"
    made = new_class("Made", (Exception,))
    made.__module__ = None  # type: ignore[assignment]
    assert type_name(made) == "Made"

    class Meta(type):
        __module__ = property(_refuse)

    class Hidden(Exception, metaclass=Meta):  # noqa: N818
        pass

    assert type_name(Hidden).endswith("Hidden")
    assert error_info(Hidden()).type.endswith("Hidden")


def test_the_interrupt_of_a_user_is_not_swallowed() -> None:
    class Interrupted(Exception):  # noqa: N818
        def __str__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        error_info(Interrupted())


def test_recursion_limit_inside_str_falls_back() -> None:
    class Endless(Exception):  # noqa: N818
        def __str__(self) -> str:
            return str(self)

    limit = sys.getrecursionlimit()
    assert error_info(Endless()).message.endswith("Endless")
    assert sys.getrecursionlimit() == limit
