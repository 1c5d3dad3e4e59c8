# SPDX-License-Identifier: Apache-2.0
"""The trees of responses and errors, written and read (clauses 2 and 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from isonomy.contract.containers import contained
from isonomy.contract.content import EMPTY, Block
from isonomy.contract.error import (
    MAX_CAUSES,
    Cause,
    Effect,
    ErrorInfo,
    ErrorKind,
    ToolError,
    is_blank,
    is_milliseconds,
)
from isonomy.contract.paths import Path, key_step
from isonomy.contract.response import ToolFailure, ToolResponse, ToolSuccess
from isonomy.contract.tagged import PortableError
from isonomy.contract.text import without_surrogates

if TYPE_CHECKING:
    from isonomy.contract.encoding import Walk


@contained
def write_response(walk: Walk, response: ToolResponse, at: Path, depth: int) -> Any:
    """Give the tree of a response that is a value inside others (clause 3.6)."""
    error = response.error
    if error is None:
        result = walk.tree(response.unwrap(), (at, ".result"), depth + 1)
        tree: dict[str, Any] = {"status": "success", "result": result}
    else:
        parts = error.parts()
        if "details" in parts:
            parts["details"] = walk.tree(parts["details"], (at, ".error.details"), depth + 2)
        tree = {"status": "failure", "error": parts}
    return tree | write_extras(walk, response, at, depth)


def write_extras(
    walk: Walk, response: ToolResponse, at: Path = None, depth: int = 1
) -> dict[str, Any]:
    """Give the trees of content and meta, each left out when empty (clause 2.3)."""
    extras: dict[str, Any] = {}
    if response.content:
        extras["content"] = [
            _write_json(walk, block.to_wire(), (at, f".content[{index}]"), depth + 2)
            for index, block in enumerate(response.content)
        ]
    if response.meta:
        extras["meta"] = {
            without_surrogates(key): walk.tree(value, (at, ".meta" + key_step(key)), depth + 2)
            for key, value in response.meta.items()
        }
    return extras


def _write_json(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Give the tree of a field of a block: plain JSON, in which nothing is a tag (clause 2.6).

    A lone surrogate becomes U+FFFD there, as in messages; what is no JSON has its portable form.
    """
    kind = type(value)
    if kind is str:
        walk.spend(len(value))
        return without_surrogates(value)
    if kind is dict and all(type(key) is str for key in value):
        return _write_json_object(walk, value, at, depth)
    if kind is list or kind is tuple:
        return _write_json_list(walk, value, at, depth)
    return walk.tree(value, at, depth)


@contained
def _write_json_object(walk: Walk, value: dict[str, Any], at: Path, depth: int) -> Any:
    walk.spend(3 * len(value))
    return {
        without_surrogates(key): _write_json(walk, item, (at, key_step(key)), depth + 1)
        for key, item in tuple(value.items())
    }


@contained
def _write_json_list(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    items = tuple(value)  # which may grow meanwhile
    walk.spend(2 * len(items))
    return [_write_json(walk, item, (at, index), depth + 1) for index, item in enumerate(items)]


def read_response(tree: Any) -> ToolResponse:
    """Read a response; raises `PortableError` for everything that clause 2.4 refuses."""
    from isonomy.contract.decoding import from_tree

    fields = _object(tree, "a response")
    status = fields.get("status")
    if status not in ("success", "failure") or type(status) is not str:
        _refuse("a response has the status success or failure")
    body = "result" if status == "success" else "error"
    if body not in fields:
        _refuse(f"a {status} has the field `{body}`")
    unknown = fields.keys() - {"status", body, "content", "meta"}
    if unknown:
        _refuse(f"a {status} has no field `{min(unknown):.80}`")
    content, meta = read_extras(fields)
    if status == "success":
        return ToolSuccess(from_tree(fields["result"]), content, meta)
    return ToolFailure(read_error(fields["error"]), content, meta)


def read_extras(fields: Mapping[str, Any]) -> tuple[tuple[Block, ...], Mapping[str, Any]]:
    """Read content and meta, empty where they are absent; raises `PortableError` (clause 2.3)."""
    content = _read_content(fields["content"]) if "content" in fields else ()
    if "meta" not in fields:
        return content, EMPTY
    return content, read_meta(fields["meta"])


def read_meta(tree: Any) -> Mapping[str, Any]:
    """Read the meta of a response; raises `PortableError` where it is none (clause 2.3)."""
    from isonomy.contract.decoding import from_tree

    if type(tree) is not dict:
        _refuse("`meta` of a response is an object")
    return {key: from_tree(value) for key, value in tree.items()}


def _read_content(tree: Any) -> tuple[Block, ...]:
    if type(tree) is not list:
        _refuse("`content` of a response is a list of blocks")
    return tuple(Block.from_wire(item) for item in tree)


def read_error(tree: Any) -> ToolError:
    """Read an error; raises `PortableError` where a required field is missing (clause 4.1)."""
    from isonomy.contract.decoding import from_tree

    fields = _object(tree, "an error")
    kind, effect = _text(fields, "kind"), _text(fields, "effect")
    details = from_tree(fields.get("details"))
    known = kind in ErrorKind._value2member_map_
    code = fields.get("code")
    if code is not None and type(code) not in (str, int):
        _refuse("`code` of an error is a string or an integer")
    retryable = fields.get("retryable")
    if retryable is not None and type(retryable) is not bool:
        _refuse("`retryable` of an error is a boolean")
    retry_after_ms = fields.get("retry_after_ms")
    if retry_after_ms is not None and not is_milliseconds(retry_after_ms):
        _refuse("`retry_after_ms` of an error is an integer from 0 to 2^63-1")
    return ToolError(
        ErrorKind(kind) if known else ErrorKind.INTERNAL,
        _text(fields, "message"),
        Effect.NONE if effect == "none" else Effect.POSSIBLE,
        _full_text(fields, "language"),
        type=_optional_text(fields, "type"),
        code=code,
        retryable=retryable,
        retry_after_ms=retry_after_ms,
        details=details if known else {"kind": kind, "details": details},
        causes=read_causes(fields.get("causes")),
        trace=_optional_text(fields, "trace"),
    )


def read_info(tree: Any) -> ErrorInfo:
    """Read the error of an exception; raises `PortableError` where it is malformed (4.12)."""
    fields = _object(tree, "an error")
    more = fields.get("more", 0)
    if type(more) is not int or more < 0:
        _refuse("`more` of an error is an integer of 0 or more")
    name, message, language = _three_texts(fields)
    trace = fields.get("trace")
    if trace is not None and type(trace) is not str:
        _refuse("`trace` of an error is a string")
    causes = read_causes(fields.get("causes"))
    members = read_causes(fields.get("members"))
    return ErrorInfo(name, message, causes, trace, language, members, more)


def info_parts(info: ErrorInfo) -> dict[str, Any]:
    """Give the tree of an `ErrorInfo`."""
    parts: dict[str, Any] = {
        "type": info.type,
        "message": info.message,
        "language": info.language,
    }
    if info.causes:
        parts["causes"] = [cause.to_wire() for cause in info.causes]
    if info.trace is not None:
        parts["trace"] = info.trace
    if info.members:
        parts["members"] = [member.to_wire() for member in info.members]
    if info.more:
        parts["more"] = info.more
    return parts


def read_causes(tree: Any) -> tuple[Cause, ...]:
    """Read causes or members, at most 16; raises `PortableError` where they are malformed."""
    if tree is None:
        return ()
    if type(tree) is not list:
        _refuse("the causes of an error are a list")
    return tuple([Cause(*_three_texts(_object(item, "a cause"))) for item in tree[:MAX_CAUSES]])


def _three_texts(fields: Mapping[str, Any]) -> tuple[str, str, str]:
    """Give type, message and language, which are there and are strings, only the message blank."""
    return _full_text(fields, "type"), _text(fields, "message"), _full_text(fields, "language")


def _object(tree: Any, what: str) -> Mapping[str, Any]:
    if type(tree) is not dict:
        _refuse(f"{what} is an object")
    return tree


def _text(fields: Mapping[str, Any], name: str) -> str:
    text = fields.get(name)
    if type(text) is not str:
        _refuse(f"`{name}` of an error is a string")
    return text


def _full_text(fields: Mapping[str, Any], name: str) -> str:
    text = _text(fields, name)
    if is_blank(text):
        _refuse(f"`{name}` of an error is blank")
    return text


def _optional_text(fields: Mapping[str, Any], name: str) -> str | None:
    return None if fields.get(name) is None else _text(fields, name)


def _refuse(sentence: str) -> NoReturn:
    raise PortableError("malformed", sentence)
