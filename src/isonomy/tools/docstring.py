# SPDX-License-Identifier: Apache-2.0
"""What a docstring says to a model: the tool's description and a text for each parameter.

Google, NumPy and Sphinx layouts are read; one that is none of them is a description as a whole.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# Headings that end the description, and those among them that hold parameters.
_PARAMETERS = frozenset(
    f"{kind}{word}"
    for kind in ("", "keyword ", "other ")
    for word in ("args", "arguments", "parameters", "params")
)
_SECTIONS = _PARAMETERS | {
    "attributes",
    "example",
    "examples",
    "methods",
    "note",
    "notes",
    "raises",
    "receives",
    "references",
    "return",
    "returns",
    "see also",
    "todo",
    "warning",
    "warnings",
    "warns",
    "yield",
    "yields",
}
_SPHINX_PARAMETER = re.compile(
    r":(?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*?\s)?([*\\]*\w+)\s*:\s*(.*)"
)
_SPHINX_FIELD = re.compile(r":[a-z]+(?:\s[^:]*)?:(?:\s|$)")
_GOOGLE_ITEM = re.compile(r"([*\\]*\w+)\s*(?:\(.*?\))?\s*:(?:\s+(.*)|$)")
_NUMPY_ITEM = re.compile(r"([*\\]*\w+(?:\s*,\s*[*\\]*\w+)*)\s*(?::.*)?$")


@dataclass(slots=True)
class Docstring:
    """A docstring taken apart: prose up to the first section, and parameter texts by name."""

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def parse(text: str | None) -> Docstring:
    """Take a docstring apart.

    Stars before a name (`**options`) are not part of it. Line breaks inside a parameter's text
    become spaces; those of the description stay.

    >>> parsed = parse('''Add two numbers.
    ...
    ...     Args:
    ...         a: The first
    ...             of them.
    ...         b (int): The second.
    ... ''')
    >>> parsed.description
    'Add two numbers.'
    >>> parsed.parameters
    {'a': 'The first of them.', 'b': 'The second.'}
    """
    parsed = Docstring()
    lines = inspect.cleandoc(text or "").splitlines()
    prose: list[str] = []
    position = 0
    in_prose = True
    while position < len(lines):
        line = lines[position]
        heading, body_at = _heading(lines, position)
        if heading:
            in_prose = False
            end = _section_end(lines, body_at)
            if heading in _PARAMETERS:
                parsed.parameters.update(_items(lines[body_at:end], numpy=body_at > position + 1))
            position = end
        elif _SPHINX_FIELD.match(line):
            in_prose = False
            position = _sphinx_field(lines, position, parsed.parameters)
        else:
            if in_prose:
                prose.append(line.rstrip())
            position += 1
    parsed.description = "\n".join(prose).strip()
    return parsed


def _heading(lines: list[str], at: int) -> tuple[str, int]:
    """Return the section that starts at a line, in lower case, and where its body starts."""
    line = lines[at]
    if not line or line[0].isspace():
        return "", at
    following = lines[at + 1] if at + 1 < len(lines) else ""
    name = line.strip().lower()
    if len(following.strip()) >= 3 and not following.strip().strip("-="):
        return (name, at + 2) if name in _SECTIONS else ("", at)
    if name.endswith(":") and name[:-1] in _SECTIONS:
        return name[:-1], at + 1
    return "", at


def _section_end(lines: list[str], at: int) -> int:
    """Return where the section ends whose body starts at a line."""
    numpy = at >= 2 and not lines[at - 1].strip().strip("-=") and bool(lines[at - 1].strip())
    while at < len(lines):
        line = lines[at]
        starts_at_margin = bool(line) and not line[0].isspace()
        if starts_at_margin and (not numpy or _heading(lines, at)[0]):
            return at
        at += 1
    return at


def _items(lines: list[str], *, numpy: bool) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each parameter of a section."""
    indents = [_indent(line) for line in lines if line.strip()]
    margin = min(indents, default=0)
    pattern = _NUMPY_ITEM if numpy else _GOOGLE_ITEM
    names: list[str] = []
    words: list[str] = []
    for line in [*lines, ""]:
        found = pattern.match(line.strip()) if line.strip() and _indent(line) == margin else None
        if found:
            yield from ((name, " ".join(words)) for name in names)
            names = [part.strip().lstrip("*\\") for part in found.group(1).split(",")]
            words = [] if numpy else [word for word in (found.group(2),) if word]
        elif line.strip():
            words.append(line.strip())
    yield from ((name, " ".join(words)) for name in names)


def _sphinx_field(lines: list[str], at: int, parameters: dict[str, str]) -> int:
    """Read one `:field:` and what continues it; return where the next line is."""
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0].isspace()):
        end += 1
    found = _SPHINX_PARAMETER.match(lines[at])
    if found:
        words = [found.group(2), *(line.strip() for line in lines[at + 1 : end])]
        parameters[found.group(1).lstrip("*\\")] = " ".join(word for word in words if word)
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
