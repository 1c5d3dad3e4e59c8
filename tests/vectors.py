# SPDX-License-Identifier: Apache-2.0
"""Reads spec/vectors for tests, and sees to it that nothing in them stays unread.

A test that reads an area is decorated with `@each("area")` and takes a `case`. A field that it does
not look at fails it; `tests/test_vectors.py` fails where an area, a file or a case has no test.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent / "spec" / "vectors"

READERS: dict[str, set[str]] = defaultdict(set)
"""For each area the cases that a collected test runs, as `file:id`."""

_UNCHECKED = {"id", "clause", "note", "only"}


class Case:
    """One case: its fields by subscript, `get` and `in`, and which of them were looked at."""

    def __init__(self, file: Path, fields: dict[str, Any]) -> None:
        self.file = file
        self.id: str = fields["id"]
        self.clause: str = fields["clause"]
        self.only: list[str] | None = fields.get("only")
        self._fields = fields
        self._seen: set[str] = set()

    @property
    def name(self) -> str:
        return f"{self.file.stem}:{self.id}"

    def __getitem__(self, field: str) -> Any:
        self._seen.add(field)
        return self._fields[field]

    def get(self, field: str, default: Any = None) -> Any:
        self._seen.add(field)
        return self._fields.get(field, default)

    def __contains__(self, field: str) -> bool:
        self._seen.add(field)
        return field in self._fields

    def __repr__(self) -> str:
        return f"<{self.file.parent.name}/{self.name} (clause {self.clause})>"

    def unread(self) -> set[str]:
        return self._fields.keys() - self._seen - _UNCHECKED


def areas() -> list[str]:
    return sorted(path.name for path in ROOT.iterdir() if path.is_dir())


def cases(area: str) -> Iterator[Case]:
    for file in sorted((ROOT / area).rglob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        assert content.keys() == {"area", "about", "cases"}, file
        assert content["area"] == area, file
        for fields in content["cases"]:
            yield Case(file, fields)


def each(area: str, where: Callable[[Case], bool] | None = None) -> Callable[[Any], Any]:
    """Run a test for every case of an area (of those that `where` takes)."""
    chosen = [case for case in cases(area) if where is None or where(case)]
    READERS[area].update(case.name for case in chosen)
    parameters = [pytest.param(case, id=case.name) for case in chosen]

    def decorate(test: Any) -> Any:
        if inspect.iscoroutinefunction(test):

            @functools.wraps(test)
            async def run(*arguments: Any, case: Case, **named: Any) -> None:
                if _is_ours(case):
                    await test(*arguments, case=case, **named)
                    _check_read(case)
        else:

            @functools.wraps(test)
            def run(*arguments: Any, case: Case, **named: Any) -> None:
                if _is_ours(case):
                    test(*arguments, case=case, **named)
                    _check_read(case)

        return pytest.mark.parametrize("case", parameters)(run)

    return decorate


def _is_ours(case: Case) -> bool:
    """Tell whether a case concerns Python; one that does not is checked to say so rightly."""
    if case.only is None or "python" in case.only:
        return True
    assert case.only == ["java"], case
    return False


def _check_read(case: Case) -> None:
    unread = case.unread()
    assert not unread, f"{case!r}: no test looked at {sorted(unread)}"
