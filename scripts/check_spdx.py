#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail where a source file does not name its licence in one of its first three lines."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = {".java", ".properties", ".py", ".pyi", ".sh", ".sql", ".toml", ".xml", ".yaml", ".yml"}
NAMES = {"Makefile", "Dockerfile"}


def sources() -> list[Path]:
    """Return every source file that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = (ROOT / name for name in listed.split("\0") if name)
    return sorted(path for path in paths if path.is_file() and is_source(path))


def is_source(path: Path) -> bool:
    """Tell whether a file is one that must carry the line: by its name, or as a script."""
    if path.suffix in SUFFIXES or path.name in NAMES:
        return True
    if path.suffix:
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def carries_line(path: Path) -> bool:
    """Tell whether one of the first three lines names the licence."""
    with path.open(encoding="utf-8") as file:
        return any(LINE in line for line in islice(file, 3))


def main() -> int:
    """Name the files without the line; return 1 where there are any."""
    checked = sources()
    bad = [path for path in checked if not carries_line(path)]
    for path in bad:
        print(f"{path.relative_to(ROOT)}: no '{LINE}' in the first three lines", file=sys.stderr)
    if not bad:
        print(f"SPDX: {len(checked)} files carry the licence line.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
