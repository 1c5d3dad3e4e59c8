# SPDX-License-Identifier: Apache-2.0
"""Redaction: secrets never leave in a failure (clause 12)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, Protocol

from isonomy.contract.content import Block, is_text
from isonomy.contract.decoding import from_tree
from isonomy.contract.encoding import Walk
from isonomy.contract.error import MAX_RAW, Cause, ToolError
from isonomy.contract.foreign import FAILED, attempt
from isonomy.contract.forms import is_text_form
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolFailure
from isonomy.contract.secret_rules import REDACTED, SecretRules
from isonomy.contract.secret_values import SecretValues
from isonomy.contract.tagged import Opaque, PortableError, Tagged

_MAX_CLEAN: Final = 256
_MAX_CLEAN_LENGTH: Final = 16_384
_BEHIND_A_CUT: Final = 8_192
"""Code points that a text loses where it was cut before redaction (clause 12.8)."""


class FailureRedactor(Protocol):
    """What a host may put in the place of `Redactor` (clause 12.7)."""

    def failure(self, failure: ToolFailure, secrets: Iterable[Any] = ()) -> ToolFailure:
        """Give the failure without secrets; may be called from several threads.

        `secrets` gives the texts of injected values, escaped ones too, the longest first.
        """
        ...


class Redactor:
    """Replaces secrets by `[redacted]` (clause 12). May be used from several threads.

    A host may add names of secrets, and patterns of which all that they match is replaced.

    >>> Redactor(names=["pin"]).text("pin=1234 for https://u:p@h/")
    'pin=[redacted] for https://[redacted]@h/'

    Raises:
        Misuse: A name is not made of at most 64 letters, digits, `_` and `-`.
    """

    def __init__(
        self, *, names: Iterable[str] = (), patterns: Iterable[str | re.Pattern[str]] = ()
    ) -> None:
        if isinstance(names, str) or isinstance(patterns, str | re.Pattern):
            raise Misuse("names and patterns are given as lists, such as Redactor(names=['pin'])")
        self._rules = SecretRules(names)
        self._patterns: tuple[re.Pattern[str], ...] = tuple(re.compile(each) for each in patterns)
        # Texts without secrets that were seen lately: the trace of a failure comes again and again.
        self._clean: set[str] = set()

    def text(self, text: str, secrets: Iterable[Any] = ()) -> str:
        """Give a text without secrets; `secrets` are injected values (clause 12.5)."""
        return self._text(text, SecretValues.of(secrets))

    def details(self, details: Any, secrets: Iterable[Any] = ()) -> Any:
        """Give the portable form of details without secrets (clause 12.4)."""
        return self._details(details, SecretValues.of(secrets))

    def failure(self, failure: ToolFailure, secrets: Iterable[Any] = ()) -> ToolFailure:
        """Give a failure without secrets, cut as clauses 4.3 and 4.10 say; itself if it has none.

        Message, details, causes, trace, members and text blocks are looked at (clause 12.1).
        """
        values = SecretValues.of(secrets)
        error = self._error(failure.error, values).bounded()
        content = failure.content
        if content:
            content = tuple(self._block(block, values) for block in content)
        if error is failure.error and content == failure.content:
            return failure
        return ToolFailure(error, content, failure.meta)

    def _error(self, error: ToolError, secrets: SecretValues) -> ToolError:
        message = self._text(error.message, secrets)
        trace = None if error.trace is None else self._trace(error, error.trace, secrets)
        causes = self._causes(error.causes, secrets)
        details = None if error.details is None else self._details(error.details, secrets)
        same = message == error.message and trace == error.trace and causes is error.causes
        if same and details is None:
            return error
        return replace(error, message=message, trace=trace, causes=causes, details=details)

    def _trace(self, error: ToolError, trace: str, secrets: SecretValues) -> str:
        text = self._text(trace, secrets)
        if len(trace) < MAX_RAW:
            return text
        lost = max(_BEHIND_A_CUT, secrets.longest)
        return text[lost:] if error.language == "python" else text[: max(0, len(text) - lost)]

    def _causes(self, causes: tuple[Cause, ...], secrets: SecretValues) -> tuple[Cause, ...]:
        """Give the causes without secrets; the very tuple where they have none."""
        messages = [self._text(cause.message, secrets) for cause in causes]
        for message, cause in zip(messages, causes, strict=True):
            if message != cause.message:
                pairs = zip(messages, causes, strict=True)
                return tuple(replace(cause, message=message) for message, cause in pairs)
        return causes

    def _block(self, block: Block, secrets: SecretValues) -> Block:
        if not is_text(block):
            return block
        text = self._text(block.fields["text"], secrets)
        return Block(block.type, {**block.fields, "text": text})

    def _details(self, details: Any, secrets: SecretValues) -> Any:
        return self._value(from_tree(Walk(of_failure=True).root(details)), secrets)

    def _value(self, value: Any, secrets: SecretValues) -> Any:
        kind = type(value)
        if kind is str:
            return self._text(value, secrets)
        if kind is dict:
            return self._members(value, secrets)
        if kind in (list, tuple, set, frozenset):
            return kind(self._value(item, secrets) for item in value)
        if kind is bytes:
            return REDACTED if secrets.are_in(value) else value
        if kind is Opaque:
            return Opaque(value.type, self._text(value.path, secrets))
        if kind is Tagged and not (
            type(value.payload) is str and is_text_form(value.tag, value.payload)
        ):
            return Tagged(value.tag, self._value(value.payload, secrets))
        return value

    def _members(self, members: dict[Any, Any], secrets: SecretValues) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key, item in members.items():
            if type(key) is str and self._rules.is_secret(key):
                value = REDACTED
            else:
                value = self._value(item, secrets)
            made.setdefault(self._value(key, secrets), value)
        return made

    def _text(self, text: str, secrets: SecretValues) -> str:
        redacted = secrets.replaced(text) if secrets else text
        if redacted in self._clean:
            return redacted
        before = redacted
        redacted = self._rules.text(redacted)
        for pattern in self._patterns:
            redacted = pattern.sub(REDACTED, redacted)
        if redacted == before and len(text) <= _MAX_CLEAN_LENGTH:
            if len(self._clean) >= _MAX_CLEAN:
                self._clean.clear()
            self._clean.add(redacted)
        if len(text) == MAX_RAW and text.endswith("…"):
            lost = max(_BEHIND_A_CUT, secrets.longest)
            redacted = redacted[: max(0, len(redacted) - lost)] + "…"
        return redacted


class _ValuesOnly(Redactor):
    """Replaces injected values alone: for what the runtime words itself (clause 12.6)."""

    def _text(self, text: str, secrets: SecretValues) -> str:
        return secrets.replaced(text)

    def _members(self, members: dict[Any, Any], secrets: SecretValues) -> dict[Any, Any]:
        return {key: self._value(item, secrets) for key, item in members.items()}


def _bare(failure: ToolFailure) -> ToolFailure:
    causes = tuple(replace(cause, message=REDACTED) for cause in failure.error.causes)
    error = replace(failure.error, message=REDACTED, details=None, causes=causes, trace=None)
    content = tuple(block for block in failure.content if not is_text(block))
    return ToolFailure(error, content, failure.meta)


DEFAULT_REDACTOR: Final = Redactor()
"""The redactor that a runtime uses where the host gives none."""
_VALUES_ONLY: Final = _ValuesOnly()


def without_values(failure: ToolFailure, secrets: Iterable[Any]) -> ToolFailure:
    """Give a failure that the runtime worded itself, without injected values (clause 12.6)."""
    if not secrets:
        error = failure.error.bounded()
        if error is failure.error:
            return failure
        return ToolFailure(error, failure.content, failure.meta)
    return _VALUES_ONLY.failure(failure, secrets)


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
