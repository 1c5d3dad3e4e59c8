# SPDX-License-Identifier: Apache-2.0
"""What docs/cases.md names as a proof is there."""

from __future__ import annotations

import json
import re

import pytest

from tests.docs.pages import ROOT

ROWS = re.findall(
    r"^\| ([A-L]\d+) \| (.+?) \| (.*?) ?\| (.+?) \| (.*?) ?\|$",
    (ROOT / "docs/cases.md").read_text(encoding="utf-8"),
    re.M,
)
_JAVA = [
    ROOT / f"java/{module}/src/test/java/dev/isonomy" for module in ("isonomy", "isonomy-python")
]


def vector_ids(area: str) -> set[str]:
    files = (ROOT / "spec/vectors" / area).glob("*.json")
    return {case["id"] for file in files for case in json.loads(file.read_text())["cases"]}


def test_every_case_stands_once() -> None:
    page = (ROOT / "docs/cases.md").read_text(encoding="utf-8")
    labels = [row[0] for row in ROWS]
    assert len(labels) == len(set(labels))
    assert len(labels) == len(re.findall(r"^\| [A-L]\d", page, re.M)), "a row is malformed"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_its_proofs_exist(row: tuple[str, ...]) -> None:
    _, _, vectors, python, java = row
    for area, case in re.findall(r"`([a-z]+)/([a-z0-9-]+)`", vectors):
        assert case in vector_ids(area)
    for area in re.findall(r"all of `([a-z]+)`", vectors):
        assert vector_ids(area)
    tests = re.findall(r"`([\w/]+\.py)::(\w+)`", python)
    assert tests
    for file, name in tests:
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?def {name}\(", text, re.M), f"{file}::{name}"
    for path, name in re.findall(r"`([\w.]+)#(\w+)`", java):
        files = [folder / f"{path.replace('.', '/')}.java" for folder in _JAVA]
        (text,) = (file.read_text(encoding="utf-8") for file in files if file.is_file())
        method = rf"^ +(?:public )?(?:void|Stream<DynamicTest>) {name}\("
        assert re.search(method, text, re.M), f"{path}#{name}"
    for column in (vectors, python, java):
        for quoted in re.findall(r"`([^`]+)`", column):
            assert re.fullmatch(r"[a-z]+(/[a-z0-9-]+)?|[\w/]+\.py::\w+|[\w.]+#\w+", quoted), quoted
