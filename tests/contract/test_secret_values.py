# SPDX-License-Identifier: Apache-2.0
"""What is secret of injected values, and in which forms it is found (clauses 12.5, 12.6, 12.8)."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretBytes, SecretStr

from isonomy.contract.error import MAX_RAW, Cause, ErrorKind, ToolError
from isonomy.contract.misuse import Misuse
from isonomy.contract.redaction import DEFAULT_REDACTOR, Redactor, without_values
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.contract.secret_values import NONE, SecretValues


@dataclass
class Login:
    user: str
    password: str
    inner: Any = None


class Account(BaseModel):
    region: str
    key: SecretStr


class Loud:
    """A value of the host's own class, of which nothing is known."""

    token = "s3cr3t"


class Endless(Mapping[str, str]):
    def __getitem__(self, key: str) -> str:
        return "s3cr3t"

    def __iter__(self) -> Iterator[str]:
        while True:
            yield "k"

    def __len__(self) -> int:
        return 1


class NoHash(type):  # noqa: PLW1641 - it is about that
    def __eq__(cls, other: object) -> bool:
        return cls is other


class Unhashable(metaclass=NoHash):
    """An instance of a class that is not hashable."""


LOOP: list[Any] = ["s3cr3t"]
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "value",
    [
        "s3cr3t",
        b"s3cr3t",
        bytearray(b"s3cr3t"),
        [1, ("x", {"s3cr3t"})],
        deque(["s3cr3t"]),
        {"any": {1: "s3cr3t"}},
        SecretStr("s3cr3t"),
        SecretBytes(b"s3cr3t"),
        Login("someone", "s3cr3t"),
        [Login("x", "y", {"token": "s3cr3t"})],
        Account(region="north", key=SecretStr("s3cr3t")),
        {"login": [Account(region="north", key=SecretStr("s3cr3t"))]},
        LOOP,
        Endless(),
    ],
)
def test_texts_are_found_in_values_of_every_shape(value: Any) -> None:
    assert SecretValues([value]).replaced("a s3cr3t b") == "a [redacted] b"


def test_no_text_is_passed_over_for_what_stands_beside_it() -> None:
    rows = [0] * 200_000
    config = {"k": "s3cr3t", "rows": rows, "texts": [f"text-{n}" for n in range(20_000)]}
    for value in ([config], ["s3cr3t", rows], [rows, {"a": [Unhashable(), "s3cr3t"]}]):
        assert SecretValues(value).replaced("a s3cr3t b") == "a [redacted] b"
    shared = ["s3cr3t"]
    for values in ([Login("x", "y", shared), shared], [shared, Login("x", "y", shared)]):
        assert SecretValues(values).replaced("a s3cr3t b") == "a [redacted] b"
    many: list[Any]
    for many in ([[] for _ in range(1_000_001)], [f"{n:07}" for n in range(100_002)]):
        with pytest.raises(Misuse, match="too much to be searched"):
            SecretValues([many])


def test_an_object_is_more_than_data() -> None:
    login = Login("someone", "s3cr3t", {"region": "north", "api-key": ["k-0123"]})
    text = "someone north s3cr3t k-0123"
    assert SecretValues([login]).replaced(text) == "someone north [redacted] [redacted]"
    assert (
        SecretValues([Account(region="north", key=SecretStr("abcd"))]).replaced("north") == "north"
    )
    for value in (Loud(), 123456, None, True, "abc", ["abc"], {"s3cr3t": 1}):
        assert SecretValues([value]).replaced("s3cr3t 123456 abc True") == "s3cr3t 123456 abc True"


@given(st.text(min_size=4).filter(lambda text: text not in "[redacted]"))
def test_escaped_forms_are_found(secret: str) -> None:
    secrets = SecretValues([secret])
    plain = secret.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    forms = [secret, json.dumps(secret), json.dumps(secret, ensure_ascii=False), repr(secret)]
    forms += [repr([secret, "'"]), repr(f"'{secret}"), repr(f'"{secret}'), repr(f"'\"{secret}")]
    if plain == secret:
        forms.append(quote(secret, safe=""))
    for form in forms:
        assert "[redacted]" in secrets.replaced(f"{form} x"), form


@given(st.binary(min_size=4))
def test_bytes_are_found_as_base64_and_as_python_writes_them(data: bytes) -> None:
    secrets = SecretValues([data])
    assert "[redacted]" in secrets.replaced(repr(data))
    assert "[redacted]" in secrets.replaced(repr(b"'" + data))
    assert secrets.are_in(b"\x00" + data + b"\x00")
    details = {"a": data, b"x" + data: 1, "b": b"other"}
    made = DEFAULT_REDACTOR.details(details, [data])
    assert made["a"] == "[redacted]"
    assert made["[redacted]"] == 1


def test_a_host_s_redactor_is_given_the_forms() -> None:
    forms = list(SecretValues(['a"bc']))
    assert set(forms) == {'a\\"bc', "a%22bc", 'a"bc'}
    assert forms[-1] == 'a"bc'
    assert SecretValues.of([]) is NONE
    assert not NONE
    secrets = SecretValues(["abcd"])
    assert SecretValues.of(secrets) is secrets


def test_our_own_words_lose_injected_values_and_nothing_else() -> None:
    violation = {"path": '["t1-acme"]', "rule": "type", "message": "token: x"}
    error = ToolError(
        ErrorKind.INVALID_ARGUMENTS,
        '["t1-acme"]: token: x',
        details={"violations": [violation], "path": 1},
    )
    failure = ToolFailure(error)
    assert without_values(failure, NONE) is failure
    clean = without_values(failure, SecretValues(["t1-acme", "path"])).error
    assert clean.message == '["[redacted]"]: token: x'
    assert clean.details == {
        "violations": [{"path": '["[redacted]"]', "rule": "type", "message": "token: x"}],
        "path": 1,
    }


HALF = "sk-abcdefghijkl"  # too short to be known by its shape


def test_half_of_a_secret_at_a_cut_is_gone() -> None:
    text = "password=" + "x" * (MAX_RAW - 1 - len("password= ") - len(HALF)) + f" {HALF}"
    failure = ToolResponse.error(text + "mnopqrstuvwxyz")
    assert failure.error.message.endswith(f"{HALF}…")
    made = DEFAULT_REDACTOR.failure(failure).error
    assert made.message == "…"
    cause = Cause("E", text + "mnop")
    with_cause = ToolFailure(
        ToolError(ErrorKind.EXCEPTION, "m", causes=(cause,), details=[cause.message])
    )
    made = DEFAULT_REDACTOR.failure(with_cause).error
    assert HALF not in repr((made.causes, made.details))


@pytest.mark.parametrize("language", ["python", "java"])
def test_half_of_a_long_secret_at_the_cut_of_a_trace_is_gone(language: str) -> None:
    secret = "y" * 10_000
    rest = " token=" + "x" * (MAX_RAW - 8 - 9_999)
    trace = f"{secret[1:]}{rest} " if language == "python" else f"a{rest}{secret[1:]}"
    assert len(trace) == MAX_RAW
    error = ToolError(ErrorKind.EXCEPTION, "m", language=language, trace=trace)
    made = DEFAULT_REDACTOR.failure(ToolFailure(error), [secret]).error
    assert "yyyy" not in (made.trace or "")


def test_a_whole_text_of_that_length_is_cut_at_most_once() -> None:
    failure = ToolFailure(ToolError(ErrorKind.EXCEPTION, "m", trace="x" * (MAX_RAW - 1)))
    assert DEFAULT_REDACTOR.failure(failure).error.trace == "x" * 65_536


@pytest.mark.parametrize("name", ["a b", "_x", "é", "x" * 65, "a.b", "", 5])
def test_a_name_is_a_name(name: Any) -> None:
    with pytest.raises(Misuse, match="a secret name is made of"):
        Redactor(names=[name])


def test_the_longest_name() -> None:
    redactor = Redactor(names=["x" * 64])
    assert redactor.text(f"a_{'x' * 64}=1") == f"a_{'x' * 64}=[redacted]"
    assert redactor.details({f"a_{'x' * 64}": 1, "x" * 65: 1}) == {
        f"a_{'x' * 64}": "[redacted]",
        "x" * 65: 1,
    }


@pytest.mark.parametrize("unit", ["_", "-", "a_", "_password", "x"])
def test_long_keys_take_linear_time(unit: str) -> None:
    key = unit * (1_000_000 // len(unit))
    made = DEFAULT_REDACTOR.details({key: 1})
    assert made == {key: "[redacted]" if unit == "_password" else 1}
