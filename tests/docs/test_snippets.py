# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows is what happens: every fenced block is run, or read."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs import java_session
from tests.docs.pages import LANGUAGES, ROOT, Block, blocks_of, is_as_shown, pages, values
from tests.schemas import check_wire

_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*isonomy .*")
_NEEDS_JAVA = re.compile(r"java_tools|isonomy\.bridge")


def java_is_missing() -> str | None:
    spec = importlib.util.spec_from_file_location("build_java", ROOT / "scripts" / "java.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    reason: str | None = module.missing()
    return reason


JAVA_MISSING = java_is_missing()


class Session:
    """A page whose blocks were run in a folder of its own."""

    def __init__(self, page: str, folder: Path) -> None:
        self.blocks = {block.place: block for block in blocks_of(page)}
        self.folder = folder
        self.problem = ""
        for block in self.blocks.values():
            if block.file and block.language != "java":
                path = folder / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
        java = self.running("java")
        if java and not JAVA_MISSING:
            try:
                java_session.run(java, folder)
            except AssertionError as failed:
                self.problem = str(failed)
                for block in java:
                    block.printed = None
        self.run_python()
        for block in self.running("sh"):
            self.run_commands(block)

    def running(self, language: str) -> list[Block]:
        return [b for b in self.blocks.values() if b.runs and b.language == language]

    def run_python(self) -> None:
        blocks = self.running("python")
        if JAVA_MISSING:
            needing = [n for n, block in enumerate(blocks) if _NEEDS_JAVA.search(block.text)]
            blocks = blocks[: min(needing, default=len(blocks))]
        if not blocks:
            return
        given, printed = self.folder / "blocks.json", self.folder / "printed.json"
        given.write_text(json.dumps([[b.place, b.page, b.line, b.text] for b in blocks]))
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("python_session.py"), given, printed],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        for place, text in json.loads(printed.read_text(encoding="utf-8")).items():
            self.blocks[place].printed = text
        if done.returncode != 0:
            self.problem += done.stderr

    def run_commands(self, block: Block) -> None:
        commands = block.text.replace("\\\n", "").splitlines()
        assert all(map(_COMMAND.fullmatch, commands)), "other commands say why they are not run"
        block.printed = ""
        for command in commands:
            path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=self.folder,
                env=os.environ | {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            wanted = re.search(r"# exits with (\d+)$", command)
            assert done.returncode == int(wanted[1] if wanted else 0), done.stderr
            block.printed += done.stdout


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    @functools.cache
    def of(page: str) -> Session:
        return Session(page, tmp_path_factory.mktemp("page"))

    return of


BLOCKS = [block for page in pages() for block in blocks_of(page)]


def ran(session: Any, block: Block) -> Block:
    """Return the block after its page has run; skip it where it could not for want of Java."""
    needs_java = block.language == "java" or (
        block.language == "python"
        and any(_NEEDS_JAVA.search(b.text) for b in BLOCKS if b.page == block.page)
    )
    of_page = session(block.page)
    after: Block = of_page.blocks[block.place]
    if after.printed is None and JAVA_MISSING and needs_java:
        pytest.skip(f"no Java: {JAVA_MISSING}")
    if after.printed is None:
        pytest.fail(of_page.problem or f"{block.place} was not reached")
    return after


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_block(block: Block, session: Any) -> None:
    assert block.language in LANGUAGES, f"{block.place}: no language, or one that nobody reads"
    if block.not_run is not None:
        assert len(block.not_run.split()) >= 3, f"{block.place}: say why it is not run"
    elif block.runs:
        after = ran(session, block)
        lines = (after.printed or "").splitlines()
        assert lines[: len(block.comments)] == block.comments
        is_shown = any(by.place == block.place for b in BLOCKS for by in b.shown_by)
        assert is_shown or not after.rest, f"the page does not show what this prints:\n{after.rest}"
    elif block.language == "yaml":
        yaml.safe_load(block.text)
    elif block.language == "xml":
        ET.fromstring(f"<block>{block.text}</block>")
    elif block.language == "json":
        for value in values(block.text):
            check(value)


def by_several(block: Block) -> bool:
    return len({by.language for by in block.shown_by}) > 1


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.shown_by], ids=lambda block: block.place)
def test_shown(block: Block, session: Any) -> None:
    texts = [text for by in block.shown_by if (text := ran(session, by).rest)]
    assert texts, f"{block.place}: nothing above it prints anything"
    for text in texts:
        assert is_as_shown(block, text, by_several=by_several(block)), text


_SCHEMA_OF_EVENT = {
    "tool_request": "call",
    "tool_response": "events",
    "execution": "events",
}


def check(value: Any) -> None:
    """Check a response, an event or a case of a vector against its schema."""
    if not isinstance(value, dict):
        return
    if "clause" in value:
        value = {"area": "mapping", "about": "an example", "cases": [value]}
    name = _SCHEMA_OF_EVENT.get(value.get("event", ""))
    if "status" in value:
        name = "response"
    if "cases" in value:
        name = "vectors"
    if name is not None:
        check_wire(name, value)


def test_what_is_shown_is_compared() -> None:
    """The comparison can fail."""
    text = '# A\n\n```python\nprint(1)  # 1\n```\n\n```json\n{"a": 1, "trace": "t"}\n```\n'
    first, second = blocks_of("page", text)
    assert first.comments == ["1"]
    assert second.shown_by == [first]
    assert is_as_shown(second, '{"trace": "u", "a": 1}', by_several=False)
    assert not is_as_shown(second, '{"trace": "u", "a": 1.0}', by_several=False)
    assert not is_as_shown(second, '{"a": 1}', by_several=False)
    assert not is_as_shown(second, '{"trace": 1, "a": 1}', by_several=False)
    assert is_as_shown(second, '{"a": 1}', by_several=True)


_LINK = re.compile(r"\]\(([^)#:\s]+)?(?:#([\w-]+))?\)")
# Pages that others link to before they are written.
TO_COME: set[str] = set()


def links() -> set[tuple[str, str, str]]:
    """Return each link to a file of the repository: its page, its target, its anchor."""
    found = set()
    for page in pages():
        for path, anchor in _LINK.findall((ROOT / page).read_text(encoding="utf-8")):
            target = (ROOT / page).parent / path if path else ROOT / page
            found.add((page, os.path.relpath(target.resolve(), ROOT), anchor))
    return found


def anchors(path: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_versions_that_are_shown_are_those_of_the_build() -> None:
    """What is shown of a pom.xml has versions: by default Maven takes plugins of other years."""
    pom = (ROOT / "java" / "pom.xml").read_text(encoding="utf-8")
    part = r"<artifactId>([^<]+)</artifactId>\s*<version>([^<]+)</version>"
    built = dict(re.findall(part, pom))
    shown = [block for block in BLOCKS if block.language == "xml"]
    assert len(shown) >= 3
    for block in shown:
        (found,) = re.findall(part, block.text)
        name, version = found
        ours = built["isonomy-parent"] if name.startswith("isonomy") else built[name]
        assert version == ours, block.place


def test_links_lead_somewhere() -> None:
    targets = {(target, anchor) for _, target, anchor in links() if target not in TO_COME}
    assert len(targets) > 10
    assert [target for target, _ in targets if not (ROOT / target).exists()] == []
    assert [
        (target, anchor)
        for target, anchor in targets
        if anchor and anchor not in anchors(ROOT / target)
    ] == []


def test_nothing_is_put_off_that_is_there() -> None:
    assert [page for page in TO_COME if (ROOT / page).exists()] == []
