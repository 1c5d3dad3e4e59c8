# SPDX-License-Identifier: Apache-2.0
"""What crosses a bridge: one call as bytes, one outcome as bytes back (clause 10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar, final

from isonomy.contract.content import EMPTY
from isonomy.contract.decoding import from_tree, value_of
from isonomy.contract.encoding import Walk
from isonomy.contract.error import MAX_RAW, Effect, ErrorInfo, ErrorKind, ToolError, cut_trace
from isonomy.contract.events import Progress
from isonomy.contract.jsontext import Data, parse, write
from isonomy.contract.limits import bounded_failure, bounded_settled, encode_success, refusal
from isonomy.contract.outcome import Outcome, Raised, Returned, Settled
from isonomy.contract.portable import MAX_RESULT_BYTES, encode
from isonomy.contract.response import ToolFailure, ToolSuccess
from isonomy.contract.responses import (
    info_parts,
    read_error,
    read_extras,
    read_info,
    read_response,
    write_extras,
)
from isonomy.contract.tagged import PortableError
from isonomy.contract.value import value
from isonomy.contract.wire import error_tree

VERSION: Final = 1

Error = TypeVar("Error", ErrorInfo, ToolError)


@final
@value
class BridgeCall:
    """One call on its way to a callee (clause 10.2).

    `remaining_ms` is None without a deadline; `attempt` counts from 1.
    """

    tool: str
    arguments: Mapping[str, Any]
    injected: Mapping[str, Any] = EMPTY
    call_id: str | None = None
    attempt: int = 1
    remaining_ms: int | None = None
    max_result_bytes: int = MAX_RESULT_BYTES
    strict_values: bool = False

    def __repr__(self) -> str:
        """Name the call without arguments and injected values."""
        return f"BridgeCall(tool={self.tool!r}, call_id={self.call_id!r}, attempt={self.attempt})"


@final
@value
class Envelope:
    """One outcome with what came beside it: decoded paths (clause 7.6) and progress."""

    outcome: Outcome
    decoded: tuple[str, ...] = ()
    progress: tuple[Progress, ...] = ()


class CallForm:
    """Writes the calls of one tool; what they have in common is written once.

    May be used from several threads.
    """

    __slots__ = ("_bare", "_head")

    def __init__(self, tool: str) -> None:
        self._head = b'{"v":1,"tool":%b,"arguments":' % write(tool)
        # The rest of a call with nothing of its own but its arguments, and the limits it is for.
        self._bare: tuple[int, bool, bytes] = (0, False, b"")

    def bare(self, arguments: bytes, max_result_bytes: int, strict_values: bool) -> bytes:
        """Write a first call without id, deadline and injected values.

        `arguments` is the encoding of its arguments.
        """
        size, strict, rest = self._bare
        if size != max_result_bytes or strict is not strict_values:
            whole = BridgeCall("", EMPTY, EMPTY, None, 1, None, max_result_bytes, strict_values)
            rest = _rest(whole)
            self._bare = (max_result_bytes, strict_values, rest)
        return b"".join((self._head, arguments, rest))

    def encode(self, call: BridgeCall, arguments: bytes | None = None) -> bytes:
        """Write a call; raises `PortableError` as `encode` of values does.

        `arguments` is the encoding of its arguments where that is at hand: they are not looked at
        then.
        """
        if arguments is None:
            arguments = encode(call.arguments)
        return b"".join((self._head, arguments, _rest(call)))


def encode_call(call: BridgeCall) -> bytes:
    """Write a call; raises `PortableError` as `encode` does."""
    return CallForm(call.tool).encode(call)


def _rest(call: BridgeCall) -> bytes:
    """Give what follows the arguments."""
    fields: dict[str, Any] = {}
    if call.injected:
        fields["injected"] = {name: Walk().root(item) for name, item in call.injected.items()}
    fields["call_id"] = call.call_id
    fields["attempt"] = call.attempt
    if call.remaining_ms is not None:
        fields["remaining_ms"] = call.remaining_ms
    fields["max_result_bytes"] = call.max_result_bytes
    fields["strict_values"] = call.strict_values
    return b"," + write(fields)[1:]


def decode_call(data: Data) -> BridgeCall:
    """Read a call; raises `PortableError` where it is malformed or of another version."""
    fields = _fields(data, "a call")
    tool, call_id = fields.get("tool"), fields.get("call_id")
    arguments = value_of(fields.get("arguments"), data)
    injected = fields.get("injected", {})
    remaining_ms = fields.get("remaining_ms")
    attempt = fields.get("attempt", 1)
    max_result_bytes = fields.get("max_result_bytes", MAX_RESULT_BYTES)
    strict_values = fields.get("strict_values", False)
    sound = (
        type(tool) is str
        and (type(arguments) is dict or isinstance(arguments, Mapping))
        and type(injected) is dict
        and (call_id is None or type(call_id) is str)
        and (remaining_ms is None or (type(remaining_ms) is int and remaining_ms >= 0))
        and type(attempt) is int
        and attempt >= 1
        and type(max_result_bytes) is int
        and max_result_bytes >= 1
        and type(strict_values) is bool
    )
    if not sound:
        raise PortableError("malformed", "a field of a call over a bridge is missing or malformed")
    return BridgeCall(
        tool,  # type: ignore[arg-type]  # just seen to be a string
        arguments,
        {name: from_tree(item) for name, item in injected.items()} if injected else EMPTY,
        call_id,
        attempt,
        remaining_ms,
        max_result_bytes,
        strict_values,
    )


def encode_outcome(
    outcome: Outcome,
    *,
    decoded: Iterable[str] = (),
    progress: Iterable[Progress] = (),
    max_bytes: int | None = MAX_RESULT_BYTES,
    strict: bool = False,
) -> bytes:
    """Write an outcome; what the limits refuse is settled in its place (clauses 5.29 and 10.3).

    Messages and traces are cut beyond 262,144 code points only (clause 10.6).
    """
    try:
        body = _body(outcome, max_bytes, strict)
    except PortableError as refused:
        body = (_settled(refusal(refused)),)
    beside: dict[str, Any] = {}
    paths = list(decoded)
    if paths:
        beside["decoded"] = paths
    steps = [
        {"progress": step.progress, "total": step.total, "message": step.message}
        for step in progress
    ]
    if steps:
        beside["progress"] = Walk().root(steps)
    rest = b"," + write(beside)[1:] if beside else b"}"
    return b"".join((b'{"v":1,"outcome":', *body, rest))


def decode_outcome(data: Data) -> Envelope:
    """Read an envelope; never raises.

    What is malformed, or of another version, is settled as `internal` with effect `possible`, never
    a success (clause 10.4).
    """
    try:
        return read_envelope(data)
    except PortableError as refused:
        message = f"malformed envelope: {refused.message}"
        return Envelope(Settled(ToolError(ErrorKind.INTERNAL, message, Effect.POSSIBLE)))


def read_envelope(data: Data) -> Envelope:
    """Read an envelope; raises `PortableError` where it is malformed or of another version."""
    fields = _fields(data, "an envelope")
    outcome = _read_outcome(fields, data)
    if len(fields) == 3:  # nothing beside the outcome
        return Envelope(outcome)
    return Envelope(outcome, _read_decoded(fields), _read_progress(fields))


def _body(outcome: Outcome, max_bytes: int | None, strict: bool) -> tuple[bytes, ...]:
    """Give what follows the kind of the envelope, in pieces: each joining copies a large result."""
    if type(outcome) is Returned:
        result = outcome.value
        if type(result) is ToolSuccess:
            return _success(result, max_bytes, strict)
        if type(result) is ToolFailure:
            return (_failure(result, max_bytes),)
        return b'"returned","value":', encode(result, strict=strict, max_bytes=max_bytes)
    if type(outcome) is Settled:
        return (_settled(bounded_settled(outcome, max_bytes)),)
    return b'"raised","error":', write(info_parts(_cut(outcome.error)))


def _success(success: ToolSuccess, max_bytes: int | None, strict: bool) -> tuple[bytes, ...]:
    result, extras = encode_success(success, strict=strict, max_bytes=max_bytes)
    rest = [b',"%b":%b' % (name.encode(), data) for name, data in extras.items()]
    return b'"returned","response":{"status":"success","result":', result, *rest, b"}"


def _failure(failure: ToolFailure, max_bytes: int | None) -> bytes:
    kept = bounded_failure(failure, max_bytes)
    walk = Walk(of_failure=True)
    tree = {"status": "failure", "error": error_tree(_cut(kept.error), walk)}
    return b'"returned","response":' + write(tree | write_extras(walk, kept))


def _settled(outcome: Settled) -> bytes:
    error = b'"settled","error":' + write(error_tree(_cut(outcome.error)))
    if not outcome.content and not outcome.meta:
        return error
    extras = write_extras(
        Walk(of_failure=True), ToolFailure(outcome.error, outcome.content, outcome.meta)
    )
    return b"".join(
        (error, *(b',"%b":%b' % (name.encode(), write(tree)) for name, tree in extras.items()))
    )


def _cut(error: Error) -> Error:
    """Cut a trace that is far too long; the message was cut when the error was made."""
    if error.trace is None or len(error.trace) <= MAX_RAW:
        return error
    return replace(error, trace=cut_trace(error.trace, error.language, MAX_RAW))


def _fields(data: Data, what: str) -> dict[str, Any]:
    tree = parse(data)
    if type(tree) is not dict:
        raise PortableError("malformed", f"{what} is an object")
    version = tree.get("v")
    if type(version) is not int or version != VERSION:
        raise PortableError("malformed", f"{what} has the version {VERSION}")
    return tree


def _read_outcome(fields: dict[str, Any], data: Data) -> Outcome:
    kind = fields.get("outcome")
    given = ("value" in fields) + ("response" in fields) + ("error" in fields)
    if given != 1:
        pass
    elif kind == "returned":
        if "value" in fields:
            return Returned(value_of(fields["value"], data))
        if "response" in fields:
            return Returned(read_response(fields["response"]))
    elif "error" in fields:
        if kind == "raised":
            return Raised(read_info(fields["error"]))
        if kind == "settled":
            return Settled(read_error(fields["error"]), *read_extras(fields))
    raise PortableError(
        "malformed", "its outcome is unknown, or its fields are not those of its outcome"
    )


def _read_decoded(fields: dict[str, Any]) -> tuple[str, ...]:
    decoded = fields.get("decoded", [])
    if type(decoded) is not list or not all(type(path) is str for path in decoded):
        raise PortableError("malformed", "`decoded` is a list of strings")
    return tuple(decoded)


def _read_progress(fields: dict[str, Any]) -> tuple[Progress, ...]:
    steps = fields.get("progress", [])
    if type(steps) is not list:
        raise PortableError("malformed", "`progress` is a list of objects")
    return tuple(map(_read_step, steps))


def _read_step(step: Any) -> Progress:
    if type(step) is dict:
        progress, total, message = step.get("progress"), step.get("total"), step.get("message")
        sound = (
            type(progress) in (int, float)
            and (total is None or type(total) in (int, float))
            and (message is None or type(message) is str)
        )
        if sound:
            return Progress(progress, total, message)  # type: ignore[arg-type]  # just checked
    raise PortableError("malformed", "a step of `progress` has a number `progress`")
