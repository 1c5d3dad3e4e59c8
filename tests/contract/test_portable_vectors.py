# SPDX-License-Identifier: Apache-2.0
"""The vectors of the codec: decode, encode, equal, canonical."""

import pytest

from isonomy.contract.canonical import canonical, digest
from isonomy.contract.portable import PortableError, check, decode, encode
from tests.expected import meant, normal
from tests.making import make, named
from tests.vectors import Case, each


@each("decode")
def test_decode(case: Case) -> None:
    for data in (case["text"].encode(), case["text"], bytearray(case["text"].encode())):
        if "refused" in case:
            with pytest.raises(PortableError) as refused:
                decode(data)
            assert refused.value.kind == case["refused"]
            continue
        value = decode(data)
        assert type(value).__name__ == case["native"]["python"]
        if "value" in case:
            assert str(value) == case["value"]["python"]
        written = encode(value)
        assert normal(written) == normal(case.get("encodes", case["text"].lstrip("\ufeff")))
        assert encode(decode(written)) == written


@each("encode")
def test_encode(case: Case) -> None:
    value = make(case["make"])
    if "refused" in case:
        with pytest.raises(PortableError) as refused:
            encode(value)
        assert refused.value.kind == case["refused"]
        with pytest.raises(PortableError) as refused:
            check(value)
        assert refused.value.kind == case["refused"]
        return
    written = encode(value)
    assert normal(written) == normal(named(case["text"]))
    assert encode(decode(written)) == written
    if "strict" in case:
        with pytest.raises(PortableError) as refused:
            encode(value, strict=True)
        assert refused.value.kind == "result_conversion"
        assert refused.value.path == case["strict"]["path"]
        name = meant(case["strict"]["type"])
        assert refused.value.message == (
            f"{case['strict']['path']}: a value of type {name} has no portable form"
        )
    else:
        assert encode(value, strict=True) == written


@each("equal")
def test_equal(case: Case) -> None:
    left, right = canonical(decode(case["left"])), canonical(decode(case["right"]))
    assert (left == right) is case["equal"]


@each("canonical")
def test_canonical(case: Case) -> None:
    value = decode(case["text"])
    assert canonical(value).decode() == case["canonical"]
    assert digest(value) == case["sha256"]
