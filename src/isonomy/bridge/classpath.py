# SPDX-License-Identifier: Apache-2.0
"""Class paths of tools, from what a user writes to the files that are there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import glob, has_magic
from pathlib import Path

from isonomy.contract.misuse import Misuse

Entry = str | os.PathLike[str]


def resolve(entries: Entry | Iterable[Entry]) -> tuple[str, ...]:
    """Return the absolute paths of the jars and folders of a class path, in order.

    An entry is a jar, a folder of classes, or a pattern such as `lib/*.jar`, which stands for the
    jars and folders that it matches, by name. A path that exists is taken as it is, even with `*`
    in its name.

    Raises:
        Misuse: An entry does not exist, a pattern matches no jar or folder, or a file is no jar.
    """
    if isinstance(entries, str | os.PathLike):
        entries = (entries,)
    paths: dict[str, None] = {}
    for entry in entries:
        for path in _paths(os.fspath(entry)):
            paths[str(path.absolute())] = None
    return tuple(paths)


def _paths(entry: str) -> list[Path]:
    path = Path(entry).expanduser()
    if path.exists():
        if not _is_readable(path):
            raise Misuse(
                f"the entry {entry!r} of the class path is no jar; give jars and folders of classes"
            )
        return [path]
    if os.pathsep in entry:
        raise Misuse(
            f"the entry {entry!r} of the class path holds several paths; give each as its own entry"
        )
    if not has_magic(entry):
        raise Misuse(
            f"the entry {entry!r} of the class path does not exist (looked for {path.absolute()});"
            " correct the path or build what belongs there"
        )
    found = sorted(glob(str(path), recursive=True))  # noqa: PTH207 - the pattern may be absolute
    matches = [Path(match) for match in found]
    matches = [match for match in matches if _is_readable(match)]
    if not matches:
        raise Misuse(
            f"the pattern {entry!r} of the class path matches no jar or folder (looked for"
            f" {path.absolute()}); correct it or build what belongs there"
        )
    return matches


def _is_readable(path: Path) -> bool:
    """Tell whether a class loader reads it: any other file is passed over without a word."""
    if path.is_dir():
        return True
    with path.open("rb") as file:
        return file.read(2) == b"PK"
