# SPDX-License-Identifier: Apache-2.0
"""The values: no senseless state can be built, nothing changes, nothing private is shown."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from isonomy.contract.call import ToolCall, ToolRequest
from isonomy.contract.content import Block
from isonomy.contract.envelope import BridgeCall
from isonomy.contract.error import Cause, Effect, ErrorInfo, ErrorKind, ToolError
from isonomy.contract.misuse import IsonomyError, Misuse
from isonomy.contract.outcome import Raised, Returned, Settled
from isonomy.contract.portable import Opaque, PortableError, Tagged
from isonomy.contract.response import ToolFailed, ToolFailure, ToolResponse, ToolSuccess
from isonomy.contract.value import value

ERROR = ToolError(
    ErrorKind.TOOL_ERROR,
    "no stock",
    code="STOCK",
    details={"password": "hunter2"},
    causes=(Cause("KeyError", "'sku'"),),
    trace="Traceback: hunter2",
)
VALUES = [
    Block.text("t"),
    Cause("KeyError", "'sku'"),
    ERROR,
    ErrorInfo("KeyError", "'sku'", trace="Traceback: hunter2"),
    ToolSuccess(1, ("shown",), {"a": 1}),  # type: ignore[arg-type]  # strings are made blocks
    ToolFailure(ERROR),
    Returned(1),
    Raised(ErrorInfo("E", "m")),
    Settled(ERROR),
    Settled(ERROR, ("shown",), {"a": 1}),  # type: ignore[arg-type]  # strings are made blocks
    ToolCall("search", {"q": "hunter2"}, "c1"),
    ToolRequest((ToolCall("search"),), "r1"),
    Tagged("$iso:x", [1]),
    Opaque("E", "$"),
    BridgeCall("search", {"q": "hunter2"}, {"tenant": "hunter2"}),
]


@pytest.mark.parametrize("made", VALUES, ids=lambda made: type(made).__name__)
def test_values_never_change_and_equal_ones_are_alike(made: Any) -> None:
    fields = [field.name for field in dataclasses.fields(made)]
    for name in (*fields, "more"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, name, 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(made, name)
    assert not hasattr(made, "__dict__")
    for twin in (copy.copy(made), copy.deepcopy(made), dataclasses.replace(made)):
        assert type(twin) is type(made)
        assert twin == made
        assert repr(twin) == repr(made)
    assert pickle.loads(pickle.dumps(made)) == made
    assert made != "another"


@pytest.mark.parametrize(
    "made",
    [each for each in VALUES if type(each) is not BridgeCall],
    ids=lambda m: type(m).__name__,
)
def test_equal_values_hash_alike(made: Any) -> None:
    assert hash(copy.deepcopy(made)) == hash(made)
    assert len({made, copy.deepcopy(made)}) == 1


@pytest.mark.parametrize("made", VALUES, ids=lambda made: type(made).__name__)
def test_no_representation_tells_private_things(made: Any) -> None:
    assert "hunter2" not in repr(made)
    assert len(repr(dataclasses.replace(made))) < 400


def test_a_long_message_is_short_in_a_representation() -> None:
    error = ToolError(ErrorKind.INTERNAL, "x" * 9_000)
    for made in (error, ToolFailure(error), Settled(error), ToolFailed(error)):
        assert len(repr(made)) < 400


def test_a_value_names_itself_and_its_parameters() -> None:
    assert ToolSuccess.__name__ == "ToolSuccess"
    assert ToolSuccess.__qualname__ == "ToolSuccess"
    assert ToolSuccess.__module__ == "isonomy.contract.response"
    match ToolResponse.success(3):
        case ToolSuccess(result=result):
            assert result == 3
        case _:
            pytest.fail("a success matches ToolSuccess")
    with pytest.raises(TypeError, match="unexpected keyword argument 'odd'"):
        ToolSuccess(odd=1)  # type: ignore[call-arg]


def test_a_value_may_set_its_fields_while_it_is_a_draft() -> None:
    shared = [1]

    @value
    class Point:
        x: int
        y: int = 0
        path: Any = shared

        def __post_init__(self: Any) -> None:
            self.y = abs(self.y)

    point = Point(1, y=-2)
    assert (point.x, point.y) == (1, 2)
    assert point.path is shared
    assert repr(Point(1, 2, "p")).endswith("Point(x=1, y=2, path='p')")
    assert Point(1, 2, "p") == Point(1, -2, "p")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]


def test_there_is_no_third_kind_of_response() -> None:
    with pytest.raises(TypeError, match="use ToolResponse"):
        ToolResponse()
    with pytest.raises(TypeError, match="there is no third form"):

        class Third(ToolResponse):
            pass

    with pytest.raises(TypeError, match="there is no third form"):

        class Fourth(ToolSuccess):  # type: ignore[misc]  # it is final
            pass

    assert sorted(dataclasses.fields(ToolSuccess), key=lambda field: field.name)
    assert {field.name for field in dataclasses.fields(ToolSuccess)} == {
        "result",
        "content",
        "meta",
    }
    assert {field.name for field in dataclasses.fields(ToolFailure)} == {"error", "content", "meta"}


def test_a_failure_without_an_error_cannot_be_built() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'error'"):
        ToolFailure()  # type: ignore[call-arg]
    for wrong in (None, "boom", {"kind": "tool_error"}, ToolResponse.error, ErrorInfo("E", "m")):
        with pytest.raises(Misuse, match="a failure holds a ToolError, not"):
            ToolFailure(wrong)  # type: ignore[arg-type]


def test_factories_are_on_the_class_and_flags_on_instances() -> None:
    success, failure = ToolResponse.success(1), ToolResponse.error("no")
    assert (success.is_success, failure.is_success) == (True, False)
    assert success.error is None
    assert failure.error == ToolError(ErrorKind.TOOL_ERROR, "no")
    for response in (success, failure):
        with pytest.raises(AttributeError, match="use `is_success`"):
            _ = response.success
        assert not hasattr(response, "success")
    assert ToolSuccess.success(2) == ToolSuccess(2)
    assert ToolSuccess.error("no") == failure
    assert ToolFailure.success(2) == ToolSuccess(2)


@pytest.mark.parametrize("inner", [ToolResponse.success(1), ToolResponse.error("no")])
def test_a_response_is_no_result(inner: ToolResponse) -> None:
    for make in (ToolResponse.success, ToolSuccess):
        with pytest.raises(Misuse, match="return that response itself"):
            make(inner)
    assert ToolResponse.success([inner]).result == [inner]


def test_content_and_meta_are_copied_once() -> None:
    content: list[Any] = ["one", {"type": "chart", "points": [1]}, Block.text("two")]
    meta = {"a": 1}
    response = ToolResponse.success(None, content, meta)
    content.clear()
    meta["b"] = 2
    assert response.content == (
        Block.text("one"),
        Block("chart", {"points": [1]}),
        Block.text("two"),
    )
    assert response.meta == {"a": 1}
    assert type(response.meta) is MappingProxyType
    assert ToolResponse.success(1, "alone").content == (Block.text("alone"),)
    assert ToolResponse.success(1, [], {}) == ToolSuccess(1)
    fields = {"text": "t"}
    block = Block("text", fields)
    fields["text"] = "changed"
    assert block.fields == {"text": "t"}
    with pytest.raises(TypeError):
        block.fields["text"] = "changed"  # type: ignore[index]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ToolResponse.success(1, [3]), "content holds blocks and strings, not int"),  # type: ignore[list-item]
        (lambda: ToolResponse.success(1, [{"text": "t"}]), "blocks and strings, not dict"),  # type: ignore[list-item]
        (lambda: ToolResponse.success(1, meta=[1]), "`meta` of a response is a map"),  # type: ignore[arg-type]
        (lambda: ToolResponse.error("m", meta={1: 2}), "`meta` of a response is a map"),  # type: ignore[dict-item]
        (lambda: ToolResponse.error("m", code=1.5), "`code` of an error is a string or"),  # type: ignore[arg-type]
        (lambda: ToolResponse.error("m", code=True), "`code` of an error is a string or"),
        (lambda: ToolResponse.error("m", retryable=1), "`retryable` of an error is True"),  # type: ignore[arg-type]
        (lambda: ToolResponse.error("m", retry_after_ms=-1), "`retry_after_ms` of an error"),
        (lambda: ToolResponse.error("m", retry_after_ms=1.0), "`retry_after_ms` of an error"),  # type: ignore[arg-type]
        (lambda: ToolResponse.error("m", retry_after_ms=True), "`retry_after_ms` of an error"),
        (lambda: Block(3), "a block's type is a string, not int"),  # type: ignore[arg-type]
        (lambda: Block("text", {"type": "x"}), "a block's type is given once"),
        (lambda: Tagged("bytes", 1), "the tag of a Tagged starts with"),
        (lambda: ToolCall(3), "`tool` of a call is a name, not int"),  # type: ignore[arg-type]
        (lambda: ToolCall("a", call_id=3), "`call_id` of a call is a string or None"),  # type: ignore[arg-type]
        (lambda: ToolRequest(("a",)), "`calls` of a request holds ToolCall values"),  # type: ignore[arg-type]
        (lambda: ToolRequest(ToolCall("a")), "calls are given as a list, such as"),  # type: ignore[arg-type]
        (lambda: ToolRequest((), id=3), "`id` of a request is a string or None"),  # type: ignore[arg-type]
        (lambda: ToolFailed(ERROR, code="x"), "a failure, or a message with fields, not both"),
    ],
)
def test_misuse_is_one_clear_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(Misuse) as misuse:
        make()
    assert sentence in str(misuse.value)
    assert isinstance(misuse.value, IsonomyError)
    assert "\n" not in str(misuse.value)


def test_unwrap_gives_the_result_or_raises_the_failure() -> None:
    assert ToolResponse.success({"a": 1}).unwrap() == {"a": 1}
    failure = ToolResponse.error("no stock", code=7, content=["t"])
    with pytest.raises(ToolFailed, match=r"^no stock$") as raised:
        failure.unwrap()
    assert raised.value.response is failure
    assert raised.value.error.code == "7"
    assert isinstance(raised.value, IsonomyError)


def test_tool_failed_takes_a_failure_an_error_or_a_message() -> None:
    failure = ToolResponse.error("no", code="X")
    assert ToolFailed(failure).response is failure
    assert ToolFailed(failure.error).response == failure
    assert ToolFailed("no", code="X").response == failure
    assert repr(ToolFailed("no")) == "ToolFailed('no')"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("", "tool_error"),
        (" \t\n", "tool_error"),
        ("\u3000\u00a0", "tool_error"),
        ("\u200b", "\u200b"),
        ("\x1c", "\x1c"),
        ("\x00", "\x00"),
        (" m ", " m "),
        ("a\ud800\udc00b", "a\ufffd\ufffdb"),
        (7, "7"),
        (None, "tool_error"),
        (ValueError("boom"), "boom"),
    ],
)
def test_a_message_is_never_blank(message: Any, kept: str) -> None:
    assert ToolResponse.error(message).error.message == kept


def test_an_error_falls_back_to_its_type() -> None:
    assert ToolError(ErrorKind.EXCEPTION, "", type="x.E").message == "x.E"
    assert ToolError(ErrorKind.EXCEPTION, "", type="").message == "exception"
    assert Cause("x.E", " ").message == "x.E"


def test_kind_and_effect_may_be_given_as_text() -> None:
    error = ToolError("timeout", "m", "none")  # type: ignore[arg-type]
    assert error.kind is ErrorKind.TIMEOUT
    assert error.effect is Effect.NONE
    with pytest.raises(ValueError, match="odd"):
        ToolError("odd", "m")  # type: ignore[arg-type]


def test_cut_is_what_the_clauses_say() -> None:
    error = ToolError(
        ErrorKind.EXCEPTION,
        "m" * 8_193,
        type="E",
        causes=(Cause("E", "c" * 8_193), Cause("E", "c" * 8_192)),
        trace="start" + "t" * 65_536,
    )
    cut = error.bounded()
    assert cut.message == "m" * 8_191 + "…"
    assert cut.trace == "t" * 65_536
    assert cut.causes == (Cause("E", "c" * 8_191 + "…"), Cause("E", "c" * 8_192))
    java = dataclasses.replace(error, language="java").bounded()
    assert java.trace == "start" + "t" * 65_531
    assert cut.bounded() is cut
    assert ToolError(ErrorKind.INTERNAL, "m" * 300_000).message == "m" * 262_143 + "…"


def test_public_view_of_an_error() -> None:
    error = ToolError(
        ErrorKind.EXCEPTION, "secret", type="x.E", code="C", retryable=False, retry_after_ms=0
    )
    hints = {"code": "C", "retryable": False, "retry_after_ms": 0}
    assert error.public() == {"kind": "exception", "message": "secret"} | hints
    assert error.public("type") == {"kind": "exception", "message": "x.E"} | hints
    declared = ToolError(ErrorKind.TOOL_ERROR, "said", type="x.E")
    assert declared.public("type") == {"kind": "tool_error", "message": "said"}


def test_blocks_of_every_kind() -> None:
    made = [
        Block.text("t"),
        Block.image(b"hi", "image/png"),
        Block.audio(b"hi", "audio/wav"),
        Block.resource({"uri": "file:///a"}),
        Block.link("file:///b", "b", title="B"),
    ]
    wire = [block.to_wire() for block in made]
    assert wire == [
        {"type": "text", "text": "t"},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a"}},
        {"type": "resource_link", "uri": "file:///b", "name": "b", "title": "B"},
    ]
    assert [Block.from_wire(block) for block in wire] == made
    assert list(Block.from_wire({"a": 1, "type": "x", "b": 2}).to_wire()) == ["type", "a", "b"]
    with pytest.raises(PortableError, match="an object with a string `type`"):
        Block.from_wire({"text": "t"})


def test_a_success_hashes_as_its_result_does() -> None:
    assert {ToolSuccess((1, 2)): 1}[ToolSuccess((1, 2))] == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(ToolSuccess([1]))
    assert isinstance(ToolSuccess(1).meta, Mapping)


def test_tagged_values_compare_by_their_encodings() -> None:
    assert Tagged("$iso:x", {"a": 1, "b": 2}) == Tagged("$iso:x", {"b": 2, "a": 1})
    assert Tagged("$iso:x", 1) != Tagged("$iso:x", True)
    assert Tagged("$iso:x", 1) != Tagged("$iso:x", 1.0)
    assert Tagged("$iso:x", 1) != Tagged("$iso:y", 1)


def test_an_argument_that_a_factory_does_not_take_is_told_with_its_public_name() -> None:
    for make in (ToolResponse.error, ToolFailed):
        with pytest.raises(TypeError, match=r"^ToolResponse\.error\(\) got .* 'retry_after'$"):
            make("x", retry_after=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^ToolResponse\.success\(\) got .* 'code'$"):
        ToolResponse.success(1, code="A")  # type: ignore[call-arg]
