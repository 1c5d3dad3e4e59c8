# SPDX-License-Identifier: Apache-2.0
"""What is wrong with arguments, as data and as a message (clauses 7.7 to 7.9).

No message holds the value that was sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import orjson

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.outcome import Settled

MAX_VIOLATIONS: Final = 16
"""Violations that one error lists."""
MAX_DEPTH: Final = 128
"""Containers inside each other that arguments may have, the outermost included (clause 7.1)."""

WHOLE: Final = "arguments"
"""The path of the arguments as a whole."""

NOT_JSON: Final = "is not valid JSON"
NOT_OBJECT: Final = "expected object"

Step = str | int

_SURROGATE = re.compile("[\ud800-\udfff]")
_USUAL = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class Violation(NamedTuple):
    """One rule that arguments break: where (clause 7.8), which, and what to do about it."""

    path: str
    rule: str
    message: str


def refusal(violations: Iterable[Violation]) -> Settled:
    """Return the outcome of a call whose arguments break rules (clause 7.7).

    A rule counts once at a path; the 16 that come first by path, then rule, are listed.
    """
    first = {(one.path, one.rule): one for one in sorted(violations, reverse=True)}
    ordered = sorted(first.values())
    listed = ordered[:MAX_VIOLATIONS]
    details: dict[str, Any] = {"violations": [one._asdict() for one in listed]}
    if len(ordered) > len(listed):
        details["more"] = len(ordered) - len(listed)
    message = "; ".join(f"{one.path}: {one.message}" for one in listed)
    return settled(ErrorKind.INVALID_ARGUMENTS, message, Effect.NONE, details=details)


def path_of(steps: Iterable[Step], whole: str = WHOLE) -> str:
    """Return the path of a place in the arguments, `arguments` for the whole.

    `whole` is the word for what is judged where that is something else.

    >>> path_of(["lines", 0, "unit price"])
    'lines[0]["unit price"]'
    """
    written = ""
    for step in steps:
        if isinstance(step, int):
            written += f"[{step}]"
        elif _USUAL.fullmatch(step):
            written += f".{step}" if written else step
        else:
            written += f"[{as_json(step)}]"
    return written or whole


def as_json(value: Any) -> str:
    """Return a value of a schema, or a name, as compact JSON, floats as clause 5.5 writes them."""
    if type(value) is float:
        return orjson.dumps(value).decode()
    if type(value) is list:
        return f"[{','.join(map(as_json, value))}]"
    if type(value) is dict:
        members = (f"{as_json(name)}:{as_json(item)}" for name, item in value.items())
        return f"{{{','.join(members)}}}"
    return without_surrogates(json.dumps(value, ensure_ascii=False))


def without_surrogates(text: str) -> str:
    """Return a text with each lone surrogate replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def type_message(types: Sequence[str]) -> str:
    """Return the message of the rule `type`."""
    return f"expected {' or '.join(types)}"


def message_of(rule: str, value: Any) -> str:
    """Return the message of a rule that a value in the schema parametrizes."""
    if rule == "type":
        return type_message([value] if isinstance(value, str) else value)
    if rule == "enum":
        return f"expected one of {as_json(value)}"
    if rule == "const":
        return f"expected {as_json(value)}"
    if rule == "pattern":
        return f"must match {without_surrogates(value)}"
    template = _MESSAGES.get(rule)
    if template is None:
        return f"breaks the rule {rule}"
    return template.format(as_json(value)) if "{}" in template else template


_MESSAGES: Final = {
    "required": "required",
    "additionalProperties": "unknown argument",
    "unevaluatedProperties": "unknown argument",
    "minimum": "must be >= {}",
    "maximum": "must be <= {}",
    "exclusiveMinimum": "must be > {}",
    "exclusiveMaximum": "must be < {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} properties",
    "maxProperties": "must have at most {} properties",
    "uniqueItems": "items must differ",
    "anyOf": "fits none of the allowed forms",
    "oneOf": "must fit exactly one of the allowed forms",
    "json": NOT_JSON,
    "duplicate": "appears twice",
    "injected": "is set by the host",
    "depth": "is nested too deep",
}
