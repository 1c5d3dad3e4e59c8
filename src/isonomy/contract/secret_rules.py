# SPDX-License-Identifier: Apache-2.0
"""What looks like a secret in a text: the rules of clauses 12.2 and 12.3.

Every pattern takes time linear in the text: what could be read in two ways is read possessively,
and no two scans overlap. A pattern runs only where one of its words occurs at all.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

from isonomy.contract.misuse import Misuse

REDACTED: Final = "[redacted]"

SECRET_NAMES: Final = (
    "access_token",
    "refresh_token",
    "id_token",
    "auth_token",
    "token",
    "api_key",
    "apikey",
    "secret",
    "client_secret",
    "secret_key",
    "access_key",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "private_key",
    "credential",
    "credentials",
    "cookie",
    "set-cookie",
    "x-api-key",
)
"""The names of clause 12.3; case, and `-` in place of `_`, make no difference."""
MAX_NAME: Final = 64
"""Characters of the longest name, so that a run of underscores takes no longer than other text."""

_ANY_CASE: Final = re.ASCII | re.IGNORECASE
# No group has a possessive quantifier: CPython before 3.11.5 gives up what such a group took.
_QUOTE: Final = r"""(?:\\*+["'])?"""
_SIGN: Final = rf"{_QUOTE}[ \t]*+[=:][=>]?+[ \t]*+{_QUOTE}"
# What is redacted already counts as one character, so that `[redacted]` is replaced by itself.
_VALUE: Final = r"""(?:\[redacted\]|\\++(?!["'])|[^\s"'&,;)}\]\\])+"""
_SCHEME: Final = (
    "(?:apikey|basic|bearer|digest|dpop|gnap|hawk|hoba|mutual|negotiate|ntlm|oauth|privatetoken"
    "|signature|token|vapid|scram-sha-1|scram-sha-256|aws4-hmac-sha256)"
)
_PEM: Final = (
    r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----[^-]*+(?:-(?!----)[^-]*+)*"
    r"(?:-----END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----)?"
)
_URL: Final = r"""://[^\s/?#:"'<>]*+:[^\s/?#"'<>]*@"""
_HEADER: Final = (
    rf"(?<![A-Za-z0-9])(authorization{_SIGN}(?:{_SCHEME}[ \t]++|(?!{_SCHEME}[ \t]))){_VALUE}"
)
_AFTER_SCHEME: Final = r"(?<![A-Za-z0-9_])((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,}+"
_SHAPES: Final = (
    r"(?<![A-Za-z0-9_])(?:sk-[A-Za-z0-9_-]{16,}+|gh[pousr]_[A-Za-z0-9]{20,}+"
    r"|AKIA[A-Z0-9]{16,}+|xox[abprs]-[A-Za-z0-9-]{10,}+)"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]*+\.[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++"
)

Rule = tuple[tuple[str, ...], str, re.RegexFlag, str]
"""Words of which one occurs (lower case) where the pattern does; the pattern; what replaces it."""

_RULES: Final[tuple[Rule, ...]] = (
    (("private key",), _PEM, re.ASCII, REDACTED),
    (("://",), _URL, re.ASCII, f"://{REDACTED}@"),
    (("authorization",), _HEADER, _ANY_CASE, rf"\1{REDACTED}"),
    (("bearer", "basic"), _AFTER_SCHEME, _ANY_CASE, rf"\1{REDACTED}"),
    (
        ("sk-", "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "akia", "xox", "eyj"),
        _SHAPES,
        re.ASCII,
        REDACTED,
    ),
)
# Words of which one is in every secret name of ours.
_NAME_WORDS: Final = (
    "token",
    "secret",
    "passw",
    "passphrase",
    "pwd",
    "credential",
    "cookie",
    "_key",
    "-key",
    "apikey",
)
_MAX_PASSES: Final = 8
_NAME: Final = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{MAX_NAME - 1}}}")
_FOLD: Final = str.maketrans(string.ascii_uppercase + "-", string.ascii_lowercase + "_")


class SecretRules:
    """The rules, with names of the host's own among the secret ones. Safe to use from any thread.

    >>> SecretRules(["pin"]).text("pin=1234 for https://u:p@h/")
    'pin=[redacted] for https://[redacted]@h/'
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        own = tuple(map(_checked, names))
        known = {_folded(name) for name in (*SECRET_NAMES, *own)}
        self._keys = frozenset((*known, "authorization"))
        words = (*_NAME_WORDS, *(max(_folded(name).split("_"), key=len) for name in own))
        self._named: Rule = (words, _name_pattern(known), _ANY_CASE, rf"\1{REDACTED}")

    def text(self, text: str) -> str:
        """Apply the rules until nothing changes: what one took away may have hidden another."""
        for _ in range(_MAX_PASSES):
            before = text
            lower = text.lower()
            for words, pattern, instead in self._rules:
                if any(word in lower for word in words):
                    text = pattern.sub(instead, text)
            if text == before:
                break
        return text

    def is_secret(self, key: str) -> bool:
        """Tell whether the value of a key is secret whatever it is (clause 12.4)."""
        # One character more than a name has: the one that must stand before it.
        name = _folded(key[-MAX_NAME - 1 :])
        start = 0 if len(key) <= MAX_NAME else name.find("_") + 1 or len(name)
        while name[start:] not in self._keys:
            start = name.find("_", start) + 1
            if not start:
                return False
        return True

    @cached_property
    def _rules(self) -> list[tuple[tuple[str, ...], re.Pattern[str], str]]:
        """The rules, compiled when the first text comes, which may be never."""
        rules = (*_RULES, self._named)
        return [(words, re.compile(rule, flags), text) for words, rule, flags, text in rules]


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Misuse(
            f"a secret name is made of at most {MAX_NAME} letters, digits, _ and -, and starts with"
            f" a letter or digit, got {name!r}; use a pattern for other texts"
        )
    return str(name)


def _folded(name: str) -> str:
    return name.translate(_FOLD)


def _name_pattern(names: Iterable[str]) -> str:
    """Make the pattern of a secret name, its sign and its value (clause 12.3).

    A value that is a secret name with its sign takes along the value after that.
    """
    spelt = sorted(names, key=len, reverse=True)
    name = "(?:" + "|".join(each.replace("_", "[_-]") for each in spelt) + ")"
    ends_so = rf"(?:[A-Za-z0-9]*+[_-]++)*?{name}"
    return rf"(?<![A-Za-z0-9])({name}{_SIGN})(?:{ends_so}{_SIGN})*{_VALUE}"


DEFAULT_RULES: Final = SecretRules()
"""The rules where the host adds no names."""
