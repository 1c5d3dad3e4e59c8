# SPDX-License-Identifier: Apache-2.0
"""What a run reads: files that responses must not overwrite."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path


class Inputs:
    """The files that a run reads: given ones, those of imported modules, and a class path.

    Args:
        given: Descriptors or paths, such as the configuration and the calls.
        classpath: Jars, and folders of which every file counts.
    """

    def __init__(self, given: Iterable[int | Path], classpath: Iterable[str] = ()) -> None:
        self._given = tuple(given)
        self._classpath = tuple(classpath)

    def hold(self, descriptor: int) -> bool:
        """Tell whether a descriptor is of one of the files; opens nothing."""
        wanted = os.fstat(descriptor)
        return stat.S_ISREG(wanted.st_mode) and any(
            os.path.samestat(wanted, each) for each in self._stats()
        )

    def _stats(self) -> Iterator[os.stat_result]:
        for file in (*self._given, *_module_files(), *self._class_files()):
            try:
                yield os.stat(file)  # noqa: PTH116 - a Path has no descriptor
            except OSError:
                continue  # a module of an archive, or a file that is gone

    def _class_files(self) -> Iterator[str]:
        for entry in self._classpath:
            yield entry
            for folder, _, names in os.walk(entry):
                yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118 - text


def _module_files() -> Iterator[str]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str):
            yield file
