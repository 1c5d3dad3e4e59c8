# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a configuration, in words: pydantic's errors as sentences with a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from isonomy.cli.document import Document, Where
from isonomy.contract.misuse import Misuse

WANTED = {
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "list_type": 'must be a list, one "- item" a line',
    "dict_type": 'must be a mapping of "key: value" lines',
    "model_type": 'must be a mapping of "key: value" lines',
    "one_source": 'needs either "value", or "env" (with a "default" if you like)',
    "one_kind": 'needs either "class", or "method" (with "name", "description" or "parameters")',
    "of_a_method": 'has a "name", "description" or "parameters", which are those of a "method"',
    "of_a_class": 'has "only", which chooses among the tools of a "class"',
    "no_method": "must be CLASS#METHOD, or CLASS#METHOD(TYPE, ...)",
    "cut_method": "names a method without one of its ( and ); a comma ends an item of [...], so put"
    " the method in quotes",
    "one_way": 'needs either "command", a list, or "url"',
    "of_a_url": 'has "headers", which are those of a "url"',
    "of_a_command": 'has "{name}", which is that of a "command"',
    "no_origin": "must be a scheme and a host, such as https://app.example",
    "no_host": "must be a name without scheme and port, such as tools.example",
    "too_short": "must not be empty; leave it out where it shall not choose",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "missing": "is missing",
    "literal_error": "must be {expected}",
    "not_isolated": 'has "{name}", which is for workers only; add "isolate: process"',
}
SHAPES = {
    "python": "must be a module's name, or {module: NAME, only: [TOOL, ...]}",
    "java": "must be a class's or a method's name, {class: NAME, only: [TOOL, ...]}, or {method:"
    " CLASS#METHOD, name: NAME}",
    "mcp": "must be {name: NAME, command: [PROGRAM, ...]} or {name: NAME, url: URL}",
    "inject": "must be {value: VALUE} or {env: VARIABLE}",
    "serve": "must be a text, {value: VALUE} or {env: VARIABLE}",
}
"""What an item of these sections looks like."""
_VALUE = "must be text (a number or true is put in quotes), {value: VALUE} or {env: VARIABLE}"
_OF_VALUES = {"env", "headers", "token"}
"""Keys whose values are like those under `inject`."""


def first_problem(
    errors: Iterable[ErrorDetails], parts: Mapping[str | int, type[BaseModel]], document: Document
) -> Misuse:
    """Return the exception that tells of the first error in the file.

    `parts` are the models of the file by top-level key, and of the whole under the empty one.
    """
    # Of two errors in one line a typo explains the other, a missing key.
    typos_first = sorted(errors, key=lambda error: error["type"] != "extra_forbidden")
    problems = [_problem_of(error, parts) for error in typos_first]
    return document.complaint(*min(problems, key=lambda problem: document.line(problem[0])))


def _problem_of(
    error: ErrorDetails, parts: Mapping[str | int, type[BaseModel]]
) -> tuple[Where, str]:
    where: Where = error["loc"]
    kind = error["type"]
    if kind == "extra_forbidden":
        *around, key = where
        section = around[0] if around else ""
        model = parts["inject" if _OF_VALUES & set(around[1:]) else section]
        known = [field.alias or name for name, field in model.model_fields.items()]
        return where, f"{subject_of(where)}is no known key; {one_of(str(key), known)}"
    if where[-1:] == ("[key]",):
        where, kind = where[:-1], "invalid_key"
    if kind == "invalid_key":
        where = (*where[:-1], str(where[-1]))
        return where, f"the key {where[-1]} must be text; put it in quotes"
    if kind == "model_type" and len(where) == 2:
        return where, f"{subject_of(where)}{SHAPES[str(where[0])]}"
    if kind == "model_type" and where[:1] == ("mcp",) and _OF_VALUES & set(where[2:-1]):
        return where, f"{subject_of(where)}{_VALUE}"
    wanted = WANTED.get(kind, error["msg"]).format(**error.get("ctx", {}))
    return where, f"{subject_of(where)}{wanted}"


def subject_of(where: Where) -> str:
    """Return how a sentence about a place begins, such as `limits.parallel `."""
    text = ""
    for step in where:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text and f"{text} "


def one_of(given: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant, or all of them."""
    names = list(known)
    if not names:
        return "there is none"
    close = get_close_matches(given, names, n=1)
    return f'did you mean "{close[0]}"?' if close else f"known are {', '.join(names)}"
