# SPDX-License-Identifier: Apache-2.0
"""What a response becomes as the result of `tools/call` (clauses 14.24 to 14.27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from isonomy.contract.encoding import Walk
from isonomy.contract.error import ErrorKind, ToolError, Unexpected
from isonomy.contract.jsontext import write
from isonomy.contract.portable import encode_plain
from isonomy.contract.response import ToolResponse
from isonomy.contract.responses import write_extras
from isonomy.contract.view import plain_form, text_of_tree
from isonomy.contract.wire import response_tree
from isonomy.mcp.own_meta import ERROR, RESPONSE

STATELESS: Final = "2026-07-28"
"""The revision of the protocol without sessions."""
LATEST: Final = "2025-11-25"
"""The newest revision that begins with `initialize`."""

_TAG: Final = b'"$iso:'
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
    tree = _tree(response)
    result: dict[str, Any] = {"resultType": "complete"} if revision == STATELESS else {}
    error = response.error
    if error is None:
        stateless = revision == STATELESS
        _success(result, tree, stateless=stateless, output_schema=output_schema)
    else:
        _failure(result, tree, error, disclosure, output_schema=output_schema)
    return result


def _tree(response: ToolResponse) -> dict[str, Any]:
    """Give the wire form of a response; where its result is plain JSON, by the short way."""
    if response.error is None:
        data = encode_plain(response.unwrap())
        if data is not None:
            short = {"status": "success", "result": orjson.loads(data)}
            return short | write_extras(Walk(), response)
    return response_tree(response)


def _success(
    result: dict[str, Any], tree: Mapping[str, Any], *, stateless: bool, output_schema: bool
) -> None:
    value, content = tree["result"], tree.get("content", [])
    plain, same = _plain(value)
    differs: dict[str, Any] = {}
    if not content and value is not None:
        content = [{"type": "text", "text": text_of_tree(value)}]
        differs["added"] = 1
    result["content"] = content
    result["isError"] = False
    if type(plain) is dict or (stateless and plain is not None and type(plain) is not str):
        result["structuredContent"] = plain
    else:
        plain = _text(content)
        same = _reads_as(plain, value)
        if output_schema:  # so that it is not missed
            differs.setdefault("added", 0)
    if not same:
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
        # An exception has neither content nor meta, but one that another server told of may.
        tree = {}
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
    plain = {}
    whole = True
    for key, value in meta.items():
        plain[key], same = _plain(value)
        whole = whole and same
    for name in (ERROR, RESPONSE):
        if name in plain:
            del plain[name]
            whole = False
    if not whole:
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


def _plain(tree: Any) -> tuple[Any, bool]:
    """Give the plain form of a portable tree, and whether that is read as the same value."""
    if type(tree) is not dict and type(tree) is not list:
        return tree, True
    if _TAG not in write(tree):  # as most are, so that large ones need not be looked at again
        return tree, True
    plain = plain_form(tree)
    return plain, _reads_as(plain, tree)


def _reads_as(plain: Any, tree: Any) -> bool:
    """Tell whether plain JSON is read as the value that has this portable tree."""
    if type(plain) is str and type(tree) is str:
        return plain == tree
    return write(Walk().root(plain)) == write(tree)
