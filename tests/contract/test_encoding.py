# SPDX-License-Identifier: Apache-2.0
"""What has a portable form, what is Opaque, and what no value can do to the encoder."""

import decimal
import enum
import threading
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from types import SimpleNamespace
from typing import Any, ClassVar, TypedDict
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import numpy as np
import orjson
import pytest
from pydantic import BaseModel, ConfigDict, RootModel

from isonomy.contract.canonical import canonical
from isonomy.contract.content import Block
from isonomy.contract.portable import (
    Opaque,
    PortableError,
    Tagged,
    check,
    decode,
    encode,
    register_converter,
    to_tree,
)
from isonomy.contract.response import ToolResponse


def text(value: Any) -> str:
    return encode(value).decode()


def opaque(value: Any, path: str = "$") -> None:
    """Check that a value is Opaque in place, and named when strict."""
    made = decode(encode(value))
    assert type(made) is Opaque, made
    assert made.path == path
    with pytest.raises(PortableError) as refused:
        encode(value, strict=True)
    assert refused.value.kind == "result_conversion"
    assert refused.value.message == f"{path}: a value of type {made.type} has no portable form"


class Dated(enum.Enum):
    """Members whose values orjson would write wrongly, without a word."""

    ID = UUID(int=1)
    NAN = float("nan")
    TAG = {"$iso:x": 1}  # noqa: RUF012 - the value of a member


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Real(float):
    pass


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (UUID(int=1), '{"$iso:uuid":"00000000-0000-0000-0000-000000000001"}'),
        ([1, UUID(int=1)], '[1,{"$iso:uuid":"00000000-0000-0000-0000-000000000001"}]'),
        (Dated.ID, '{"$iso:uuid":"00000000-0000-0000-0000-000000000001"}'),
        ({"a": Dated.NAN}, '{"a":{"$iso:float":"NaN"}}'),
        ([Dated.TAG], '[{"$iso:map":[["$iso:x",1]]}]'),
        (Flags.A | Flags.B, "3"),
        (Text("a"), '"a"'),
        ({Text("a"): Text("b")}, '{"a":"b"}'),
        (Number(5), "5"),
        (Real(5), "5.0"),
        ([float("inf")] * 40, "[" + ",".join(['{"$iso:float":"Infinity"}'] * 40) + "]"),
        ([0.5, float("nan")], '[0.5,{"$iso:float":"NaN"}]'),
        ([2**64] * 2, "[18446744073709551616,18446744073709551616]"),
        ({"$iso:x": 1}, '{"$iso:map":[["$iso:x",1]]}'),
        ("$iso:x", '"$iso:x"'),
        ({"a": '"$iso:'}, '{"a":"\\"$iso:"}'),
        (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
        (defaultdict(int, a=1), '{"a":1}'),
        (Counter("aa"), '{"a":2}'),
        (ChainMap({"a": 1}, {"b": 2}), '{"b":2,"a":1}'),
        (UserDict({"a": 1}), '{"a":1}'),
        (UserList([1]), "[1]"),
        (range(3), "[0,1,2]"),
        (deque([1, 2], maxlen=1), "[2]"),
        ({1: 2}.keys(), '{"$iso:set":[1]}'),
        (memoryview(b"abcd")[::2], '{"$iso:bytes":"YWM="}'),
        ((), "[]"),
        ({(1, (2, frozenset({3}))): None}, '{"$iso:map":[[[1,[2,{"$iso:set":[3]}]],null]]}'),
        ({None: 1}, '{"$iso:map":[[null,1]]}'),
        ({("a\0",): 1}, '{"$iso:map":[[["a\\u0000"],1]]}'),
        (Opaque("E", "$.a"), '{"$iso:opaque":{"type":"E","path":"$.a"}}'),
        (Tagged("$iso:x", {"$iso:y": "\ud800"}), '{"$iso:x":{"$iso:y":{"$iso:str":[55296]}}}'),
        (timedelta(days=-1, microseconds=1), '{"$iso:duration":"-86399.999999"}'),
        (time(1, 2, 3, 40, tzinfo=UTC), '{"$iso:offsettime":"01:02:03.00004Z"}'),
    ],
)
def test_form(value: Any, expected: str) -> None:
    assert text(value) == expected
    assert encode(value, strict=True) == expected.encode()
    assert encode(decode(expected)) == expected.encode()


@pytest.mark.parametrize(
    "value",
    [
        object(),
        1j,
        ValueError("boom"),
        iter([1]),
        (number for number in [1]),
        zip([1], [2], strict=True),
        {1: 2}.values(),
        SimpleNamespace(a=1),
        len,
        test_form,
        threading.Lock(),
        int,
        Dated,
        orjson.Fragment(b"{broken"),
        Ellipsis,
        NotImplemented,
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_form(value: Any) -> None:
    opaque(value)
    assert decode(encode([1, value])) == [1, Opaque(decode(encode(value)).type, "$[1]")]


# Objects with fields


@dataclass(slots=True)
class Order:
    number: int
    lines: list[Any] = field(default_factory=list)
    hidden: InitVar[int] = 0
    count: ClassVar[int] = 7


@dataclass
class Money:
    amount: int


class Unset(msgspec.Struct):
    name: str
    size: int = 3


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str
    inner: dict[str, Any] = {}


class Rows(RootModel[list[int]]):
    pass


class Row(TypedDict):
    a: int


@dataclass
class Late:
    never: int = field(init=False)


def test_fields_verbatim_and_in_order() -> None:
    assert text(Order(1, [Money(2)])) == '{"number":1,"lines":[{"amount":2}]}'
    assert text(Unset("n")) == '{"name":"n","size":3}'
    assert text(Loose(name="n", more=[1])) == '{"name":"n","inner":{},"more":[1]}'  # type: ignore[call-arg]
    assert text(Rows([1])) == '{"root":[1]}'
    assert text(Row(a=1)) == '{"a":1}'
    opaque(Late())
    opaque(Money)


def test_converters() -> None:
    class Base:
        pass

    class Derived(Base):
        pass

    class Other(Base):
        pass

    register_converter(Base, lambda _: "base")
    assert text([Base(), Derived()]) == '["base","base"]'
    register_converter(Derived, lambda _: Base())
    register_converter(Other, lambda _: Other())
    assert text(Derived()) == '"base"'
    opaque(Other())

    @dataclass
    class Pair:
        left: int

    assert text(Pair(1)) == '{"left":1}'
    register_converter(Pair, lambda pair: [pair.left])
    assert text(Pair(1)) == "[1]"
    deep: Any = Pair(1)
    for _ in range(127):
        deep = [deep]
    assert "opaque" not in text(deep)


@pytest.mark.parametrize(
    "raises", [ValueError("x"), SystemExit(1), GeneratorExit(), RecursionError(), MemoryError()]
)
def test_a_converter_that_raises_is_opaque(raises: BaseException) -> None:
    class Broken:
        pass

    def convert(_: Any) -> Any:
        raise raises

    register_converter(Broken, convert)
    made = decode(encode({"a": [Broken(), 1]}))
    assert made["a"][1] == 1
    assert made["a"][0].path == "$.a[0]"
    opaque(Broken())


def test_ctrl_c_in_a_converter_passes() -> None:
    class Slow:
        pass

    def convert(_: Any) -> Any:
        raise KeyboardInterrupt

    register_converter(Slow, convert)
    with pytest.raises(KeyboardInterrupt):
        encode(Slow())


# Containers that are not ours


class Odd(Mapping[Any, Any]):
    """A mapping that says one thing and does another."""

    def __init__(self, says: int, raises: bool = False) -> None:
        self.says, self.raises = says, raises

    def __len__(self) -> int:
        return self.says

    def __getitem__(self, key: Any) -> Any:
        return key

    def __iter__(self) -> Iterator[Any]:
        number = 0
        while True:
            if self.raises:
                raise RuntimeError("no more")
            yield number
            number += 1


class Endless(Sequence[Any]):
    def __init__(self, says: int) -> None:
        self.says = says

    def __len__(self) -> int:
        return self.says

    def __getitem__(self, index: Any) -> Any:
        return index


def test_foreign_containers_are_bounded_by_what_they_say() -> None:
    assert text(Odd(2)) == '{"$iso:map":[[0,0],[1,1]]}'
    opaque(Odd(2, raises=True))
    opaque(Odd(-1))
    assert text(Endless(3)) == "[0,1,2]"
    for vast in (Endless(10**12), range(10**12), Odd(10**12)):
        with pytest.raises(PortableError, match="the result takes more than 1000 bytes"):
            encode(vast, max_bytes=1000)


def test_cycles_and_shared_parts() -> None:
    loop: dict[str, Any] = {"a": []}
    loop["a"].append(loop)
    assert text(loop) == '{"a":[{"$iso:opaque":{"type":"dict","path":"$.a[0]"}}]}'
    shared = [1]
    assert text({"a": shared, "b": [shared, (shared,)]}) == '{"a":[1],"b":[[1],[[1]]]}'
    order = Order(1)
    order.lines.append(order)
    assert decode(encode(order))["lines"][0].path == "$.lines[0]"


def test_parts_shared_without_end_are_refused_at_once() -> None:
    laughs: Any = ["ha"]
    for _ in range(100):
        laughs = [laughs, laughs]
    wide: Any = [0] * 1000
    for _ in range(4):
        wide = [wide] * 1000
    rows: Any = [[0] * 100_000] * 100_000
    fields: Any = [dict.fromkeys(map(str, range(100_000)))] * 100_000
    for vast in (laughs, wide, rows, fields, {"a": wide}, [{"a": laughs, "b": object()}]):
        for function in (encode, check):
            with pytest.raises(PortableError, match="the result takes more than 100000 bytes"):
                function(vast, max_bytes=100_000)


@pytest.mark.parametrize("deep", [128, 129, 200, 5_000, 100_000])
def test_depth(deep: int) -> None:
    for wrap in (lambda inner: [inner], lambda inner: {"a": inner}, lambda inner: (inner,)):
        value: Any = wrap(1)
        for _ in range(deep - 1):
            value = wrap(value)
        written = encode(value)
        assert (b"opaque" in written) is (deep > 128)
        assert written.count(b"[") + written.count(b'{"a"') >= 128
        value = None  # let go from the outside, as Python does for lists


def test_keys_that_would_merge_make_the_map_opaque() -> None:
    class Key:
        pass

    assert type(decode(encode({Key(): 1, Key(): 2}))) is Opaque
    opaque({Text("red"): 1, Red.RED: 2, "x": 3})
    assert text({Key(): 1}).startswith('{"$iso:map":[[{"$iso:opaque"')


class Red(enum.Enum):
    RED = "red"


def test_a_list_that_changes_meanwhile_does_no_harm() -> None:
    values: dict[str, Any] = {"a": [object()]}

    class Meddler:
        pass

    def convert(_: Any) -> Any:
        values["b"] = 1
        del values["a"]
        return "done"

    register_converter(Meddler, convert)
    values["m"] = Meddler()
    assert decode(encode(values))["m"] == "done"


# Dates and decimals


class Strange(tzinfo):
    def __init__(self, offset: Any) -> None:
        self.offset = offset

    def utcoffset(self, _: Any) -> Any:
        if isinstance(self.offset, Exception):
            raise self.offset
        return self.offset

    def dst(self, _: Any) -> Any:
        return None

    def tzname(self, _: Any) -> Any:
        return "strange"


def test_zones() -> None:
    moment = datetime(2024, 7, 1, 12)  # noqa: DTZ001 - a zone is put on it
    plus = timezone(timedelta(hours=2))

    def zoned(zone: tzinfo) -> str:
        ((tag, payload),) = to_tree(moment.replace(tzinfo=zone)).items()
        return f"{tag} {payload}"

    assert zoned(plus) == "$iso:offsetdatetime 2024-07-01T12:00:00+02:00"
    assert zoned(ZoneInfo("UTC")) == "$iso:offsetdatetime 2024-07-01T12:00:00Z"
    assert zoned(ZoneInfo("Etc/GMT+5")) == (
        "$iso:zoneddatetime 2024-07-01T12:00:00-05:00[Etc/GMT+5]"
    )
    assert zoned(Strange(timedelta(hours=2))) == "$iso:offsetdatetime 2024-07-01T12:00:00+02:00"
    assert zoned(Strange(None)) == "$iso:datetime 2024-07-01T12:00:00"
    opaque(moment.replace(tzinfo=timezone(timedelta(microseconds=1))))
    opaque(moment.replace(tzinfo=Strange(RuntimeError("no offset"))))
    opaque(time(12, tzinfo=ZoneInfo("Europe/Berlin")))


def test_a_time_in_a_gap_is_kept_as_it_is() -> None:
    gap = datetime(2024, 3, 31, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    written = encode(gap)
    assert written == b'{"$iso:zoneddatetime":"2024-03-31T02:30:00+01:00[Europe/Berlin]"}'
    assert type(decode(written)) is Tagged
    assert encode(decode(written)) == written


class Stamp(datetime):
    """Like pandas' Timestamp, a datetime with nanoseconds."""

    nanosecond: Any = 7


def test_nanoseconds_of_a_subclass_are_kept() -> None:
    assert text(Stamp(2024, 1, 1)) == '{"$iso:datetime":"2024-01-01T00:00:00.000000007"}'
    broken = Stamp(2024, 1, 1)
    broken.nanosecond = float("nan")
    opaque(broken)


def test_the_context_of_the_host_changes_no_decimal() -> None:
    value = decimal.Decimal("1E+30")
    with decimal.localcontext(decimal.Context(prec=3, capitals=0, traps=[decimal.Inexact])):
        assert text(value) == '{"$iso:decimal":"1E+30"}'
        assert decode(text(decimal.Decimal("123456789.123"))) == decimal.Decimal("123456789.123")
        assert type(decode('{"$iso:decimal":"one"}')) is Tagged


# Limits


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (10**4300, "$"),
        ({"a": [1, -(10**4300)]}, "$.a[1]"),
        ({10**4300: 1}, "${}"),
        ({decimal.Decimal("1" * 4301)}, "${}"),
        ([Number(10**4300)], "$[0]"),
        (ToolResponse.success(10**4300), "$.result"),
    ],
    ids=["alone", "nested", "key", "decimal", "subclass", "response"],
)
def test_too_many_digits(value: Any, path: str) -> None:
    for function in (encode, check, canonical):
        with pytest.raises(PortableError) as refused:
            function(value)
        assert refused.value.kind == "too_large"
        assert refused.value.path == path
        assert refused.value.message == f"{path}: an integer of more than 4300 digits"


def test_the_most_digits_there_may_be() -> None:
    for value in (10**4300 - 1, -(10**4300) + 1, decimal.Decimal("-0." + "1" * 4300)):
        assert decode(encode(value)) == value


def test_large_things_are_refused_before_they_are_written() -> None:
    million = 1_000_000
    for value in (
        np.broadcast_to(np.int8(1), (million, million)),
        [np.broadcast_to(np.float64(1), (million, 1000))],
        np.broadcast_to(np.complex128(1), (million, 1000)),
        {"a": b"x" * million},
        ["x" * million],
        [Tagged("$iso:x", "x" * million)],
    ):
        with pytest.raises(PortableError, match="the result takes more than 1000 bytes"):
            encode(value, max_bytes=1000)


# numpy


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float16(0.1), "0.0999755859375"),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (np.str_("é"), '"é"'),
        (np.bytes_(b"hi"), '{"$iso:bytes":"aGk="}'),
        (np.datetime64("2024-01-01"), '{"$iso:date":"2024-01-01"}'),
        (np.datetime64("2024-01-01T00:00", "ms"), '{"$iso:datetime":"2024-01-01T00:00:00"}'),
        (
            np.datetime64("1969-12-31T23:59:59.999999999"),
            '{"$iso:datetime":"1969-12-31T23:59:59.999999999"}',
        ),
        (np.timedelta64(-1500, "ms"), '{"$iso:duration":"-1.5"}'),
        (np.timedelta64(-1, "ns"), '{"$iso:duration":"-0.000000001"}'),
        (np.array(5), "5"),
        (np.array([[1, 2], [3, 4]], dtype=">i4"), "[[1,2],[3,4]]"),
        (np.array([0.5, np.nan]), '[0.5,{"$iso:float":"NaN"}]'),
        (np.array([0.1], dtype="float32"), "[0.10000000149011612]"),
        (np.array(["a", "bc"]), '["a","bc"]'),
        (np.array([b"hi"]), '[{"$iso:bytes":"aGk="}]'),
        (np.array([{"a": 1}, None], dtype=object), '[{"a":1},null]'),
        (np.array(["2024-01-01"], dtype="datetime64[D]"), '[{"$iso:date":"2024-01-01"}]'),
        (
            np.array(["2024-01-01"], dtype="datetime64[ns]"),
            '[{"$iso:datetime":"2024-01-01T00:00:00"}]',
        ),
        (np.zeros((2, 0)), "[[],[]]"),
        (np.array([True]), "[true]"),
        ({np.int64(1): np.int64(2)}, '{"$iso:map":[[1,2]]}'),
        ({np.str_("a"): 1}, '{"a":1}'),
    ],
)
def test_numpy(value: Any, expected: str) -> None:
    assert text(value) == expected
    assert encode(value, strict=True) == expected.encode()


@pytest.mark.parametrize(
    "value",
    [
        np.longdouble(1),
        np.complex64(1),
        np.datetime64("NaT"),
        np.timedelta64("NaT"),
        np.timedelta64(1, "M"),
        np.datetime64(1, "ps"),
        np.dtype("int8"),
    ],
    ids=repr,
)
def test_numpy_without_form(value: Any) -> None:
    opaque(value)


def test_numpy_paths() -> None:
    made = decode(encode({"a": np.array([[1j]])}))
    assert made["a"][0][0].path == "$.a[0][0]"
    loop = np.empty(1, dtype=object)
    loop[0] = loop
    assert decode(encode(loop))[0].path == "$[0]"


# Responses inside values


def test_a_response_inside_a_value_is_its_wire_form() -> None:
    block = Block("chart", {"of": {"$iso:x": 1}, "odd": object(), "text": "a\ud800"})
    inner = ToolResponse.success({"$iso:x": 1}, [block], {"$iso:y": {1}, "a b": object()})
    made = to_tree([inner])[0]
    assert made["result"] == {"$iso:map": [["$iso:x", 1]]}
    assert made["content"][0]["of"] == {"$iso:x": 1}
    assert made["content"][0]["text"] == "a\ufffd"
    assert made["content"][0]["odd"]["$iso:opaque"]["path"] == "$[0].content[0].odd"
    assert made["meta"]["$iso:y"] == {"$iso:set": [1]}
    assert made["meta"]["a b"]["$iso:opaque"]["path"] == '$[0].meta["a b"]'
    failure = ToolResponse.error("no", details={"lock": object()})
    error = to_tree({"r": failure})["r"]["error"]
    assert error["details"]["lock"]["$iso:opaque"]["path"] == "$.r.error.details.lock"
    holder: list[Any] = []
    holder.append(ToolResponse.success(holder))
    assert to_tree(holder)[0]["result"]["$iso:opaque"]["path"] == "$[0].result"
