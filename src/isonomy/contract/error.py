# SPDX-License-Identifier: Apache-2.0
"""What went wrong, as data: `ErrorInfo` of an invocation, `ToolError` of a response (clause 4)."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Any, Final, Literal, final, get_args

from isonomy.contract.foreign import text_of
from isonomy.contract.misuse import Misuse
from isonomy.contract.text import without_surrogates
from isonomy.contract.value import value

MAX_MESSAGE: Final = 8_192
"""Code points of a message in a response (clause 4.3)."""
MAX_RAW: Final = 262_144
"""Code points of a message or a trace before the host has redacted it (clause 10.6)."""
MAX_TRACE: Final = 65_536
"""Code points of a trace (clause 4.10)."""
MAX_CAUSES: Final = 16
"""Causes of one error, and members kept of an exception group (clauses 4.9 and 3.9)."""

_WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The White_Space code points of Unicode; `str.isspace` counts four control characters more."""

Unexpected = Literal["message", "type"]
"""What a model sees of an exception nobody declared: its message or its type (clause 4.14)."""
UNEXPECTED: Final = get_args(Unexpected)


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

    def __post_init__(self: Any) -> None:
        self.type = without_surrogates(self.type)
        self.message = whole_message(self.message, self.type)

    def bounded(self) -> Cause:
        """Give the cause with its message cut as clause 4.3 says; the very one where it fits."""
        if len(self.message) <= MAX_MESSAGE:
            return self
        return replace(self, message=cut_message(self.message))

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

    def __post_init__(self: Any) -> None:
        self.type = without_surrogates(self.type)
        self.message = whole_message(self.message, self.type)
        if self.trace is not None:
            self.trace = without_surrogates(self.trace)

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
        if self.type is not None:
            self.type = None if is_blank(self.type) else without_surrogates(self.type)
        if self.code is not None:
            self.code = _code(self.code)
        if self.retryable is not None and type(self.retryable) is not bool:
            raise Misuse("`retryable` of an error is True, False or None")
        if self.retry_after_ms is not None:
            _check_retry_after(self.retry_after_ms)
        self.message = whole_message(self.message, self.type or self.kind.value)
        if self.trace is not None:
            self.trace = without_surrogates(self.trace)
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
        if unexpected not in UNEXPECTED:
            raise Misuse(f'unexpected is "message" or "type", not {unexpected!r}')
        hidden = unexpected == "type" and self.kind is ErrorKind.EXCEPTION
        message = (self.type or self.kind.value) if hidden else self.message
        view: dict[str, Any] = {"kind": self.kind.value, "message": message}
        for name in ("code", "retryable", "retry_after_ms"):
            value = getattr(self, name)
            if value is not None:
                view[name] = value
        return view

    def parts(self, *, trace: bool = True) -> dict[str, Any]:
        """Give the fields that are set, by their names on the wire (clause 4.1).

        `details` is the value itself, not its portable form.
        """
        parts: dict[str, Any] = {
            "kind": self.kind.value,
            "message": self.message,
            "effect": self.effect.value,
            "language": self.language,
        }
        for name in ("type", "code", "retryable", "retry_after_ms", "details"):
            value = getattr(self, name)
            if value is not None:
                parts[name] = value
        if self.causes:
            parts["causes"] = [cause.to_wire() for cause in self.causes]
        if trace and self.trace is not None:
            parts["trace"] = self.trace
        return parts

    def bounded(self) -> ToolError:
        """Give the error with its texts cut as clauses 4.3 and 4.10 say, or itself where it fits.

        To be done once, by the host, after redaction.
        """
        if len(self.message) <= MAX_MESSAGE and len(self.trace or "") <= MAX_TRACE:
            for cause in self.causes:
                if len(cause.message) > MAX_MESSAGE:
                    break
            else:
                return self
        causes = tuple(cause.bounded() for cause in self.causes)
        trace = None if self.trace is None else cut_trace(self.trace, self.language)
        return replace(self, message=cut_message(self.message), trace=trace, causes=causes)


def whole_message(message: Any, fallback: str) -> str:
    """Give a message that is never blank and has no lone surrogate, cut only for size (10.6)."""
    text = message if type(message) is str else text_of(message)
    if len(text) > MAX_RAW:
        text = text[: MAX_RAW - 1] + "…"
    if is_blank(text):
        return fallback
    return text if text.isascii() else without_surrogates(text)


def is_blank(text: str) -> bool:
    """Tell whether a text is empty or nothing but white space (clause 4.3)."""
    return not text or (text[0] in _WHITE_SPACE and not text.strip(_WHITE_SPACE))


def cut_message(message: str) -> str:
    """Cut a message at 8,192 code points (clause 4.3)."""
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"


def cut_trace(trace: str, language: str, limit: int = MAX_TRACE) -> str:
    """Cut a trace, keeping the part where its language names the error (clause 4.10)."""
    if len(trace) <= limit:
        return trace
    return trace[-limit:] if language == "python" else trace[:limit]


def short(text: str) -> str:
    """Give at most 200 code points of a text, for `repr`."""
    return text if len(text) <= 200 else text[:199] + "…"


def _code(code: Any) -> str:
    if isinstance(code, str):
        return without_surrogates(str.__str__(code))
    if isinstance(code, int) and not isinstance(code, bool):
        return str(int(code))
    raise Misuse(f"`code` of an error is a string or an integer, not {type(code).__name__}")


def _check_retry_after(milliseconds: Any) -> None:
    if not is_milliseconds(milliseconds):
        raise Misuse("`retry_after_ms` of an error is a whole number of milliseconds from 0")


def is_milliseconds(number: Any) -> bool:
    """Tell whether this is an integer from 0 to 2^63-1 (clause 4.6)."""
    return type(number) is int and 0 <= number < 1 << 63
