# SPDX-License-Identifier: Apache-2.0
"""What holds of every value and of every text (clauses 5.3, 5.4, 5.28, 5.29, 6)."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isonomy.contract.canonical import canonical, canonical_tree, digest
from isonomy.contract.encoding import Walk
from isonomy.contract.envelope import Envelope, decode_outcome
from isonomy.contract.jsontext import parse, write
from isonomy.contract.outcome import Settled
from isonomy.contract.portable import PortableError, check, decode, encode
from isonomy.contract.response import ToolSuccess
from isonomy.contract.text import plain_tree
from isonomy.contract.view import model_view
from tests.contract.strategies import JSON, TAG_TREES, VALUES
from tests.expected import normal

MANY = settings(max_examples=150, deadline=None)


@given(VALUES)
@MANY
def test_what_is_written_is_read_and_written_alike(value: Any) -> None:
    written = encode(value)
    read = decode(written)
    assert encode(read) == written
    assert canonical(read) == canonical(value)
    assert digest(read) == digest(value)


@given(TAG_TREES)
@example({"$iso:set": [1.0, 1, True]})
@example({"$iso:map": [["$iso:x", 1]]})
@MANY
def test_whatever_is_read_is_written_equal(tree: Any) -> None:
    tree = json.loads(json.dumps(tree))  # which joins what is a pair of surrogates in JSON
    value = decode(json.dumps(tree))
    assert canonical(value) == canonical_tree(plain_tree(tree))


@given(JSON)
@MANY
def test_plain_json_without_surrogates_and_tags_is_itself(tree: Any) -> None:
    text = json.dumps(tree)
    if "$iso:" not in text and "\\ud" not in text:
        assert decode(text) == tree
        assert normal(encode(tree)) == normal(text)


@given(VALUES)
@MANY
def test_both_ways_through_the_codec_agree(value: Any) -> None:
    assert normal(encode(value)) == normal(write(Walk().root(value)))
    assert parse(write(Walk().root(value))) == Walk().root(value)


@given(VALUES, st.integers(0, 200))
@MANY
def test_the_limit_is_exact(value: Any, limit: int) -> None:
    size = len(encode(value))
    for most in (limit, size, size - 1):
        if size <= most:
            assert len(encode(value, max_bytes=most)) == size
            check(value, max_bytes=most)
        else:
            for function in (encode, check):
                with pytest.raises(PortableError) as refused:
                    function(value, max_bytes=most)
                assert refused.value.kind == "too_large"
                assert refused.value.message == f"the result takes more than {most} bytes"


@given(TAG_TREES.map(json.dumps), st.data())
@MANY
def test_broken_text_is_malformed_and_nothing_worse(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    broken = text[:at] + data.draw(st.text(max_size=2)) + text[at + 1 :]
    try:
        mine = parse(broken.encode("utf-8", "surrogatepass"))
    except PortableError as refused:
        assert refused.kind in ("malformed", "too_large")  # noqa: PT017 - one of two
    else:
        assert _normal_or_none(broken) == normal(write(plain_tree(mine))) or "\\ud" in broken


def _normal_or_none(text: str) -> Any:
    try:
        return normal(text.lstrip("\ufeff"))
    except ValueError:
        return None


@given(st.binary() | st.text())
@MANY
def test_any_bytes_are_an_envelope_or_internal(data: bytes | str) -> None:
    envelope = decode_outcome(data)
    assert type(envelope) is Envelope
    assert type(envelope.outcome) is Settled


@given(VALUES)
@MANY
def test_every_result_has_a_view_that_is_the_same_after_the_wire(value: Any) -> None:
    view = model_view(ToolSuccess(value))
    assert model_view(ToolSuccess(decode(encode(value)))) == view
    assert write(view.to_wire())
