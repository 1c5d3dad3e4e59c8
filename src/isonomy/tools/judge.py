# SPDX-License-Identifier: Apache-2.0
"""The judgement of plain values by a JSON Schema, exact, and told rule by rule.

The rules, their places and their words are those of clauses 7.7 to 7.10 and the same in every
language, which those of validators by different makers are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from isonomy.tools.document import Document
from isonomy.tools.plain import distinct, equal, is_multiple, is_number, is_of_type
from isonomy.tools.violations import WHOLE, Step, Violation, message_of, path_of

Schema = Mapping[str, Any]


class Judge:
    """Judges one value, by a schema or by several of one document.

    Args:
        document: The schemas.
        found: Receives every broken rule; without it, judging ends with the first.
        whole: The path of the value itself.

    Raises (all methods):
        TooMuchWork: A text is too long for a pattern.
    """

    def __init__(
        self, document: Document, found: list[Violation] | None = None, whole: str = WHOLE
    ) -> None:
        self.document = document
        self._whole = whole
        self._found = found
        self._steps: list[Step] = []
        #: What was judged, so that nothing is judged twice: by the schema, and by the value, or by
        #: its place where broken rules are noted there. Alternatives that hold one schema would
        #: double the work with each level of a value.
        self._judged: dict[tuple[int, Any], bool] = {}
        self._quiet = self if found is None else Judge(document)

    def fits(self, schema: Any, value: Any, keyword: str = "") -> bool:
        """Tell whether a value fits a schema, which stands under a keyword of another."""
        if isinstance(schema, bool):
            return schema or self.broken(keyword)
        key = None  # in one function: each frame here is one for each level of a value
        if type(value) is dict or type(value) is list:
            key = id(schema), id(value) if self._found is None else tuple(self._steps)
            if key in self._judged:
                return self._judged[key]
        fits = True
        for rule, said in schema.items():
            check = _RULES.get(rule)
            if check is not None and not check(self, schema, rule, said, value):
                fits = False
                if self._found is None:
                    break
        if key is not None:
            self._judged[key] = fits
        return fits

    def broken(self, rule: str, said: Any = None, name: str | None = None) -> bool:
        """Note a broken rule, here or at a name below; return False."""
        if self._found is not None:
            steps = self._steps if name is None else [*self._steps, name]
            self._found.append(Violation(path_of(steps, self._whole), rule, message_of(rule, said)))
        return False

    def fit(self, parts: Iterable[tuple[Step, Any, Any]], keyword: str) -> bool:
        """Tell whether parts of a value fit: each a step, the part, and its schema."""
        fits = True
        for step, part, schema in parts:
            self._steps.append(step)
            fits = self.fits(schema, part, keyword) and fits
            self._steps.pop()
            if not fits and self._found is None:
                break
        return fits

    def accepts(self, schema: Any, value: Any) -> bool:
        """Tell whether a value fits, without noting why not."""
        return self._quiet.fits(schema, value)

    def matches(self, pattern: str, text: str) -> bool:
        """Tell whether a text holds a match of a pattern that the document has."""
        return self.document.patterns[pattern].found_in(text)

    def others(self, schema: Schema, value: dict[str, Any]) -> list[str]:
        """Return the names in an object that a schema names neither itself nor by pattern."""
        names = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        return [
            name
            for name in value
            if name not in names and not any(self.matches(pattern, name) for pattern in patterns)
        ]

    def applied(self, schema: Schema, value: Any) -> Iterable[Any]:
        """Yield the schemas inside of one that hold for a value at the same place."""
        for _, target in self.document.targets(schema):
            yield target
        yield from schema.get("allOf", ())
        for keyword in ("anyOf", "oneOf"):
            yield from (one for one in schema.get(keyword, ()) if self.accepts(one, value))
        if "if" in schema:
            holds = self.accepts(schema["if"], value)
            if holds:
                yield schema["if"]
            yield schema.get("then" if holds else "else", True)
        if type(value) is dict:
            for name, part in schema.get("dependentSchemas", {}).items():
                if name in value:
                    yield part

    def evaluated(self, schema: Any, value: Any, *, outermost: bool = True) -> set[Step]:
        """Return the names or positions in a value that a schema speaks of."""
        if isinstance(schema, bool):
            return set()
        done: set[Step] = set()
        if type(value) is dict:
            rest = self.others(schema, value)
            everything = "additionalProperties", "unevaluatedProperties"
            done.update(value.keys() - rest)
            done.update(rest if _has(schema, everything, outermost) else ())
        else:
            count = len(value)
            everything = "items", "unevaluatedItems"
            done.update(range(min(count, len(schema.get("prefixItems", ())))))
            done.update(range(count) if _has(schema, everything, outermost) else ())
            if "contains" in schema:
                done.update(
                    at for at, item in enumerate(value) if self.accepts(schema["contains"], item)
                )
        for part in self.applied(schema, value):
            done |= self.evaluated(part, value, outermost=False)
        return done


def _has(schema: Schema, keywords: tuple[str, str], outermost: bool) -> bool:
    return keywords[0] in schema or (keywords[1] in schema and not outermost)


_Rule = Callable[[Judge, Schema, str, Any, Any], bool]


def _compare(kind: type | None, holds: Callable[[Any, Any], bool]) -> _Rule:
    """Make the rule that compares values of a kind, float for all numbers, with what is said."""

    def rule(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
        spoken_of = kind is None or type(value) is kind or (kind is float and is_number(value))
        return not spoken_of or holds(value, said) or judge.broken(rule, said)

    return rule


def _part(kind: type, rule: _Rule) -> _Rule:
    """Make a rule that speaks of objects or lists only."""
    return lambda judge, schema, keyword, said, value: (
        type(value) is not kind or rule(judge, schema, keyword, said, value)
    )


def _required(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    missing = [name for name in said if name not in value]
    for name in missing:
        judge.broken(rule, name=name)
    return not missing


def _dependent_required(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    wanted = (name for one, names in said.items() if one in value for name in names)
    return all(name in value for name in wanted) or judge.broken(rule)


def _dependent_schemas(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return _every(judge, [part for name, part in said.items() if name in value], rule, value)


def _properties(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return judge.fit(((name, value[name], said[name]) for name in said if name in value), rule)


def _pattern_properties(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    named = ((name, pattern) for pattern in said for name in value if judge.matches(pattern, name))
    return judge.fit(((name, value[name], said[pattern]) for name, pattern in named), rule)


def _additional(judge: Judge, schema: Schema, rule: str, said: Any, value: Any) -> bool:
    return judge.fit(((name, value[name], said) for name in judge.others(schema, value)), rule)


def _unevaluated(judge: Judge, schema: Schema, rule: str, said: Any, value: Any) -> bool:
    done = judge.evaluated(schema, value)
    members = value.items() if type(value) is dict else enumerate(value)
    return judge.fit(((step, part, said) for step, part in members if step not in done), rule)


def _property_names(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return all(judge.accepts(said, name) for name in value) or judge.broken(rule)


def _prefix_items(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    places = range(min(len(said), len(value)))
    return judge.fit(((at, value[at], said[at]) for at in places), rule)


def _items(judge: Judge, schema: Schema, rule: str, said: Any, value: Any) -> bool:
    places = range(len(schema.get("prefixItems", ())), len(value))
    return judge.fit(((at, value[at], said) for at in places), rule)


def _contains(judge: Judge, schema: Schema, rule: str, said: Any, value: Any) -> bool:
    count = sum(judge.accepts(said, item) for item in value)
    if count < schema.get("minContains", 1):
        return judge.broken("minContains" if "minContains" in schema else rule)
    return count <= schema.get("maxContains", count) or judge.broken("maxContains")


def _every(judge: Judge, said: Iterable[Any], rule: str, value: Any) -> bool:
    broken = [part for part in said if not judge.fits(part, value, rule)]
    return not broken


def _all_of(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return _every(judge, said, rule, value)


def _any_of(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return any(judge.accepts(part, value) for part in said) or judge.broken(rule)


def _one_of(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return sum(judge.accepts(part, value) for part in said) == 1 or judge.broken(rule)


def _not(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return not judge.accepts(said, value) or judge.broken(rule)


def _if(judge: Judge, schema: Schema, rule: str, said: Any, value: Any) -> bool:
    then = schema.get("then" if judge.accepts(said, value) else "else", True)
    return judge.accepts(then, value) or judge.broken(rule)


def _refer(judge: Judge, schema: Schema, rule: str, _: Any, value: Any) -> bool:
    return judge.fits(judge.document.target(schema, rule), value, rule)


def _pattern(judge: Judge, _: Schema, rule: str, said: Any, value: Any) -> bool:
    return type(value) is not str or judge.matches(said, value) or judge.broken(rule, said)


def _fits_type(value: Any, said: Any) -> bool:
    return any(is_of_type(value, one) for one in ([said] if isinstance(said, str) else said))


_RULES: Final[dict[str, _Rule]] = {
    "type": _compare(None, _fits_type),
    "enum": _compare(None, lambda value, said: any(equal(value, one) for one in said)),
    "const": _compare(None, equal),
    "minimum": _compare(float, lambda value, said: value >= said),
    "maximum": _compare(float, lambda value, said: value <= said),
    "exclusiveMinimum": _compare(float, lambda value, said: value > said),
    "exclusiveMaximum": _compare(float, lambda value, said: value < said),
    "multipleOf": _compare(float, is_multiple),
    "minLength": _compare(str, lambda value, said: len(value) >= said),
    "maxLength": _compare(str, lambda value, said: len(value) <= said),
    "pattern": _pattern,
    "minItems": _compare(list, lambda value, said: len(value) >= said),
    "maxItems": _compare(list, lambda value, said: len(value) <= said),
    "uniqueItems": _compare(list, lambda value, said: not said or distinct(value)),
    "prefixItems": _part(list, _prefix_items),
    "items": _part(list, _items),
    "unevaluatedItems": _part(list, _unevaluated),
    "contains": _part(list, _contains),
    "minProperties": _compare(dict, lambda value, said: len(value) >= said),
    "maxProperties": _compare(dict, lambda value, said: len(value) <= said),
    "required": _part(dict, _required),
    "dependentRequired": _part(dict, _dependent_required),
    "dependentSchemas": _part(dict, _dependent_schemas),
    "properties": _part(dict, _properties),
    "patternProperties": _part(dict, _pattern_properties),
    "additionalProperties": _part(dict, _additional),
    "unevaluatedProperties": _part(dict, _unevaluated),
    "propertyNames": _part(dict, _property_names),
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "$ref": _refer,
    "$dynamicRef": _refer,
}
