# SPDX-License-Identifier: Apache-2.0
"""The vectors of responses, errors, envelopes and views."""

import pytest

from isonomy.contract.capture import error_info
from isonomy.contract.envelope import decode_outcome, encode_outcome
from isonomy.contract.jsontext import parse, write
from isonomy.contract.mapping import to_response
from isonomy.contract.misuse import Misuse
from isonomy.contract.portable import PortableError
from isonomy.contract.response import ToolResponse
from isonomy.contract.view import model_view
from tests.expected import check_error, check_response, normal
from tests.making import exception, failure
from tests.vectors import Case, each


@each("response")
def test_response(case: Case) -> None:
    if "refused" in case:
        assert case["refused"] is True
        with pytest.raises(PortableError) as refused:
            ToolResponse.from_wire(parse(case["text"]))
        assert refused.value.kind == "malformed"
        return
    response = ToolResponse.from_wire(parse(case["text"]))
    assert response.is_success is (case["status"] == "success")
    assert normal(write(response.to_wire())) == normal(case.get("encodes", case["text"]))
    assert response == ToolResponse.from_wire(response.to_wire())
    for name in ("kind", "message", "effect"):
        if name in case:
            assert getattr(response.error, name) == case[name]


@each("error", lambda case: "info" in case)
def test_error_of_exception(case: Case) -> None:
    check_error(error_info(exception(case["raises"])), case["info"])


@each("error", lambda case: "make" in case)
def test_error_of_factory(case: Case) -> None:
    if "refused" in case:
        assert case["refused"] is True
        with pytest.raises(Misuse):
            failure(case["make"])
        return
    check_error(failure(case["make"]).error, case["error"])


@each("envelope")
def test_envelope(case: Case) -> None:
    envelope = decode_outcome(case["text"].encode())
    check_response(to_response(envelope.outcome), case["response"])
    again = decode_outcome(
        encode_outcome(envelope.outcome, decoded=envelope.decoded, progress=envelope.progress)
    )
    assert again == envelope


@each("view")
def test_view(case: Case) -> None:
    response = ToolResponse.from_wire(parse(case["response"]))
    assert model_view(response, **case["options"]).to_wire() == case["view"]
