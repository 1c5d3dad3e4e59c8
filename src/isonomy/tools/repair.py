# SPDX-License-Identifier: Apache-2.0
"""What is made of values that a schema does not accept as they came (clauses 7.4 to 7.6).

Each function changes containers in place; they are the tool's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isonomy.tools.parsing import BrokenText, parse_text
from isonomy.tools.shape import Shape
from isonomy.tools.violations import MAX_DEPTH, Step, path_of

_KINDS = {"object": dict, "array": list}


def repair(shape: Shape, arguments: dict[str, Any]) -> list[str]:
    """Decode texts where JSON is demanded, then drop nulls that count as absent.

    Valid arguments hold nothing of the kind, so this runs only where validation failed.

    Returns:
        The paths of what was decoded, in order.
    """
    decoded: list[str] = []
    _repair(shape, arguments, [], decoded)
    return sorted(decoded)


def _repair(shape: Shape, value: Any, steps: list[Step], decoded: list[str]) -> Any:
    if type(value) is str and shape.decodes:
        value = _decode(shape, value, steps, decoded)
    if type(value) is dict:
        for name, part in shape.properties.items():
            if name in value:
                value[name] = _repair(part, value[name], [*steps, name], decoded)
        for name in shape.droppable:
            if name in value and value[name] is None:
                del value[name]
    elif type(value) is list and shape.items is not None:
        for at, item in enumerate(value):
            value[at] = _repair(shape.items, item, [*steps, at], decoded)
    return value


def _decode(shape: Shape, text: str, steps: list[Step], decoded: list[str]) -> Any:
    try:
        value = parse_text(text, MAX_DEPTH - len(steps))
    except BrokenText:
        return text
    if any(type(value) is _KINDS.get(kind) for kind in shape.types):
        decoded.append(path_of(steps))
        return value
    return text


def integer_fix(shape: Shape) -> Callable[[dict[str, Any]], object] | None:
    """Return what makes `1.0` an integer wherever the schema says so, or None for nowhere."""
    wanted = _reaching(shape)
    if shape not in wanted:
        return None
    names = tuple(name for name, part in shape.properties.items() if part.integer)
    deeper = tuple(
        (name, part)
        for name, part in shape.properties.items()
        if part in wanted and not part.integer
    )

    def fix(arguments: dict[str, Any]) -> None:
        for name in names:
            if type(arguments.get(name)) is float:
                arguments[name] = int(arguments[name])
        for name, part in deeper:
            if name in arguments:
                arguments[name] = _integers(part, arguments[name], wanted)

    return fix


def _integers(shape: Shape, value: Any, wanted: frozenset[Shape]) -> Any:
    if type(value) is float:
        return int(value) if shape.integer and value.is_integer() else value
    if type(value) is dict:
        for name, part in shape.properties.items():
            if part in wanted and name in value:
                value[name] = _integers(part, value[name], wanted)
    elif type(value) is list and shape.items in wanted:
        part = shape.items
        value[:] = [_integers(part, item, wanted) for item in value]
    return value


def _reaching(root: Shape) -> frozenset[Shape]:
    """Return the shapes that are integers or lead to one."""
    above: dict[Shape, list[Shape]] = {root: []}
    rest = [root]
    while rest:
        shape = rest.pop()
        for part in shape.parts():
            if part not in above:
                above[part] = []
                rest.append(part)
            above[part].append(shape)
    wanted: set[Shape] = set()
    rest = [shape for shape in above if shape.integer]
    while rest:
        shape = rest.pop()
        if shape not in wanted:
            wanted.add(shape)
            rest.extend(above[shape])
    return frozenset(wanted)
