# SPDX-License-Identifier: Apache-2.0
"""Both languages take the same secrets out of the same texts (clause 12)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.expected import normal
from tests.java_classes import javac

from isonomy.bridge.machine import running
from isonomy.contract.portable import decode, encode
from isonomy.contract.redaction import Redactor
from isonomy.contract.secret_rules import SECRET_NAMES
from isonomy.contract.secret_values import SecretValues

pytestmark = pytest.mark.skipif(javac() is None, reason="no JDK was found")

SECRETS = [
    "t1-acme",
    'a"b\\c\nd',
    "it's 'x'",
    "caf\u00e9\u00a0\u200b\U0001f600",
    "p@ss/ w\u00f6rd",
    "cme:pass",
]

WORDS = [
    *SECRET_NAMES,
    *("authorization", "Proxy-Authorization", "HTTP_AUTHORIZATION", "bearer", "Basic", "digest"),
    *(
        "scram-sha-1",
        "scram_sha_1",
        "[redacted]",
        "DB_PASSWORD",
        "to\u212aen",
        "my",
        "PIN",
        "licence",
    ),
    *("://", "u", ":", "::", ":=", "=>", "==", "@", "=", " ", "\t", "\n", "\r\n", "\v", "\f"),
    *("'", '"', "\\", '\\"', "\\\\", ",", "]", "[", "/", "-", "_", "&", ";", ")", "}", "?", "<"),
    *("sk-", "a" * 16, "abcdef", "ghp_", "A" * 20, "AKIA", "xoxb-", "1" * 10, "eyJ", "."),
    *(
        "\u00e9",
        "\u00df",
        "\u5bc6\u7801",
        "\u00a0",
        "\u3000",
        "\u2028",
        "\x1c",
        "\x1f",
        "\x85",
        "\u212a",
        "\u0131",
        "\u017f",
    ),
    *("\u0130", "\uff11", "\U0001f600", "\u0301", "\u200b"),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY", "-----END PRIVATE KEY-----"),
    *("-----", "-----BEGIN ", " BLOCK-----", "PRIVATE KEY"),
    *SECRETS,
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=30).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"])
)


class Java:
    """The redactor of the Java core."""

    def __init__(self) -> None:
        import jpype

        loader = running().bridge("BridgeEndpoint").class_.getClassLoader()

        def contract(name: str) -> Any:
            return jpype.JClass(loader.loadClass(f"dev.isonomy.contract.{name}"))

        self._redactor = contract("Redactor").DEFAULT.withName("pin").withName("licence-key")
        self._values = contract("SecretValues")
        self._portable = contract("Portable")
        self._list = jpype.java.util.ArrayList
        self._bytes = jpype.JArray(jpype.JByte)

    def values(self, secrets: list[str]) -> Any:
        listed = self._list()
        for secret in secrets:
            listed.add(secret)
        return self._values.of(listed)

    def text(self, text: str, values: Any) -> str:
        return str(self._redactor.text(text, values))

    def details(self, portable: bytes, values: Any) -> bytes:
        details = self._portable.decode(self._bytes(portable))
        return bytes(self._portable.encode(self._redactor.details(details, values)))


@pytest.fixture(scope="module")
def java() -> Java:
    return Java()


PYTHON = Redactor(names=["pin", "licence-key"])


@given(text=TEXTS, secrets=st.lists(st.sampled_from(SECRETS), max_size=4))
@example(text="password://hunter2", secrets=[])
@example(text="éPASSWORD=x password:\u00a0hunter2", secrets=[])
@example(text="credentials: db_password: token: ", secrets=[])
@example(text="AKIAABCDEFGHIJKLMNOPsk-aaaaaaaaaaaaaaaa", secrets=[])
@example(text="x://u@h:p@i:80/", secrets=[])
@settings(max_examples=1_500, deadline=None)
def test_the_same_text_has_the_same_secrets(java: Java, text: str, secrets: list[str]) -> None:
    redacted = PYTHON.text(text, secrets)
    assert java.text(text, java.values(secrets)) == redacted
    assert PYTHON.text(redacted, secrets) == redacted


@given(
    secret=st.text(st.characters(exclude_categories=["Cs", "Cn"]), min_size=4, max_size=12),
    before=st.sampled_from(["", "x", "'", '"', "é"]),
)
@settings(max_examples=500, deadline=None)
def test_the_same_forms_of_a_secret_are_replaced(java: Java, secret: str, before: str) -> None:
    values = java.values([secret])
    for form in SecretValues([secret]):
        text = f"{before}{form}{before}"
        assert java.text(text, values) == PYTHON.text(text, [secret])


DETAILS = st.recursive(
    TEXTS | st.none() | st.integers() | st.binary() | st.sampled_from([b"x t1-acme y"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXTS, inner, max_size=3)
        | st.dictionaries(TEXTS | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(details=DETAILS)
@settings(max_examples=500, deadline=None)
def test_the_same_details_have_the_same_secrets(java: Java, details: Any) -> None:
    portable = encode(details)
    redacted = encode(PYTHON.details(decode(portable), SECRETS))
    assert normal(java.details(portable, java.values(SECRETS))) == normal(redacted)
