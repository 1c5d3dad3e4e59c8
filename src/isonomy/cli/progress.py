# SPDX-License-Identifier: Apache-2.0
"""The progress bar: on a terminal only, and on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from isonomy.cli.job import Tally
from isonomy.cli.reading import RequestReader


@contextmanager
def progress(
    reader: RequestReader, tally: Tally, total_bytes: int | None
) -> Iterator[Callable[[], None]]:
    """Yield what is to be called after each line.

    Shows how much of the input has been read, where its size is known, and the calls so far. Does
    nothing where stderr is no terminal.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        TextColumn("{task.fields[calls]} calls, {task.fields[failed]} failed"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total_bytes, calls=0, failed=0)
        yield lambda: bar.update(
            task, completed=reader.bytes_read, calls=tally.calls, failed=tally.failed.total()
        )
