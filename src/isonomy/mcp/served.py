# SPDX-License-Identifier: Apache-2.0
"""What a response becomes as the result of `tools/call` (clauses 14.24 to 14.27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from isonomy.contract.encoding import Walk
from isonomy.contract.error import ErrorKind, ToolError, Unexpected
from isonomy.contract.jsontext import write
from isonomy.contract.response import ToolResponse
from isonomy.contract.view import plain_form, text_of_tree
from isonomy.contract.wire import response_tree
from isonomy.mcp.own_meta import ERROR, RESPONSE

STATELESS: Final = "2026-07-28"
"""The revision of the protocol without sessions."""
LATEST: Final = "2025-11-25"
"""The newest revision that begins with `initialize`."""

_HIDDEN: Final = ("details", "causes", "trace")
_STRUCTURED: Final = ("kind", "code", "retryable", "retry_after_ms", "details")


class Disclosure(NamedTuple):
    """What a client is told of failures (clause 14.27).

    Args:
        unexpected: Whether an exception that no tool declared shows its `message`, or its `type`
            and neither details nor causes nor trace.
        traces: Whether traces are told.
    """

    unexpected: Unexpected = "type"
    traces: bool = False


def served(
    response: ToolResponse,
    disclosure: Disclosure = Disclosure(),  # noqa: B008 - immutable
    *,
    revision: str = LATEST,
    output_schema: bool = False,
) -> dict[str, Any]:
    """Give the result of a call, a JSON tree from which a host reads the same response.

    Args:
        response: How the call ended.
        disclosure: What is told of failures.
        revision: The protocol's revision that the client speaks.
        output_schema: Whether the tool is listed with an `outputSchema`.

    Raises:
        PortableError: The response holds an integer of more than 4,300 digits.

    >>> served(ToolResponse.success(None))
    {'content': [], 'isError': False}
    """
    tree = response_tree(response)
    result: dict[str, Any] = {"resultType": "complete"} if revision == STATELESS else {}
    error = response.error
    if error is None:
        _success(result, tree, stateless=revision == STATELESS)
    else:
        _failure(result, tree, error, disclosure, output_schema=output_schema)
    return result


def _success(result: dict[str, Any], tree: Mapping[str, Any], *, stateless: bool) -> None:
    value, content = tree["result"], tree.get("content", [])
    differs: dict[str, Any] = {}
    if not content and value is not None:
        content = [{"type": "text", "text": text_of_tree(value)}]
        differs["added"] = 1
    result["content"] = content
    result["isError"] = False
    plain = plain_form(value)
    read: Any = _text(content)
    if type(plain) is dict or (stateless and plain is not None and type(plain) is not str):
        result["structuredContent"] = read = plain
    if not _reads_as(read, value):
        differs["result"] = value
    _add_meta(result, tree, {}, differs)


def _failure(
    result: dict[str, Any],
    tree: Mapping[str, Any],
    error: ToolError,
    disclosure: Disclosure,
    *,
    output_schema: bool,
) -> None:
    told = dict(tree["error"])
    if not disclosure.traces:
        told.pop("trace", None)
    if disclosure.unexpected == "type" and error.kind is ErrorKind.EXCEPTION:
        told["message"] = told.get("type", told["kind"])
        for name in _HIDDEN:
            told.pop(name, None)
    content = tree.get("content", [])
    differs: dict[str, Any] = {}
    if _text(content) != told["message"]:
        content = [{"type": "text", "text": told["message"]}, *content]
        differs["added"] = 1
    result["content"] = content
    result["isError"] = True
    if not output_schema:
        structured = {name: told[name] for name in _STRUCTURED if name in told}
        if "details" in structured:
            structured["details"] = plain_form(structured["details"])
        result["structuredContent"] = structured
    _add_meta(result, tree, {ERROR: told}, differs)


def _add_meta(
    result: dict[str, Any],
    tree: Mapping[str, Any],
    ours: dict[str, Any],
    differs: dict[str, Any],
) -> None:
    meta = tree.get("meta", {})
    plain = {key: plain_form(value) for key, value in meta.items() if key not in (ERROR, RESPONSE)}
    if plain.keys() != meta.keys() or not all(_reads_as(plain[key], meta[key]) for key in meta):
        differs["meta"] = meta
    if differs:
        ours[RESPONSE] = differs
    if plain or ours:
        result["_meta"] = plain | ours


def _text(content: list[Any]) -> str | None:
    """Give what a host reads as the text of blocks: None where no block is a text."""
    texts = [block["text"] for block in content if _is_text(block)]
    return "\n".join(texts) if texts else None


def _is_text(block: Mapping[str, Any]) -> bool:
    return block["type"] == "text" and type(block.get("text")) is str


def _reads_as(plain: Any, tree: Any) -> bool:
    """Tell whether plain JSON is read as the value that has this portable tree."""
    if plain is tree and type(plain) is not dict and type(plain) is not list:
        return True
    return write(Walk().root(plain)) == write(tree)
