# SPDX-License-Identifier: Apache-2.0
"""No area, file or case of the vectors stays without a test that reads it."""

import importlib
from pathlib import Path

from tests import vectors

TESTS = Path(__file__).resolve().parent


def load_readers() -> None:
    """Import every test module that reads vectors, in case only this one was asked for."""
    for path in sorted(TESTS.rglob("test_*.py")):
        if "from tests.vectors import" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


def test_every_case_has_a_test() -> None:
    load_readers()
    unread = [
        f"{area}/{case.name}"
        for area in vectors.areas()
        for case in vectors.cases(area)
        if case.name not in vectors.READERS[area]
    ]
    assert unread == []


def test_ids_are_unique_in_their_area() -> None:
    for area in vectors.areas():
        ids = [case.id for case in vectors.cases(area)]
        assert len(set(ids)) == len(ids), area


def test_a_field_that_is_not_looked_at_is_named() -> None:
    case = vectors.Case(Path("area/file.json"), {"id": "a", "clause": "1", "text": "1", "odd": 2})
    assert case["text"] == "1"
    assert case.unread() == {"odd"}
