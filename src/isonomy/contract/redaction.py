# SPDX-License-Identifier: Apache-2.0
"""Redaction: secrets never leave in a failure (clause 12).

Every pattern takes time linear in the text: what could be read in two ways is read possessively,
and no two scans overlap. A pattern runs only where one of its words occurs at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, Protocol

from isonomy.contract.content import Block, is_text
from isonomy.contract.decoding import from_tree
from isonomy.contract.encoding import Walk
from isonomy.contract.error import Cause, ToolError
from isonomy.contract.foreign import FAILED, attempt
from isonomy.contract.forms import is_text_form
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolFailure
from isonomy.contract.tagged import PortableError, Tagged

REDACTED: Final = "[redacted]"
MIN_SECRET: Final = 4
"""Characters from which on the text of an injected parameter is replaced (clause 12.5)."""

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

_ANY_CASE: Final = re.ASCII | re.IGNORECASE
_QUOTE: Final = r"""(?:\\*["'])?"""
_SEPARATOR: Final = rf"{_QUOTE}[ \t]*[=:][ \t]*{_QUOTE}"
# What is redacted already counts as one character, so that `[redacted]` is replaced by itself.
_VALUE: Final = r"""(?:\[redacted\]|\\(?!\\*["'])|[^\s"'&,;)}\]\\])++"""
_SCHEMES: Final = (
    "apikey|basic|bearer|digest|dpop|gnap|hawk|hoba|mutual|negotiate|ntlm|oauth|privatetoken"
    "|signature|token|vapid|scram-sha-1|scram-sha-256|aws4-hmac-sha256"
)
_PEM: Final = (
    r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*+"
    r"(?:-----END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----)?"
)
_URL: Final = r"""://[^\s/?#@:"'<>]*+:[^\s/?#"'<>]*@"""
_HEADER: Final = (
    rf"(?<![A-Za-z0-9_-])((?:proxy-)?authorization{_SEPARATOR}(?:(?:{_SCHEMES})[ \t]+)?+){_VALUE}"
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
_HEADERS: Final = frozenset({"authorization", "proxy_authorization"})
_MAX_PASSES: Final = 8
_MAX_CLEAN: Final = 256
_MAX_CLEAN_LENGTH: Final = 16_384


class FailureRedactor(Protocol):
    """What a host may put in the place of `Redactor` (clause 12.7)."""

    def failure(self, failure: ToolFailure, secrets: Iterable[Any] = ()) -> ToolFailure:
        """Give the failure without secrets; may be called from several threads."""
        ...


class Redactor:
    """Replaces secrets by `[redacted]` (clause 12). May be used from several threads.

    A host may add names of secrets, and patterns of which all that they match is replaced.

    >>> Redactor(names=["pin"]).text("pin=1234 for https://u:p@h/")
    'pin=[redacted] for https://[redacted]@h/'
    """

    def __init__(
        self, *, names: Iterable[str] = (), patterns: Iterable[str | re.Pattern[str]] = ()
    ) -> None:
        if isinstance(names, str) or isinstance(patterns, str | re.Pattern):
            raise Misuse("names and patterns are given as lists, such as Redactor(names=['pin'])")
        own = tuple(names)
        self._names = frozenset(map(_folded, (*SECRET_NAMES, *own)))
        words = (*_NAME_WORDS, *(max(_folded(name).split("_"), key=len) for name in own))
        by_name = _name_pattern((*SECRET_NAMES, *own))
        self._named: Rule = (words, by_name, _ANY_CASE, rf"\1{REDACTED}")
        self._patterns: tuple[re.Pattern[str], ...] = tuple(re.compile(each) for each in patterns)
        # Texts without secrets that were seen lately: the trace of a failure comes again and again.
        self._clean: set[str] = set()

    def text(self, text: str, secrets: Iterable[Any] = ()) -> str:
        """Give a text without secrets; `secrets` are values of injected parameters (12.5)."""
        return self._text(text, _texts(secrets))

    def details(self, details: Any, secrets: Iterable[Any] = ()) -> Any:
        """Give the portable form of details without secrets (clause 12.4)."""
        return self._details(details, _texts(secrets))

    def failure(self, failure: ToolFailure, secrets: Iterable[Any] = ()) -> ToolFailure:
        """Give a failure without secrets, cut as clauses 4.3 and 4.10 say; itself if it has none.

        Message, details, causes, trace, members and text blocks are looked at (clause 12.1).
        """
        values = _texts(secrets) if secrets else []
        error = self._error(failure.error, values).bounded()
        content = failure.content
        if content:
            content = tuple(self._block(block, values) for block in content)
        if error is failure.error and content == failure.content:
            return failure
        return ToolFailure(error, content, failure.meta)

    def _error(self, error: ToolError, secrets: list[str]) -> ToolError:
        message = self._text(error.message, secrets)
        trace = None if error.trace is None else self._text(error.trace, secrets)
        causes = self._causes(error.causes, secrets)
        details = None if error.details is None else self._details(error.details, secrets)
        same = message == error.message and trace == error.trace and causes is error.causes
        if same and details is None:
            return error
        return replace(error, message=message, trace=trace, causes=causes, details=details)

    def _causes(self, causes: tuple[Cause, ...], secrets: list[str]) -> tuple[Cause, ...]:
        """Give the causes without secrets; the very tuple where they have none."""
        messages = [self._text(cause.message, secrets) for cause in causes]
        for message, cause in zip(messages, causes, strict=True):
            if message != cause.message:
                pairs = zip(messages, causes, strict=True)
                return tuple(replace(cause, message=message) for message, cause in pairs)
        return causes

    def _block(self, block: Block, secrets: list[str]) -> Block:
        if not is_text(block):
            return block
        text = self._text(block.fields["text"], secrets)
        return Block(block.type, {**block.fields, "text": text})

    def _details(self, details: Any, secrets: list[str]) -> Any:
        return self._value(from_tree(Walk(of_failure=True).root(details)), secrets)

    def _value(self, value: Any, secrets: list[str]) -> Any:
        kind = type(value)
        if kind is str:
            return self._text(value, secrets)
        if kind is dict:
            return {
                key: REDACTED if self._is_secret(key) else self._value(item, secrets)
                for key, item in value.items()
            }
        if kind in (list, tuple, set, frozenset):
            return kind(self._value(item, secrets) for item in value)
        if kind is Tagged and not (
            type(value.payload) is str and is_text_form(value.tag, value.payload)
        ):
            return Tagged(value.tag, self._value(value.payload, secrets))
        return value

    def _is_secret(self, key: Any) -> bool:
        if type(key) is not str:
            return False
        rest = _folded(key)
        if rest in _HEADERS:
            return True
        while rest not in self._names:
            _, underscore, rest = rest.partition("_")
            if not underscore:
                return False
        return True

    def _text(self, text: str, secrets: list[str]) -> str:
        for secret in secrets:
            text = text.replace(secret, REDACTED)
        if text in self._clean:
            return text
        redacted = self._by_rules(text)
        for pattern in self._patterns:
            redacted = pattern.sub(REDACTED, redacted)
        if redacted == text and len(text) <= _MAX_CLEAN_LENGTH:
            if len(self._clean) >= _MAX_CLEAN:
                self._clean.clear()
            self._clean.add(text)
        return redacted

    @cached_property
    def _rules(self) -> list[tuple[tuple[str, ...], re.Pattern[str], str]]:
        """The rules, compiled when the first text comes, which may be never."""
        rules = (*_RULES, self._named)
        return [(words, re.compile(rule, flags), text) for words, rule, flags, text in rules]

    def _by_rules(self, text: str) -> str:
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


def _bare(failure: ToolFailure) -> ToolFailure:
    causes = tuple(replace(cause, message=REDACTED) for cause in failure.error.causes)
    error = replace(failure.error, message=REDACTED, details=None, causes=causes, trace=None)
    content = tuple(block for block in failure.content if not is_text(block))
    return ToolFailure(error, content, failure.meta)


def _texts(secrets: Iterable[Any]) -> list[str]:
    """Give the texts to replace, longest first; none that is a part of what replaces it."""
    texts = {text for text in secrets if isinstance(text, str) and len(text) >= MIN_SECRET}
    return sorted((text for text in texts if text not in REDACTED), key=len, reverse=True)


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def _name_pattern(names: Iterable[str]) -> str:
    """Make the pattern of a secret name, a separator and the value after it (clause 12.2 (d)).

    A value that is a secret name with a separator takes along the value after that.
    """
    spelt = sorted({_folded(name) for name in names}, key=len, reverse=True)
    name = "(?:" + "|".join(re.escape(each).replace("_", "[_-]") for each in spelt) + ")"
    return rf"(?<![A-Za-z0-9])({name}{_SEPARATOR})(?:{name}{_SEPARATOR})*{_VALUE}"


DEFAULT_REDACTOR: Final = Redactor()
"""The redactor that a runtime uses where the host gives none."""


def redacted(
    failure: ToolFailure, redactor: FailureRedactor = DEFAULT_REDACTOR, secrets: Iterable[Any] = ()
) -> ToolFailure:
    """Give what a redactor makes of a failure, cut as clauses 4.3 and 4.10 say; never raises.

    A redactor that raises leaves `[redacted]` as the message, and neither details, causes'
    messages, trace nor text blocks (clause 12.7).
    """
    try:
        made = attempt(redactor.failure, failure, secrets)
    except PortableError:  # which `attempt` passes: here it is the redactor's like any other
        made = FAILED
    if type(made) is not ToolFailure:
        return _bare(failure)
    bounded = made.error.bounded()
    return made if bounded is made.error else ToolFailure(bounded, made.content, made.meta)
