# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of the documentation, and what each is for.

- A block is a file when its first line is a comment that is nothing but a file's name, or when the
  line of text above ends in a name and a colon: `calls.jsonl`:
- A comment `<!-- not run: REASON -->` above a block says why nothing runs it.
- The lines that a block prints stand as comments behind `print(...)` and `println(...)`; those that
  have no such comment come last, and stand in the next block, of `text` or `json`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

LANGUAGES = {"python", "java", "sh", "json", "text", "yaml", "xml"}
RUN = {"python", "java", "sh"}
SHOWN = {"json", "text"}

_NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
_FILE_COMMENT = re.compile(r"(?:#|//) ([\w/.-]+\.\w+)")
_FILE_ABOVE = re.compile(r".*`([\w/.-]+\.\w+)`:")
_PRINTED = re.compile(r"\s*(?:print|System\.out\.println)\(.*\);?  ?(?:#|//) (.+)")
# Told of each run anew, or by the language in which it ran.
_VARYING = {"started_at", "at", "duration_us", "trace"}
_BY_LANGUAGE: set[str] = {"language", "type", "trace"}


@dataclass
class Block:
    """One fenced block: `line` is that of its first line of text, counted from 1."""

    page: str
    line: int
    language: str
    text: str
    file: str | None = None
    not_run: str | None = None
    shown_by: list[Block] = field(default_factory=list)
    printed: str | None = None

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def runs(self) -> bool:
        return self.language in RUN and self.not_run is None

    @property
    def comments(self) -> list[str]:
        """The lines that the block says it prints, in comments."""
        found = map(_PRINTED.fullmatch, self.text.splitlines())
        return [match[1] for match in found if match]

    @property
    def rest(self) -> str:
        """What it printed after the lines that are comments."""
        return "".join((self.printed or "").splitlines(keepends=True)[len(self.comments) :])


def pages() -> list[str]:
    """Return the pages whose blocks are tested, from the root of the repository."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path.relative_to(ROOT).as_posix() for path in found if path.exists()]


def blocks_of(page: str, text: str | None = None) -> list[Block]:
    """Return the blocks of a page in order, each shown block with those that print it."""
    if text is None:
        text = (ROOT / page).read_text(encoding="utf-8")
    blocks: list[Block] = []
    pending: list[Block] = []
    above = ""
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if line.startswith("```"):
            block = _read(page, number, line, lines, above)
            blocks.append(block)
            if block.runs:
                pending.append(block)
            elif block.language in SHOWN and block.file is None and pending:
                block.shown_by, pending = pending, []
        elif line.startswith("#"):
            pending = []
        above = line or above
    return blocks


def _read(page: str, number: int, fence: str, lines: Any, above: str) -> Block:
    body = []
    for _, line in lines:
        if line == "```":
            break
        body.append(line)
    else:
        raise AssertionError(f"{page}:{number}: the block has no end")
    reason = _NOT_RUN.fullmatch(above)
    first = _FILE_COMMENT.fullmatch(body[0]) if body else None
    named = first or _FILE_ABOVE.fullmatch(above)
    return Block(
        page,
        number + 1,
        fence.removeprefix("```"),
        "\n".join(body) + "\n",
        named[1] if named else None,
        reason[1] if reason else None,
    )


def values(text: str) -> list[Any]:
    """Return the JSON value of a text, or those of its lines."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def same_text(shown: str, printed: str) -> bool:
    """Tell whether a text is as shown, where `...` stands for anything."""
    pattern = ".*".join(map(re.escape, shown.rstrip().split("...")))
    return re.fullmatch(pattern, printed.rstrip(), re.DOTALL) is not None


def same_json(shown: Any, printed: Any, *, by_several: bool = False) -> bool:
    """Tell whether JSON is as shown; fields that vary from run to run are alike if their types are.

    With `by_several` that goes for what each language tells in its own way too, and what one alone
    has to tell, such as the class of an exception, may be absent.
    """
    if isinstance(shown, dict) and isinstance(printed, dict):
        varying = _VARYING | _BY_LANGUAGE if by_several else _VARYING
        optional = _BY_LANGUAGE if by_several else set()
        return shown.keys() - optional == printed.keys() - optional and all(
            type(shown[key]) is type(printed[key])
            if key in varying
            else same_json(shown[key], printed[key], by_several=by_several)
            for key in shown.keys() & printed.keys()
        )
    if isinstance(shown, list) and isinstance(printed, list):
        return len(shown) == len(printed) and all(
            same_json(mine, its, by_several=by_several)
            for mine, its in zip(shown, printed, strict=True)
        )
    return type(shown) is type(printed) and bool(shown == printed)


def is_as_shown(block: Block, printed: str, *, by_several: bool) -> bool:
    """Tell whether a block shows what was printed; several languages may differ in their own."""
    if block.language == "text":
        return same_text(block.text, printed)
    return same_json(values(block.text), values(printed), by_several=by_several)
