# SPDX-License-Identifier: Apache-2.0
"""A YAML file with the line of everything in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from isonomy.contract.misuse import Misuse

Where = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""


@dataclass(frozen=True)
class Document:
    """What a YAML file says, and where it says it.

    `lines` holds the line, from 1, of each key of a mapping and of each item of a list.
    """

    path: Path
    data: Any
    lines: Mapping[Where, int]

    def complaint(self, where: Where, problem: str) -> Misuse:
        """Return the exception that says what is wrong at a place: `FILE:LINE: problem`."""
        return Misuse(f"{self.path}:{self.line(where)}: {problem}")

    def line(self, where: Where) -> int:
        """Return the line, from 1, of a place, or of the nearest thing around it."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where, 1)


def read_document(path: Path) -> Document:
    """Read a YAML file; raises `Misuse` with its place where it cannot be read."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as failed:
        raise Misuse(f"{path}: cannot be read: {failed.strerror}") from failed
    except UnicodeDecodeError as failed:
        line = failed.object.count(b"\n", 0, failed.start) + 1
        raise Misuse(f"{path}:{line}: is not UTF-8 text; save the file as UTF-8") from None
    try:
        return _compose(path, text)
    except yaml.MarkedYAMLError as failed:
        mark = failed.problem_mark or failed.context_mark
        line = mark.line + 1 if mark else 1
        raise Misuse(f"{path}:{line}: is not YAML: {failed.problem or failed.context}") from None
    except yaml.reader.ReaderError as failed:
        line = text.count("\n", 0, failed.position) + 1
        raise Misuse(f"{path}:{line}: is not YAML: {failed.reason}") from None


def _compose(path: Path, text: str) -> Document:
    loader = yaml.SafeLoader(text)
    try:
        root = loader.get_single_node()
        lines: dict[Where, int] = {}
        if root is None:
            return Document(path, None, lines)
        _note_lines(root, (), lines, Document(path, None, lines), frozenset())
        return Document(path, loader.construct_document(root), lines)
    finally:
        loader.dispose()


def _note_lines(
    node: yaml.Node,
    where: Where,
    lines: dict[Where, int],
    document: Document,
    around: frozenset[int],
) -> None:
    """Note the line of everything in a node; a node that holds itself is entered once."""
    if id(node) in around:
        return
    around |= {id(node)}
    if isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            lines[(*where, at)] = item.start_mark.line + 1
            _note_lines(item, (*where, at), lines, document, around)
    elif isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            inside = (*where, str(key.value))
            line = key.start_mark.line + 1
            if inside in lines:
                earlier = lines[inside]
                lines[inside] = line
                problem = f'"{key.value}" stands in line {earlier} already; keep one of the two'
                raise document.complaint(inside, problem)
            lines[inside] = line
            _note_lines(item, inside, lines, document, around)
