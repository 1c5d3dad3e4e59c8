# SPDX-License-Identifier: Apache-2.0
"""Where an exception was raised, as `FILE:LINE`."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType


class RaisedPlace:
    """A `with` block that notes where an exception leaves the user's own code, and lets it pass.

    `text` is the innermost line of a file in one of the folders, or else of any file, of the text
    that is no Python for a `SyntaxError`, and empty where nothing was raised or no file took part.
    """

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = [Path(folder) for folder in folders]
        self.text = ""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(raised, SyntaxError) and raised.filename and raised.lineno:
            self.text = f"{raised.filename}:{raised.lineno}"
            return
        lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
        # The first is that of the block itself.
        places = [(file, line) for file, line in lines[1:] if _is_file(file)]
        for file, line in [place for place in places if self._is_own(place[0])] or places:
            self.text = f"{file}:{line}"

    def _is_own(self, file: str) -> bool:
        return any(folder in Path(file).parents for folder in self._folders)


def _is_file(name: str) -> bool:
    return not name.startswith("<") and "importlib" not in Path(name).parts
