# SPDX-License-Identifier: Apache-2.0
"""Strict reading of JSON text, compact writing (clauses 5.5 to 5.8, 5.28)."""

import inspect
import sys
from typing import Any

import pytest

from isonomy.contract.jsontext import may_hold_tags, parse, write
from isonomy.contract.paths import key_step
from isonomy.contract.portable import PortableError


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("-0", 0),
        ("18446744073709551616", 2**64),
        ("-9223372036854775809", -(2**63) - 1),
        ("1e400".replace("400", "300"), 1e300),
        ("1e-400", 0.0),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\\ud800"', "\ud800"),
        (" [ 1 , 2 ] ", [1, 2]),
        ('{"a":1,"A":2}', {"a": 1, "A": 2}),
    ],
)
def test_read(text: str, tree: Any) -> None:
    for data in (text, text.encode(), memoryview(text.encode()), bytearray(text.encode())):
        made = parse(data)
        assert made == tree
        assert type(made) is type(tree)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a":1,"b":{"c":1,"c":2}}', 'the key "c" appears twice'),
        (b"1e400", "a number is too large for a binary64"),
        (b"[NaN]", "NaN is no JSON number"),
        (b"-Infinity", "-Infinity is no JSON number"),
        (b'"\xff"', "it is not UTF-8"),
        (b'"\xed\xa0\x80"', "it is not UTF-8"),
        ("1".encode("utf-16"), "it is not UTF-8"),
        (b"[" * 513 + b"]" * 513, "it is nested deeper than 512"),
        (b"[" * 100_000, "it is nested deeper than 512"),
        (b'{"a":' * 100_000, "it is nested deeper than 512"),
        (b"1 2", "Extra data at column 3"),
        (b"[1,\n 2 3]", "Expecting ',' delimiter at line 2, column 4"),
    ],
)
def test_refused(data: bytes, reason: str) -> None:
    with pytest.raises(PortableError) as refused:
        parse(data)
    assert refused.value.kind == "malformed"
    assert refused.value.message == f"malformed JSON: {reason}"


def test_brackets_in_strings_are_no_nesting() -> None:
    assert parse(b'["' + b"[" * 1000 + b'","\\"[' + b'[{"]') == ["[" * 1000, '"[' + "[{"]
    assert parse(b"[" * 512 + b"]" * 512)


def test_too_many_digits_are_named_with_their_place() -> None:
    with pytest.raises(PortableError) as refused:
        parse('{"a b":[1,{"c":-' + "9" * 4301 + "}]}")
    assert refused.value.kind == "too_large"
    assert refused.value.path == '$["a b"][1].c'
    assert refused.value.message == '$["a b"][1].c: an integer of more than 4300 digits'
    assert parse("-" + "9" * 4300) == -(10**4300) + 1


def test_a_thread_with_little_stack_left_refuses() -> None:
    def deep(frames: int) -> None:
        if frames:
            deep(frames - 1)
        else:
            parse(b"[" * 400 + b"]" * 400 + b" ")

    with pytest.raises(PortableError, match="nested deeper than the stack of this thread allows"):
        deep(sys.getrecursionlimit() - len(inspect.stack(0)) - 50)


def test_write_is_compact_and_takes_what_orjson_refuses() -> None:
    assert write({"a": [1, "é"]}) == '{"a":[1,"é"]}'.encode()
    assert write([2**64, 1.0]) == b"[18446744073709551616,1.0]"
    deep: Any = []
    for _ in range(400):
        deep = [deep]
    assert parse(write(deep)) == deep


def test_steps_of_paths() -> None:
    assert key_step("a_1") == ".a_1"
    assert key_step("1a") == '["1a"]'
    assert key_step('a"\n\ud800é') == '["a\\"\\n\\ud800é"]'


@pytest.mark.parametrize(
    ("data", "may"),
    [
        (b'{"a":1}', False),
        (b'{"a":"$5"}', False),
        (b'{"a":"\\n"}', False),
        (b'{"$iso:x":1}', True),
        (b'{"\\u0024iso:x":1}', True),
        ('{"a":1}', True),
    ],
)
def test_text_that_may_hold_tags(data: bytes | str, may: bool) -> None:
    assert may_hold_tags(data) is may
