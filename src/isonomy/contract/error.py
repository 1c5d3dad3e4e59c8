# SPDX-License-Identifier: Apache-2.0
"""What went wrong, as data: `ErrorInfo` of an invocation, `ToolError` of a response (clause 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final, Literal, final

from isonomy.contract.foreign import text_of
from isonomy.contract.misuse import Misuse
from isonomy.contract.value import value

MAX_MESSAGE: Final = 8_192
"""Code points of a message in a response (clause 4.3)."""
MAX_RAW: Final = 262_144
"""Code points of a message or a trace before the host has redacted it (clause 10.6)."""
MAX_TRACE: Final = 65_536
"""Code points of a trace (clause 4.10)."""
MAX_CAUSES: Final = 16
"""Causes of one error, and members kept of an exception group (clauses 4.9 and 3.9)."""

_SURROGATE = re.compile("[\ud800-\udfff]")

Unexpected = Literal["message", "type"]
"""What a model sees of an exception nobody declared: its message or its type (clause 4.14)."""


class ErrorKind(StrEnum):
    """The closed list of kinds of failure (clause 4.2)."""

    TOOL_ERROR = "tool_error"
    EXCEPTION = "exception"
    INVALID_ARGUMENTS = "invalid_arguments"
    NOT_FOUND = "not_found"
    DENIED = "denied"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol"
    CONNECTION_LOST = "connection_lost"
    RESULT_CONVERSION = "result_conversion"
    TOO_LARGE = "too_large"
    NOT_RUN = "not_run"
    INTERNAL = "internal"


class Effect(StrEnum):
    """Whether the body may have had an effect: `none` only where it never ran (clause 4.7)."""

    NONE = "none"
    POSSIBLE = "possible"


@final
@value
class Cause:
    """One link of a chain of causes, or one member of an exception group (clauses 4.9, 3.9)."""

    type: str
    message: str
    language: str = "python"

    def to_wire(self) -> dict[str, str]:
        """Give the cause as a JSON object."""
        return {"type": self.type, "message": self.message, "language": self.language}


@final
@value
class ErrorInfo:
    """How an invocation raised: the exception as plain data (clause 4.12).

    `causes` is the chain, outermost first; `members` are the leaves of an exception group, and
    `more` counts those that were left out. `trace` is private to operators.
    """

    type: str
    message: str
    causes: tuple[Cause, ...] = ()
    trace: str | None = None
    language: str = "python"
    members: tuple[Cause, ...] = ()
    more: int = 0

    def __repr__(self) -> str:
        """Name the error without its trace."""
        return f"ErrorInfo(type={self.type!r}, message={short(self.message)!r})"


@final
@value
class ToolError:
    """Why a tool operation failed (clause 4).

    `details` is any portable value. `retryable` and `retry_after_ms` (milliseconds) are the tool's
    own hints and are unset unless it gave them. `trace` is private to operators. Instances are
    immutable, except that nobody copies `details`.
    """

    kind: ErrorKind
    message: str
    effect: Effect = Effect.POSSIBLE
    language: str = "python"
    type: str | None = None
    code: str | None = None
    retryable: bool | None = None
    retry_after_ms: int | None = None
    details: Any = None
    causes: tuple[Cause, ...] = ()
    trace: str | None = None

    def __post_init__(self: Any) -> None:
        if type(self.kind) is not ErrorKind:
            self.kind = ErrorKind(self.kind)
        if type(self.effect) is not Effect:
            self.effect = Effect(self.effect)
        if self.code is not None:
            self.code = _code(self.code)
        if self.retryable is not None and type(self.retryable) is not bool:
            raise Misuse("`retryable` of an error is True, False or None")
        if self.retry_after_ms is not None:
            _check_retry_after(self.retry_after_ms)
        self.message = whole_message(self.message, self.type or self.kind.value)
        self.causes = tuple(self.causes)

    def __hash__(self) -> int:
        """Hash what is always hashable; equal errors hash alike."""
        return hash((self.kind, self.message, self.code, self.type))

    def __repr__(self) -> str:
        """Name the error without trace and details."""
        code = f", code={self.code!r}" if self.code is not None else ""
        return f"ToolError({self.kind.value}{code}, {short(self.message)!r})"

    def public(self, unexpected: Unexpected = "message") -> dict[str, Any]:
        """Give the public view, for models (clause 4.14).

        The keys are `kind`, `message` and, where set, `code`, `retryable`, `retry_after_ms`. With
        `unexpected="type"` the message of kind `exception` is the exception's type.
        """
        hidden = unexpected == "type" and self.kind is ErrorKind.EXCEPTION
        message = (self.type or self.kind.value) if hidden else self.message
        view: dict[str, Any] = {"kind": self.kind.value, "message": message}
        for name in ("code", "retryable", "retry_after_ms"):
            value = getattr(self, name)
            if value is not None:
                view[name] = value
        return view

    def with_clean_message(self) -> ToolError:
        """Give the error with its message cut as clause 4.3 says; the very one where it fits."""
        if len(self.message) <= MAX_MESSAGE:
            return self
        return replace(self, message=clean_message(self.message, self.type or self.kind.value))


def whole_message(message: Any, fallback: str) -> str:
    """Give a message that is never blank and has no lone surrogate, cut only for size (10.6)."""
    text = message if type(message) is str else text_of(message)
    if len(text) > MAX_RAW:
        text = text[: MAX_RAW - 1] + "…"
    text = whole_text(text)
    return text if text and not text.isspace() else fallback


def whole_text(text: str) -> str:
    """Give a text with U+FFFD for each lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def clean_message(message: Any, fallback: str) -> str:
    """Give a message as it stands in a response: never blank, at most 8,192 code points (4.3)."""
    text = whole_message(message, fallback)
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"


def short(text: str) -> str:
    """Give at most 200 code points of a text, for `repr`."""
    return text if len(text) <= 200 else text[:199] + "…"


def _code(code: Any) -> str:
    if isinstance(code, str):
        return str.__str__(code)
    if isinstance(code, int) and not isinstance(code, bool):
        return str(int(code))
    raise Misuse(f"`code` of an error is a string or an integer, not {type(code).__name__}")


def _check_retry_after(milliseconds: Any) -> None:
    if type(milliseconds) is not int or milliseconds < 0:
        raise Misuse("`retry_after_ms` of an error is a whole number of milliseconds, 0 or more")


def causes_from_wire(wire: Any) -> tuple[Cause, ...]:
    """Read a list of causes or members; raises `Misuse` where it is none (clause 4.9)."""
    if not isinstance(wire, list):
        raise Misuse("`causes` is a list of objects")
    return tuple(_cause_from_wire(item) for item in wire[:MAX_CAUSES])


def _cause_from_wire(wire: Any) -> Cause:
    if not isinstance(wire, Mapping):
        raise Misuse("a cause is an object with `type`, `message` and `language`")
    texts = [wire.get(name) for name in ("type", "message", "language")]
    if not all(type(text) is str for text in texts):
        raise Misuse("`type`, `message` and `language` of a cause are strings")
    return Cause(*texts)  # type: ignore[arg-type]  # each was just seen to be a string
