# SPDX-License-Identifier: Apache-2.0
"""The progress bar: on a terminal only, and on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

from isonomy.cli.job import Tally
from isonomy.cli.reading import RequestReader

_SHOWN: Final = 40
"""Characters of what a tool says."""


def is_shown() -> bool:
    """Tell whether anybody sees a progress bar."""
    return sys.stderr.isatty()


class Underway:
    """How far the request that runs has come, by the execution events of its calls (clause 9.3).

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls = 0
        self._shares: dict[int, float] = {}
        self._show: Callable[[], None] = lambda: None
        #: What was told last, such as `fetch 2/3 half of it`.
        self.told = ""

    @property
    def share(self) -> float:
        """How much of the request has been done, from 0 to 1."""
        return sum(self._shares.values()) / self._calls if self._calls else 0.0

    def shown_by(self, show: Callable[[], None]) -> None:
        """Have something called after each change."""
        self._show = show

    def begin(self, calls: int) -> None:
        """Begin a request of so many calls; 0: there is none."""
        with self._lock:
            self._calls, self._shares, self.told = calls, {}, ""

    def take(self, event: Mapping[str, Any]) -> None:
        """Take an execution event, a tree."""
        if event["type"] == "started":
            return
        with self._lock:
            ended = event["type"] != "progress"
            before = self._shares.get(event["position"], 0.0)
            share = 1.0 if ended else _share(event["progress"], event.get("total"))
            self._shares[event["position"]] = max(before, share)
            if not ended:
                self.told = _said(event)
        self._show()


@contextmanager
def progress(
    reader: RequestReader, tally: Tally, total_bytes: int | None, underway: Underway
) -> Iterator[Callable[[], None]]:
    """Yield what is to be called after each line.

    Shows how much of the input has been done, where its size is known, the calls so far and what
    tools tell of their progress. Does nothing where stderr is no terminal.
    """
    if not is_shown():
        yield lambda: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        TextColumn("{task.fields[calls]} calls, {task.fields[failed]} failed"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[told]}"),
    )
    done = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total_bytes, calls=0, failed=0, told="")

        def show() -> None:
            bar.update(
                task,
                completed=done + (reader.bytes_read - done) * underway.share,
                calls=tally.calls,
                failed=tally.failed.total(),
                told=escape(underway.told),
            )

        def step() -> None:
            nonlocal done
            done = reader.bytes_read
            underway.begin(0)
            show()

        underway.shown_by(show)
        yield step
        underway.shown_by(lambda: None)


def _share(progress: float, total: float | None) -> float:
    """Give how much that is; nothing where nobody says of how much."""
    return min(1.0, max(0.0, progress / total)) if total else 0.0


def _said(event: Mapping[str, Any]) -> str:
    total = "" if event.get("total") is None else f"/{event['total']:g}"
    said = f"{event['tool']} {event['progress']:g}{total} {event.get('message') or ''}"
    printable = "".join(letter if letter.isprintable() else " " for letter in said).strip()
    return printable if len(printable) <= _SHOWN else f"{printable[: _SHOWN - 1]}…"
