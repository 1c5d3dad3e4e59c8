# SPDX-License-Identifier: Apache-2.0
"""What is read as a value, what stays a tag, what is nested too deep (clauses 5.3, 5.18, 5.28)."""

from __future__ import annotations

from typing import Any

import pytest

from isonomy.contract.envelope import decode_outcome
from isonomy.contract.jsontext import may_nest_deeper, nests_deeper, parse, write
from isonomy.contract.outcome import Returned, Settled
from isonomy.contract.portable import Opaque, PortableError, Tagged, decode, encode


@pytest.mark.parametrize(
    "text",
    [
        '{"$iso:set":[{"$iso:opaque":{"type":"E","path":"${}"}}]}',
        '{"$iso:set":[{"$iso:x":1}]}',
        '{"$iso:set":[[{"$iso:x":1}]]}',
        '{"$iso:set":[{"$iso:set":[{"$iso:x":1}]}]}',
        '{"$iso:map":[[{"$iso:x":1},2]]}',
        '{"$iso:map":[[{"$iso:bytes":"aGk"},2]]}',
    ],
)
def test_tagged_and_opaque_are_no_elements_and_no_keys(text: str) -> None:
    value = decode(text)
    assert type(value) is Tagged
    assert encode(value).decode() == text


def test_tagged_and_opaque_are_values() -> None:
    value = decode('{"$iso:map":[[1,{"$iso:x":[{"$iso:bytes":"aGk="}]}]]}')
    assert value == {1: Tagged("$iso:x", [{"$iso:bytes": "aGk="}])}
    assert decode('[{"$iso:opaque":{"type":"E","path":"$"}}]') == [Opaque("E", "$")]


WRAPS = {
    "list": '[%s,"x"]',
    "object": '{"a":%s}',
    "set": '{"$iso:set":[%s]}',
    "map": '{"$iso:map":[[1,%s]]}',
}


def nested(wrap: str, depth: int, inner: str = "1") -> bytes:
    for _ in range(depth):
        inner = WRAPS[wrap] % inner
    return inner.encode()


@pytest.mark.parametrize("wrap", ["list", "object", "set", "map"])
@pytest.mark.parametrize("inner", ["1", '{"$iso:bytes":"aGk="}', "9" * 30])
def test_as_many_containers_are_read_as_are_written(wrap: str, inner: str) -> None:
    data = nested(wrap, 128, inner)
    assert encode(decode(data)) == data
    for text in (nested(wrap, 129, inner), nested(wrap, 170, inner)):
        for form in (text, text.decode(), bytearray(text), b" " + text):
            with pytest.raises(PortableError) as refused:
                decode(form)
            assert refused.value.kind == "malformed"
        envelope = decode_outcome(b'{"v":1,"outcome":"returned","value":%b}' % text)
        assert type(envelope.outcome) is Settled
    envelope = decode_outcome(b'{"v":1,"outcome":"returned","value":%b}' % data)
    assert type(envelope.outcome) is Returned


def test_a_key_counts_as_what_it_holds() -> None:
    assert encode(decode(b"[" * 126 + b'{"$iso:map":[[[1],2]]}' + b"]" * 126))
    with pytest.raises(PortableError):
        decode(b"[" * 127 + b'{"$iso:map":[[[1],2]]}' + b"]" * 127)


def test_brackets_in_texts_and_many_siblings_are_no_depth() -> None:
    values: list[Any] = [["[" * 500], [[] for _ in range(500)], [{"a": [{}]}] * 200]
    for value in values:
        assert decode(encode(value)) == value
    assert may_nest_deeper(b"[" * 300, 128)
    assert not nests_deeper(parse(b"[" * 128 + b"]" * 128), 128)
    assert nests_deeper(parse(b"[" * 129 + b"]" * 129), 128)


def test_the_payload_of_an_unknown_tag_is_json_and_as_deep_as_json_may_be() -> None:
    payload: Any = parse(b"[" * 500 + b"]" * 500)
    data = write({"$iso:x": payload})
    assert decode(data) == Tagged("$iso:x", payload)
    assert encode(decode(data)) == data


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[1,%s]", "$[1]"),
        ('{"a b":{"c":[%s]}}', '$["a b"].c[0]'),
        ('{"$iso:set":[%s]}', "${}"),
        ('{"$iso:set":[[%s]]}', "${}[0]"),
        ('{"$iso:map":[[1,{"x":%s}]]}', "${}.x"),
    ],
)
def test_too_many_digits_of_a_decimal_are_named_with_their_place(text: str, path: str) -> None:
    with pytest.raises(PortableError) as refused:
        decode(text % ('{"$iso:decimal":"' + "1" * 4301 + '"}'))
    assert refused.value.kind == "too_large"
    assert refused.value.path == path
