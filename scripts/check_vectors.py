#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the vectors in spec/vectors: their form, names, clauses, JSON texts and digests.

No codec of Isonomy is used: whether the vectors are right and whether the code follows them are
two questions, and this script asks only the first.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

SPEC = Path(__file__).resolve().parent.parent / "spec"
MAX_NESTING = 512  # clause 5.28
MAX_CONTAINERS = 128  # clause 5.28
MAX_DIGITS = 4300  # clause 5.8

Case = dict[str, Any]


class RefusedError(ValueError):
    """A JSON text that clause 5.8 or 5.28 refuses."""


def parse(text: str) -> Any:
    """Read JSON as clauses 5.8 and 5.28 say, without looking at tags.

    Raises:
        RefusedError: the text is malformed, nested too deeply, or holds a number out of range.
    """
    text = text.removeprefix("\ufeff")
    # Brackets count only outside strings, and before parsing, which recurses.
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', '""', text, flags=re.S)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MAX_NESTING:
        raise RefusedError(f"nested {deepest} deep")
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_short,
        )
    except json.JSONDecodeError as error:
        raise RefusedError(str(error)) from error


def containers(value: Any) -> int:
    """Count the containers inside each other; tags other than sets and maps are none."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, payload),) = value.items()
        if key == "$iso:map" and isinstance(payload, list):
            payload = [part for pair in payload for part in pair]
        if key in ("$iso:map", "$iso:set"):
            return containers(payload)
        if key.startswith("$iso:"):
            return 0
    if isinstance(value, (dict, list)):
        items = value.values() if isinstance(value, dict) else value
        return 1 + max(map(containers, items), default=0)
    return 0


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise RefusedError("a key appears twice")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise RefusedError(f"the literal {name}")


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise RefusedError("a number beyond binary64")
    return number


def _short(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise RefusedError("an integer of too many digits")
    return int(text)


def without_surrogates(value: Any) -> Any:
    """Put a question mark for each lone surrogate, which a schema cannot be asked about."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


class Schemas:
    """The schemas of spec/schema, which refer to each other by their urn."""

    def __init__(self, folder: Path) -> None:
        """Read and compile them; a schema that is none raises."""
        contents = {path.stem: parse(path.read_text("utf-8")) for path in folder.glob("*.json")}
        for content in contents.values():
            jsonschema_rs.meta.validate(content)
        self.registry = jsonschema_rs.Registry([(c["$id"], c) for c in contents.values()])

    def of(self, reference: str) -> jsonschema_rs.Draft202012Validator:
        """Compile the schema that `urn:isonomy:REFERENCE` names."""
        schema = {"$ref": f"urn:isonomy:{reference}"}
        return jsonschema_rs.Draft202012Validator(schema, registry=self.registry)


class Checker:
    """Goes through the cases of every area and yields what is wrong with them."""

    def __init__(self, schemas: Schemas, clauses: set[str]) -> None:
        """Take the schemas and the numbers of the clauses of the contract and of the wire."""
        self.clauses = clauses
        self.files = schemas.of("vectors")
        self.portable = schemas.of("portable")
        self.tag = schemas.of("portable#/$defs/tag")
        self.known = schemas.of("portable#/$defs/known")
        self.response = schemas.of("response")
        self.envelope = schemas.of("outcome-envelope")
        self.areas: dict[str, Callable[[Case], Iterator[str]]] = {
            "decode": self.decode,
            "canonical": self.canonical,
            "response": self.responses,
            "envelope": self.envelopes,
            "view": self.view,
        }

    def file(self, path: Path, ids: set[str]) -> Iterator[str]:
        """Check one file; `ids` are those of its area so far and are added to."""
        content = parse(path.read_text("utf-8"))
        if wrong := list(self.files.iter_errors(content)):
            yield from (f"/{'/'.join(map(str, e.instance_path))}: {e.message[:300]}" for e in wrong)
            return
        if content["area"] != path.parent.name:
            yield f"the area {content['area']} in the folder {path.parent.name}"
        for case in content["cases"]:
            if case["id"] in ids:
                yield f"{case['id']}: the id appears twice in the area"
            ids.add(case["id"])
            if case["clause"] not in self.clauses:
                yield f"{case['id']}: there is no clause {case['clause']}"
            for problem in self.case(content["area"], case):
                yield f"{case['id']}: {problem}"

    def case(self, area: str, case: Case) -> Iterator[str]:
        """Check what one case says in JSON texts, then what is special to its area."""
        for field in ("text", "encodes", "left", "right", "accepts", "details"):
            if field not in case or (field == "text" and area in {"redaction", "envelope"}):
                continue
            refused = "refused" in case and field == "text"
            yield from (f"{field}: {fault}" for fault in self.json_text(case[field], refused))
        if area == "redaction" and "details" in case:
            yield from self.json_text(case["redacted"], False)
        if area in self.areas:
            yield from self.areas[area](case)

    def json_text(self, text: str, refused: bool) -> Iterator[str]:
        """Check that a text is portable JSON (a refused one may be JSON of another form)."""
        try:
            value = without_surrogates(parse(text))
        except RefusedError as error:
            if not refused:
                yield str(error)
            return
        if not refused and not self.portable.is_valid(value):
            yield "not a portable value"

    def decode(self, case: Case) -> Iterator[str]:
        """A refused text is refused; a tag that some language holds is in canonical form."""
        try:
            value = without_surrogates(parse(case["text"]))
        except RefusedError:
            return
        is_tag = self.tag.is_valid(value)
        if "refused" in case:
            if containers(value) > MAX_CONTAINERS:
                return
            if case["refused"] != "too_large" or '"$iso:decimal"' not in case["text"]:
                yield "nothing is wrong with the text"
        elif (held := set(case["native"].values()) != {"Tagged"}) and is_tag:
            if not self.known.is_valid(value):
                yield "a language is to hold a tag that is not in canonical form"
        elif not held and not is_tag:
            yield "plain data is to be Tagged"

    def canonical(self, case: Case) -> Iterator[str]:
        """The digest is that of the canonical encoding."""
        digest = hashlib.sha256(case["canonical"].encode()).hexdigest()
        if case["sha256"] != digest:
            yield f"the digest of the canonical encoding is {digest}"

    def responses(self, case: Case) -> Iterator[str]:
        """The schema of responses accepts what is to be read, and refuses the rest."""
        try:
            valid = self.response.is_valid(without_surrogates(parse(case["text"])))
        except RefusedError:
            valid = False
        if valid == ("refused" in case):
            yield f"the schema {'accepts' if valid else 'refuses'} it"

    def envelopes(self, case: Case) -> Iterator[str]:
        """The schema of envelopes refuses exactly what is called malformed."""
        try:
            valid = self.envelope.is_valid(without_surrogates(parse(case["text"])))
        except RefusedError:
            valid = False
        if valid == case["id"].startswith("malformed-"):
            yield f"the schema {'accepts' if valid else 'refuses'} it"

    def view(self, case: Case) -> Iterator[str]:
        """The response is one."""
        if not self.response.is_valid(without_surrogates(parse(case["response"]))):
            yield "not a response"


def main() -> int:
    """Print what is wrong; return 1 where anything is."""
    texts = [(SPEC / page).read_text("utf-8") for page in ("contract.md", "wire.md", "journal.md")]
    clauses = set(re.findall(r"^- \*\*([JW]?[\d.]+)\*\*", "\n".join(texts), re.M))
    checker = Checker(Schemas(SPEC / "schema"), clauses)
    ids: dict[str, set[str]] = {}
    problems = [
        f"{path.relative_to(SPEC.parent)}: {problem}"
        for path in sorted((SPEC / "vectors").glob("*/*.json"))
        for problem in checker.file(path, ids.setdefault(path.parent.name, set()))
    ]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    if not problems:
        counts = ", ".join(f"{area} {len(ids[area])}" for area in sorted(ids))
        print(f"Vectors: {sum(map(len, ids.values()))} cases ({counts}).")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
