# SPDX-License-Identifier: Apache-2.0
"""JSON Schema as the judge of arguments (clauses 7.3, 7.9 and 7.10)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

import jsonschema_rs

from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Settled
from isonomy.tools.arguments import parse
from isonomy.tools.document import Document
from isonomy.tools.forks import multiplies
from isonomy.tools.judge import Judge
from isonomy.tools.keywords import SchemaFault
from isonomy.tools.violations import WHOLE, Violation

_Verdict = TypeVar("_Verdict")

_ENOUGH: Final = 4_000
"""Calls inside each other that judging takes at most; so few that no thread's stack overflows."""
_deep: Final = threading.Lock()
"""Held while the limit of the interpreter is raised: by one judgement at a time."""


class Validator:
    """A schema that judges arguments; safe to use from several threads.

    jsonschema-rs accepts at once what most schemas and calls are made of. What it does not accept,
    and every value of a schema that it reads in its own way, `Judge` decides, which says in every
    language the same.

    Args:
        schema: The schema, read as 2020-12.
        name: The tool's name, for messages.
        whole: The path of the judged value itself.

    Raises:
        Misuse: It is not a schema, is none of its own, or has a pattern that is not portable.
    """

    def __init__(self, schema: Any, name: str, *, whole: str = WHOLE) -> None:
        self._whole = whole
        plain = parse(schema) if isinstance(schema, Mapping) else None
        if plain is None or isinstance(plain, Settled):
            raise Misuse(
                f"tool {name!r}: its schema is not an object of plain JSON values; "
                'give one such as {"type": "object"}'
            )
        try:
            self.document = Document(plain)
        except SchemaFault as fault:
            raise Misuse(
                f"tool {name!r}: its schema cannot be used as JSON Schema (2020-12): {fault}"
            ) from fault
        self.schema = plain
        self._quick = _quick(self.document)

    def accepts(self, arguments: Any) -> bool:
        """Tell whether plain values fit the schema.

        Raises:
            TooMuchWork: A text is too long for a pattern.
        """
        try:
            if self._quick(arguments):
                return True
        except UnicodeEncodeError:
            pass  # a lone surrogate, which that one cannot look at
        return _with_a_stack(lambda: Judge(self.document).fits(self.schema, arguments))

    def violations(self, arguments: Any) -> list[Violation]:
        """Return every rule that plain values break; raises `TooMuchWork` as `accepts` does."""

        def judge() -> list[Violation]:
            found: list[Violation] = []
            Judge(self.document, found, self._whole).fits(self.schema, arguments)
            return found

        return _with_a_stack(judge)


def _with_a_stack(judge: Callable[[], _Verdict]) -> _Verdict:
    """Return a verdict; one that needs more stack than there is left gets enough.

    Arguments may be 128 levels deep (clause 7.1), which some schemas make a dozen calls each, and
    so may be the caller's own calls.
    """
    try:
        return judge()
    except RecursionError:
        with _deep, ThreadPoolExecutor(1, "isonomy-judge") as thread:
            before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(before, _ENOUGH))
            try:
                return thread.submit(judge).result()
            finally:
                sys.setrecursionlimit(before)


# Keywords that jsonschema-rs reads in its own way: it computes with binary64, knows more names, or
# compares each of many items with every other.
_OTHERWISE: Final = frozenset(
    {
        *("multipleOf", "patternProperties", "unevaluatedItems", "unevaluatedProperties"),
        "uniqueItems",
        *("$id", "$anchor", "$dynamicRef", "$dynamicAnchor"),
    }
)


def _never(_: Any) -> bool:
    """Leave every value to the judge."""
    return False


def _quick(document: Document) -> Callable[[Any], bool]:
    """Return a judge of valid arguments that is never wrong where it accepts."""
    if not all(_OTHERWISE.isdisjoint(part) for part in document.parts):
        return _never
    if multiplies(document):
        return _never
    rewritten = {text: pattern.rewritten for text, pattern in document.patterns.items()}
    if None in rewritten.values():
        return _never
    parts = frozenset(map(id, document.parts))
    try:
        quick = jsonschema_rs.Draft202012Validator(
            _rewritten(document.root, parts, rewritten), validate_formats=False
        )
    except ValueError:
        return _never
    accepts: Callable[[Any], bool] = quick.is_valid
    return accepts


def _rewritten(tree: Any, parts: frozenset[int], patterns: Mapping[str, Any]) -> Any:
    """Return a copy in which the patterns of all schemas are those that Rust reads our way."""
    if isinstance(tree, list):
        return [_rewritten(item, parts, patterns) for item in tree]
    if not isinstance(tree, dict):
        return tree
    made = {key: _rewritten(item, parts, patterns) for key, item in tree.items()}
    if id(tree) in parts:
        made.pop("$schema", None)
        if "pattern" in made:
            made["pattern"] = patterns[made["pattern"]]
    return made
