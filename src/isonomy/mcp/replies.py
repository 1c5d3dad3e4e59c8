# SPDX-License-Identifier: Apache-2.0
"""What the reply to one `tools/call` becomes (clauses 14.1 to 14.7, 14.22 and 14.28)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from isonomy.contract.content import Block, is_text, text_of
from isonomy.contract.error import Effect, ErrorKind, ToolError, is_blank
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Returned, Settled
from isonomy.contract.response import ToolFailure, ToolSuccess
from isonomy.mcp.own_meta import read_own_meta
from isonomy.tools.pattern import TooMuchWork
from isonomy.tools.validator import Validator
from isonomy.tools.violations import MAX_VIOLATIONS

VIOLATIONS: Final = "dev.isonomy/output_violations"
NO_MESSAGE: Final = "the server answered with an error"
NO_TEXT: Final = "the server gave no text for this failure"


def settled_by_mcp(
    kind: ErrorKind,
    message: str,
    effect: Effect = Effect.POSSIBLE,
    *,
    code: str | None = None,
    details: Any = None,
) -> Settled:
    """Give what the side of the host decided about a call of a server."""
    return Settled(ToolError(kind, message, effect, "mcp", code=code, details=details))


def read_reply(reply: Mapping[str, Any], output: Output | None = None) -> Outcome:
    """Give the outcome of a call from the JSON-RPC response to it.

    Args:
        reply: The response as plain JSON values.
        output: The tool's promise about its structured content, if it made one.

    >>> read_reply({"result": {"content": [{"type": "text", "text": "5"}]}}).value.result
    '5'
    """
    error = reply.get("error")
    if error is not None:
        return _of_error(error) if type(error) is dict else _malformed(reply, _NO_ERROR_OBJECT)
    if "result" not in reply:
        return _malformed(reply, "it has neither a result nor an error")
    result = reply["result"]
    if type(result) is not dict:
        return _malformed(reply, "its result is no object")
    kind = result.get("resultType")
    if kind == "input_required":
        return _input_required(result)
    if kind is not None and kind != "complete":
        return _malformed(reply, "its resultType is not known")
    is_error = result.get("isError")
    if is_error is not None and type(is_error) is not bool:
        return _malformed(reply, "isError is no boolean")
    return _failure(result) if is_error else Returned(_success(result, output))


def unreadable() -> Settled:
    """Give what a reply becomes that is no JSON object (clause 14.22)."""
    return settled_by_mcp(ErrorKind.PROTOCOL, f"{_MALFORMED}it is no JSON object")


class Output:
    """What a tool promises about its structured content; safe to use from several threads."""

    def __init__(self, schema: Any, name: str) -> None:
        """Read an output schema; one that cannot be used judges nothing (clause 14.4)."""
        self._validator: Validator | None
        try:
            self._validator = Validator(schema, name, whole=_WHOLE)
        except Misuse:
            self._validator = None

    def violations(self, structured: Any) -> list[dict[str, str]]:
        """Tell what the structured content of a success breaks; None is that it is missing."""
        if self._validator is None:
            return []
        if structured is None:
            return [{"path": _WHOLE, "rule": "required", "message": "required"}]
        try:
            if self._validator.accepts(structured):
                return []
            found = self._validator.violations(structured)
        except TooMuchWork:
            return []
        first = {(one.path, one.rule): one for one in sorted(found, reverse=True)}
        return [one._asdict() for one in sorted(first.values())[:MAX_VIOLATIONS]]


_WHOLE: Final = "result"
_MALFORMED: Final = "the reply is malformed: "
_NO_ERROR_OBJECT: Final = "its error is no object"


def _success(result: Mapping[str, Any], output: Output | None) -> ToolSuccess:
    content = _content(result)
    value = structured = result.get("structuredContent")
    if value is None and any(map(is_text, content)):
        value = text_of(content)
    own = read_own_meta(result.get("_meta"), False, len(content))
    meta = own.meta
    if own.told is not None:  # structured content is that of the response, whatever is told of it
        structured = own.told.get("result", value)
    has_been_judged = own.told is not None and VIOLATIONS in meta
    violations = [] if output is None or has_been_judged else output.violations(structured)
    if violations:
        meta = {**meta, VIOLATIONS: violations}
    return ToolSuccess(own.response.get("result", value), content[own.added :], meta)


def _failure(result: Mapping[str, Any]) -> Outcome:
    content = _content(result)
    own = read_own_meta(result.get("_meta"), True, len(content))
    if own.error is not None:  # of whatever kind: decided by the runtime over there
        return Settled(own.error, content[own.added :], own.meta, foreign=True)
    message = text_of(content)
    error = ToolError(
        ErrorKind.TOOL_ERROR,
        NO_TEXT if is_blank(message) else message,
        Effect.POSSIBLE,
        "mcp",
        details=result.get("structuredContent"),
    )
    return Returned(ToolFailure(error, content[own.added :], own.meta))


def _content(result: Mapping[str, Any]) -> tuple[Block, ...]:
    content = result.get("content")
    if content is None:
        return ()
    if type(content) is not list:
        return (Block("malformed", {"value": content}),)
    return tuple(map(_block, content))


def _block(item: Any) -> Block:
    if type(item) is dict and type(item.get("type")) is str:
        return Block.from_wire(item)
    return Block("malformed", {"value": item})


def _of_error(error: dict[str, Any]) -> Settled:
    message, code = error.get("message"), error.get("code")
    if type(message) is not str or is_blank(message):
        message = NO_MESSAGE
    details = {name: error[name] for name in ("code", "data") if error.get(name) is not None}
    return settled_by_mcp(
        ErrorKind.PROTOCOL,
        message,
        code=str(code) if type(code) in (int, str) else None,
        details=details or None,
    )


def _input_required(result: Mapping[str, Any]) -> Settled:
    asked = result.get("inputRequests")
    return settled_by_mcp(
        ErrorKind.PROTOCOL,
        "the server asks for input, which a tool call cannot give",
        code="input_required",
        details=None if asked is None else {"inputRequests": asked},
    )


def _malformed(reply: Mapping[str, Any], reason: str) -> Settled:
    return settled_by_mcp(
        ErrorKind.PROTOCOL, f"{_MALFORMED}{reason}", details={"reply": dict(reply)}
    )
