# SPDX-License-Identifier: Apache-2.0
"""The two forms of a request: Isonomy's own event, and a message with `tool_calls`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isonomy.cli.complaints import one_of
from isonomy.contract.call import Arguments, ToolCall
from isonomy.contract.text import has_surrogate

EVENT_KEYS = ("event", "id", "calls")
CALL_KEYS = ("call_id", "tool", "arguments")
OWN_FORM = '{"event": "tool_request", "id": ..., "calls": [...]}'
READ_FORMS = f'{OWN_FORM}, or a message with "tool_calls"'


class FormError(Exception):
    """Raised where a value is no request; its message says where, and what to do."""


def read_event(event: Any) -> tuple[str | None, list[ToolCall]]:
    """Return the id, if it has one, and the calls of a request in either form.

    Isonomy's own form is that of clause 8.2 and may hold no other keys, so that a misspelt one is
    not lost. A message may hold whatever its maker puts there.
    """
    if isinstance(event, list):
        raise FormError(f"a bare list of calls is no request; write {OWN_FORM}")
    if not isinstance(event, Mapping):
        raise FormError(f"a request is an object; write {READ_FORMS}")
    if "tool_calls" in event and "event" not in event:
        return _message(event)
    _check_event(event)
    calls = _list(event, "calls")
    return _text(event, "id"), [_call(call, f"calls[{at}]") for at, call in enumerate(calls)]


def _check_event(event: Mapping[str, Any]) -> None:
    if "event" not in event:
        if foreign := _foreign(event):
            raise FormError(f"{foreign} are a form that is not read; write {READ_FORMS}")
        if "choices" in event:
            raise FormError("this is a whole completion; write the message inside it on the line")
        if event.get("role") == "assistant":
            raise FormError('the message has no "tool_calls"; leave out messages without calls')
        if "role" in event:
            raise FormError(
                'a message without "tool_calls" holds no calls; leave it out, and keep those of'
                ' role "assistant" that have some'
            )
        if "tool" in event:
            raise FormError(f"a single call is no request; write {OWN_FORM}")
        raise FormError(f'"event" is missing; write {READ_FORMS}')
    if event["event"] != "tool_request":
        raise FormError('"event" must be "tool_request"; no other event can be run')
    _no_other_keys(event, EVENT_KEYS, "")


def _foreign(event: Mapping[str, Any]) -> str | None:
    """Name the calls in the form of another API, where that is what this is."""
    for key in ("content", "parts", "output"):
        items = event.get(key)
        blocks = items if isinstance(items, list) else ()
        for block in (event, *blocks):
            if not isinstance(block, Mapping):
                continue
            if block.get("type") in {"tool_use", "function_call"}:
                return f'"{block["type"]}" blocks'
            for name in ("function_call", "functionCall"):
                if block.get(name) is not None:
                    return f'"{name}" values'
    return "JSON-RPC requests" if "jsonrpc" in event else None


def _call(call: Any, place: str) -> ToolCall:
    if not isinstance(call, Mapping):
        raise FormError(f'{place} must be an object with "tool" and "arguments"')
    _no_other_keys(call, CALL_KEYS, f"{place}.")
    tool = _required(call, "tool", f"{place}.")
    arguments = _arguments(call.get("arguments"), place)
    return ToolCall(tool, arguments, _text(call, "call_id", f"{place}."))


def _message(message: Mapping[str, Any]) -> tuple[str | None, list[ToolCall]]:
    calls = _list(message, "tool_calls")
    read = [_tool_call(call, f"tool_calls[{at}]") for at, call in enumerate(calls)]
    return _text(message, "id"), read


def _tool_call(call: Any, place: str) -> ToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        raise FormError(f'{place} must have a "function" with "name" and "arguments"')
    tool = _required(function, "name", f"{place}.function.")
    arguments = _arguments(function.get("arguments"), f"{place}.function")
    return ToolCall(tool, arguments, _text(call, "id", f"{place}."))


def _arguments(arguments: Any, place: str) -> Arguments:
    if arguments is None or isinstance(arguments, str | Mapping):
        return arguments
    raise FormError(f"{place}.arguments must be an object, or JSON text of one")


def _required(holder: Mapping[str, Any], key: str, place: str) -> str:
    if holder.get(key) is None:
        raise FormError(f"{place}{key} is missing; name the tool to call")
    if isinstance(holder[key], str):
        return _written(holder[key], f"{place}{key}")
    raise FormError(f"{place}{key} must be a string")


def _text(holder: Mapping[str, Any], key: str, place: str = "") -> str | None:
    text = holder.get(key)
    if text is None:
        return None
    if isinstance(text, str):
        return _written(text, f"{place}{key}")
    raise FormError(f"{place}{key} must be a string or null")


def _written(text: str, place: str) -> str:
    """Return a name or an id, which must be text that the response can hold as it is."""
    if has_surrogate(text):
        raise FormError(f"{place} has half of a surrogate pair; send whole characters")
    return text


def _list(holder: Mapping[str, Any], key: str) -> list[Any]:
    items = holder.get(key)
    if isinstance(items, list):
        return items
    raise FormError(f'"{key}" must be a list of calls')


def _no_other_keys(holder: Mapping[Any, Any], known: tuple[str, ...], place: str) -> None:
    for key in holder:
        if key not in known:
            raise FormError(f"{place}{key} is no known key; {one_of(str(key), known)}")
