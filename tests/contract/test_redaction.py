# SPDX-License-Identifier: Apache-2.0
"""Redaction: the vectors, whole failures, redactors of the host, and what no text can do to it."""

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isonomy.contract.content import Block
from isonomy.contract.error import Cause, ErrorKind, ToolError
from isonomy.contract.portable import Tagged, decode, encode
from isonomy.contract.redaction import DEFAULT_REDACTOR, Redactor, redacted
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.contract.secret_rules import SECRET_NAMES, SecretRules
from isonomy.contract.tagged import Opaque
from tests.expected import normal
from tests.vectors import Case, each


@each("redaction")
def test_redaction(case: Case) -> None:
    secrets = case.get("injected", [])
    if "text" in case:
        once = Redactor().text(case["text"], secrets)
        assert once == case["redacted"]
        assert Redactor().text(once, secrets) == once
    else:
        made = Redactor().details(decode(case["details"]), secrets)
        assert normal(encode(made)) == normal(case["redacted"])
        assert encode(Redactor().details(made, secrets)) == encode(made)


FAILURE = ToolFailure(
    ToolError(
        ErrorKind.EXCEPTION,
        "Authorization: Bearer abc123",
        type="x.Error",
        details={"members": [{"type": "E", "message": "token=hunter2", "language": "python"}]},
        causes=(Cause("x.Cause", "postgres://u:s3cr3tp@h"),),
        trace="at ?access_token=xyz",
    ),
    content=(
        Block("text", {"text": "password=hunter2", "annotations": {"p": 1}}),
        Block.image(b"hi", "image/png"),
    ),
    meta={"password": "stays: it is for the application"},
)


def test_every_outlet_of_a_failure_is_redacted() -> None:
    made = DEFAULT_REDACTOR.failure(FAILURE)
    assert made.error.message == "Authorization: Bearer [redacted]"
    assert made.error.causes == (Cause("x.Cause", "postgres://[redacted]@h"),)
    assert made.error.trace == "at ?access_token=[redacted]"
    assert made.error.details["members"][0]["message"] == "token=[redacted]"
    assert [block.to_wire() for block in made.content] == [
        {"type": "text", "text": "password=[redacted]", "annotations": {"p": 1}},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
    ]
    assert made.meta == FAILURE.meta
    for secret in ("abc123", "s3cr3tp", "xyz", "hunter2"):
        assert secret not in encode(made.to_wire() | {"meta": None}).decode()
    assert DEFAULT_REDACTOR.failure(made) == made


def test_a_failure_without_secrets_is_itself() -> None:
    failure = ToolResponse.error("no stock", code="token")
    assert DEFAULT_REDACTOR.failure(failure) is failure


def test_a_secret_that_the_cut_would_halve_is_redacted() -> None:
    failure = ToolResponse.error("x" * 8_180 + " password=hunter2")
    message = DEFAULT_REDACTOR.failure(failure).error.message
    assert len(message) == 8_192
    assert message.endswith((" password=[…", " password…"))
    assert "hunt" not in message


def test_details_of_any_shape() -> None:
    class Login:
        """Has no portable form."""

    details = {
        ("a", 1): "token=abc",
        "seen": {"pwd=x"},
        "odd": Tagged("$iso:x", {"password": "p"}),
        "late": Tagged("$iso:time", "12:00:00.000000001"),
        "login": Login(),
        "cookie": Login(),
    }
    made = DEFAULT_REDACTOR.details(details)
    assert made[("a", 1)] == "token=[redacted]"
    assert made["seen"] == {"pwd=[redacted]"}
    assert made["odd"] == Tagged("$iso:x", {"password": "[redacted]"})
    assert made["late"] == Tagged("$iso:time", "12:00:00.000000001")
    assert made["login"].type.endswith("Login")
    assert made["cookie"] == "[redacted]"
    assert DEFAULT_REDACTOR.details({"n": 10**4300}) == {"n": Opaque("int", "$.n")}


def test_names_in_a_chain_hide_the_value_behind_the_last() -> None:
    assert DEFAULT_REDACTOR.text("credentials: password: hunter2 x") == "credentials: [redacted] x"
    assert (
        DEFAULT_REDACTOR.text(r"{\"password\": \"hunter2\"}") == r"{\"password\": \"[redacted]\"}"
    )
    assert DEFAULT_REDACTOR.text("password=[redacted]-rest x") == "password=[redacted] x"
    assert DEFAULT_REDACTOR.text("-----BEGIN PRIVATE KEY-----\nMIIB cut sho") == "[redacted]"


def test_the_host_adds_names_and_patterns() -> None:
    redactor = Redactor(names=["X-Pin", "otp"], patterns=[r"cust-\d+"])
    assert redactor.text("x_pin: 1234 OTP=99 cust-17 token=a") == (
        "x_pin: [redacted] OTP=[redacted] [redacted] token=[redacted]"
    )
    assert redactor.details({"x-PIN": 1234}) == {"x-PIN": "[redacted]"}
    assert DEFAULT_REDACTOR.text("x_pin: 1234 cust-17") == "x_pin: 1234 cust-17"


class Raising:
    def failure(self, failure: ToolFailure, secrets: Any = ()) -> ToolFailure:
        raise SystemExit("the redactor is broken")


class Wrong:
    def failure(self, failure: ToolFailure, secrets: Any = ()) -> ToolFailure:
        return None  # type: ignore[return-value]  # a redactor that forgets to return


@pytest.mark.parametrize("redactor", [Raising(), Wrong()])
def test_a_broken_redactor_leaves_nothing_to_see(redactor: Any) -> None:
    made = redacted(FAILURE, redactor)
    assert made.error.message == "[redacted]"
    assert made.error.kind == "exception"
    assert made.error.type == "x.Error"
    assert made.error.details is None
    assert made.error.trace is None
    assert made.error.causes == (Cause("x.Cause", "[redacted]"),)
    assert [block.type for block in made.content] == ["image"]


def test_what_a_host_s_redactor_gives_is_cut() -> None:
    class Growing:
        def failure(self, failure: ToolFailure, secrets: Any = ()) -> ToolFailure:
            return ToolResponse.error("y" * 9_000)

    assert len(redacted(FAILURE, Growing()).error.message) == 8_192


WORDS = [
    *SECRET_NAMES,
    *("authorization", "proxy-authorization", "bearer", "basic", "digest", "[redacted]"),
    *("://", "u", ":", "@", "=", " ", "\t", "\n", "'", '"', "\\", ",", "]", "[", "/", "-", "_"),
    *("sk-", "a" * 16, "ghp_", "A" * 20, "AKIA", "xoxb-", "1" * 10, "eyJ", ".", "é", "\ud800"),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----"),
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=40).map("".join)


@given(TEXTS | st.text())
@example("AKIAABCDEFGHIJKLMNOPsk-aaaaaaaaaaaaaaaa")
@example("token: password: [redacted]")
@settings(max_examples=300, deadline=None)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = DEFAULT_REDACTOR.text(text)
    assert DEFAULT_REDACTOR.text(once) == once


@given(
    st.sampled_from(SECRET_NAMES),
    st.sampled_from("=:"),
    st.from_regex(r"[!$%A-Za-z0-9]{5,20}", fullmatch=True),
)
def test_a_value_after_a_secret_name_is_gone(name: str, sign: str, value: str) -> None:
    for spelt in (name, name.upper(), name.replace("_", "-")):
        assert DEFAULT_REDACTOR.text(f"a {spelt}{sign}{value} b") == f"a {spelt}{sign}[redacted] b"


@pytest.mark.parametrize(
    "unit",
    [
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN " + "A" * 40,
        "-----BEGIN PRIVATE KEY",
        "token:",
        "token: ",
        "token" + " " * 50,
        'password\\\\\\"',
        "authorization: bearer ",
        "bearer basic ",
        "bearer" + "\n" * 50,
        "://a:",
        "://a:b",
        "://" + "a" * 60,
        "a@:",
        "sk-",
        "sk-a",
        "AKIA",
        "eyJ",
        "eyJa.",
        "eyJa.b",
        "x-eyJ.",
        "[redacted]",
        "token=[redacted]",
        "token=[redacted",
        "xoxb-",
        "gho_A",
        "=:",
        "\\",
    ],
)
def test_long_texts_of_one_kind_take_linear_time(unit: str) -> None:
    # 262,144 code points, the most that reaches a host; quadratic time would be hours.
    text = (unit * (262_144 // len(unit) + 1))[:262_144]
    assert Redactor().text(f"{text} password=hunter2").endswith(("[redacted]", "hunter2"))


@pytest.mark.parametrize(
    "unit",
    ["\\", "\\x", "a_", "-", "db_password: ", "token", "[redacted", "authorization: ", "\u00a0"],
)
@pytest.mark.parametrize("name", ["password=", "authorization: scram-sha-1 ", "token:\\'"])
def test_long_values_take_linear_time(name: str, unit: str) -> None:
    text = name + (unit * (262_144 // len(unit) + 1))[:262_144]
    assert Redactor().text(text).startswith(name)


def test_no_group_is_possessive() -> None:
    """CPython before 3.11.5 lets such a group give up what it took, or take what it must not."""
    rules = [pattern.pattern for _, pattern, _ in SecretRules(["pin"])._rules]
    assert rules
    assert [rule for rule in rules if re.search(r"\)(?:[*+?]|\{\d*,?\d*\})\+|\(\?>", rule)] == []
