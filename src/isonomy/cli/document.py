# SPDX-License-Identifier: Apache-2.0
"""A YAML file with the line of everything in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from isonomy.contract.misuse import Misuse

Where = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

LARGEST = 1024 * 1024
"""Bytes of a file; a larger one, or an endless one, is no configuration."""
DEEPEST = 100
"""Lists and mappings inside each other."""
TOO_DEEP = f"more than {DEEPEST} lists and mappings are inside each other; nest less"
MOST = 100_000
"""Keys and items, those behind aliases counted wherever they are used."""


@dataclass(frozen=True)
class Document:
    """What a YAML file says, and where it says it.

    `lines` holds the line, from 1, of each key of a mapping and of each item of a list.
    """

    path: Path
    data: Any
    lines: Mapping[Where, int]
    text: str = field(default="", repr=False)

    def text_at(self, where: Where) -> str:
        """Return the line of the file that `line` counts."""
        return self.text.split("\n")[self.line(where) - 1]

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
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise Misuse(f"{path}: is larger than {LARGEST} bytes; name a YAML file of settings")
        text = data.decode("utf-8-sig")
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


class _Loader(yaml.SafeLoader):
    """Loads plain data that is not nested too deep; raises `Misuse` where a value is none."""

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text)
        self._path = path
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._depth += 1
        try:
            if self._depth > DEEPEST:
                event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
                raise _complaint(self._path, event, TOO_DEEP)
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except Misuse:
            raise
        except (ValueError, LookupError, AttributeError, ArithmeticError):
            # What Python says of `2026-02-30` or of 5,000 digits; the value may be a secret.
            kind = node.tag.rpartition(":")[2]
            problem = f"what looks like a value of type {kind} is none; put it in quotes"
            raise _complaint(self._path, node, problem) from None


def _complaint(path: Path, at: yaml.Node | yaml.Event, problem: str) -> Misuse:
    line = at.start_mark.line + 1 if at.start_mark else 1
    return Misuse(f"{path}:{line}: {problem}")


def _compose(path: Path, text: str) -> Document:
    loader = _Loader(text, path)
    try:
        root = loader.get_single_node()
        if root is None:
            return Document(path, None, {}, text)
        lines = _Lines(path)
        lines.note(root, (), frozenset())
        return Document(path, loader.construct_document(root), lines.found, text)
    finally:
        loader.dispose()


class _Lines:
    """Finds the line of everything in a document, and what makes no sense in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: dict[Where, int] = {}

    def note(self, node: yaml.Node, where: Where, around: frozenset[int]) -> None:
        """Note the lines inside a node; a node that holds itself is entered once."""
        if id(node) in around:
            return
        if len(around) == DEEPEST:  # by way of aliases
            raise _complaint(self._path, node, TOO_DEEP)
        around |= {id(node)}
        if isinstance(node, yaml.SequenceNode):
            for at, item in enumerate(node.value):
                self._keep((*where, at), item)
                self.note(item, (*where, at), around)
        elif isinstance(node, yaml.MappingNode):
            for key, item in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    problem = "a key must be text, not a list or a mapping"
                    raise _complaint(self._path, key, problem)
                inside = (*where, key.value)
                if inside in self.found:
                    problem = f'"{key.value}" stands in line {self.found[inside]} already'
                    raise _complaint(self._path, key, f"{problem}; keep one of the two")
                self._keep(inside, key)
                self.note(item, inside, around)

    def _keep(self, where: Where, node: yaml.Node) -> None:
        if len(self.found) == MOST:
            problem = f"more than {MOST} values, those behind aliases included; leave some out"
            raise _complaint(self._path, node, problem)
        self.found[where] = node.start_mark.line + 1 if node.start_mark else 1
