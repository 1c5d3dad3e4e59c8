# SPDX-License-Identifier: Apache-2.0
"""A journal in a file of SQLite: the default for hosts on one machine (clauses J4.1 to J4.3)."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from isonomy.contract.forking import renew_after_fork
from isonomy.contract.journal import (
    LEASE_SECONDS,
    BatchPruned,
    Finished,
    JournalError,
    JournalMismatch,
    LeaseLost,
    NotClaimed,
    StoredCall,
)
from isonomy.contract.jsontext import write
from isonomy.contract.misuse import Misuse
from isonomy.contract.slots import SlotKey
from isonomy.journal.committing import SharedCommits
from isonomy.journal.owner import is_dead, this_process
from isonomy.journal.renewing import Renewal

Synchronous = Literal["full", "normal"]

VERSION: Final = 1
_HERE: Final = Path(__file__).resolve().parent
_PLACES: Final = (
    _HERE / "_sql" / "journal-sqlite.sql",  # installed
    _HERE.parents[2] / "spec" / "sql" / "journal-sqlite.sql",
)
_BUSY_SECONDS: Final = 30.0
_ASK_AGAIN: Final = 0.05
"""Seconds after which who waits for a claim asks again (J3.2)."""
_PAGE: Final = 1_000
"""Slots that are read at once: the memory that a resume takes does not grow with its batch."""

_FINISH: Final = """
INSERT INTO isonomy_call
  (batch, position, tool, version, arguments, injected, seq, record, attempts, ended, duration)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM isonomy_batch
  WHERE number = ?1 AND fence = ?12
ON CONFLICT (batch, position) DO UPDATE
  SET seq = excluded.seq, record = excluded.record, attempts = excluded.attempts,
    ended = excluded.ended, duration = excluded.duration
  WHERE isonomy_call.record IS NULL
"""
_RESERVE: Final = """
INSERT INTO isonomy_call (batch, position, tool, version, arguments, injected, seq)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 FROM isonomy_batch WHERE number = ?1 AND fence = ?8
ON CONFLICT (batch, position) DO UPDATE SET seq = seq
"""
_RELEASE: Final = """
UPDATE isonomy_batch SET owner = NULL, lease_ends = NULL,
  state = CASE WHEN ?3 THEN 'ended' ELSE state END, ended = CASE WHEN ?3 THEN ?4 ELSE ended END
WHERE number = ?1 AND fence = ?2
"""
_RENEW: Final = """
UPDATE isonomy_batch SET lease_ends = ?3 WHERE number = ?1 AND fence = ?2 AND owner IS NOT NULL
"""
_STORED: Final = """
SELECT seq, position, tool, version, arguments, injected, record, attempts, ended, duration
FROM isonomy_call WHERE batch = ? AND position > ? ORDER BY position LIMIT ?
"""


class SqliteJournal:
    """Keeps durable batches in a file. Safe to use from several threads, and by several processes.

    Args:
        path: The file, which is made where it is not there. Not on a network.
        synchronous: `full`: what is committed survives the loss of power; `normal`: the death of
            every process only, and a commit costs a small part of that (J4.3).
        lease: Seconds after which a batch of a host that is not heard of is taken over (J3.2).

    Raises:
        JournalError: The file cannot be used.
        Misuse: An argument is none.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        synchronous: Synchronous = "full",
        lease: float = LEASE_SECONDS,
    ) -> None:
        if synchronous not in ("full", "normal"):
            raise Misuse(f"SqliteJournal: synchronous is 'full' or 'normal', got {synchronous!r}")
        if not lease > 0:
            raise Misuse(f"SqliteJournal: lease is a number of seconds, got {lease!r}")
        self.path = os.fspath(path)
        self._synchronous = synchronous
        self._lease_ms = int(lease * 1000)
        self._closed = False
        self._begin()
        renew_after_fork(self)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._commits: SharedCommits[_Write] = SharedCommits(self._carry_out)
        self._renewal: Renewal[SqliteLease] = Renewal(self._renew, self._lease_ms / 3000)
        self._opened: sqlite3.Connection | None = None
        with self._lock:
            self._connection()

    def renew(self) -> None:
        """Be ready in a process that was forked; leases stay with the process that took them."""
        # The parent's connection must not even be closed here: that would drop the parent's locks.
        _of_parents.append(self._opened)
        self._lock = threading.Lock()
        self._commits = SharedCommits(self._carry_out)
        self._renewal = Renewal(self._renew, self._lease_ms / 3000)
        self._opened = None

    def claim(
        self, batch_id: str, calls: int, waits: Callable[[], bool] = lambda: True
    ) -> SqliteLease:
        """See `Journal.claim`."""
        owner = this_process()
        while True:
            lease = self._try_to_claim(batch_id, calls, owner)
            if lease is not None:
                self._renewal.add(lease)
                return lease
            if not waits():
                raise NotClaimed(f"batch {_quoted(batch_id)} has another owner")
            time.sleep(_ASK_AGAIN)

    def close(self) -> None:
        """See `Journal.close`. Leases that are still held end by themselves."""
        self._closed = True
        self._renewal.close()
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    # In the file ---------------------------------------------------------------------------------

    def _connection(self) -> sqlite3.Connection:
        """Give the connection; whoever uses it holds the lock."""
        if self._closed:
            raise JournalError(f"{self.where()} is closed")
        if self._opened is None:
            try:
                self._opened = _open(self.path, self._synchronous)
            except sqlite3.Error as error:
                raise self._unusable(error) from error
            version = _version(self._opened)
            if version != VERSION:
                self._opened.close()
                self._opened = None
                raise JournalError(
                    f"{self.where()} has version {version}, this isonomy reads version {VERSION}"
                )
        return self._opened

    def _try_to_claim(self, batch_id: str, calls: int, owner: str) -> SqliteLease | None:
        with self._lock, self._transaction() as run:
            now = _now()
            row = run(
                "SELECT number, calls, state, owner, fence, lease_ends FROM isonomy_batch"
                " WHERE id = ?",
                (batch_id,),
            ).fetchone()
            ends = now + self._lease_ms
            if row is None:
                number = run(
                    "INSERT INTO isonomy_batch (id, calls, state, owner, fence, lease_ends, begun)"
                    " VALUES (?, ?, 'open', ?, 1, ?, ?)",
                    (batch_id, calls, owner, ends, now),
                ).lastrowid
                return SqliteLease(self, int(number or 0), 1, 0)
            number, of, state, held_by, fence, held_until = row
            if state == "pruned":
                raise BatchPruned(f"batch {_quoted(batch_id)} was pruned; its calls may have run")
            if of != calls:
                raise JournalMismatch(
                    f"batch {_quoted(batch_id)}: the journal has {of} calls, this is {calls}"
                )
            if held_by is not None and held_until > now and not is_dead(held_by):
                return None
            run(
                "UPDATE isonomy_batch SET owner = ?, fence = fence + 1, lease_ends = ?"
                " WHERE number = ?",
                (owner, ends, number),
            )
            (seq,) = run(
                "SELECT coalesce(max(seq), -1) + 1 FROM isonomy_call WHERE batch = ?", (number,)
            ).fetchone()
            return SqliteLease(self, number, fence + 1, seq)

    def write(self, lease: SqliteLease, statements: list[tuple[str, tuple[Any, ...]]]) -> None:
        """Write for a lease, and return once that is durable."""
        self._commits.write(_Write(lease, statements))

    def _carry_out(self, writes: list[_Write]) -> list[Exception | None]:
        if len(writes) == 1 and len(writes[0].statements) == 1:
            return [self._carry_out_one(writes[0])]
        ended: list[Exception | None] = []
        with self._lock, self._transaction() as run:
            for write_ in writes:
                run("SAVEPOINT one")
                lost = any(
                    run(statement, values).rowcount == 0 for statement, values in write_.statements
                )
                if lost:
                    run("ROLLBACK TO one")
                run("RELEASE one")
                ended.append(_lost() if lost else None)
        for write_, failed in zip(writes, ended, strict=True):
            if failed is not None:
                write_.lease.lose()
        return ended

    def _carry_out_one(self, write_: _Write) -> Exception | None:
        """Write by one statement, which is a transaction of its own."""
        statement, values = write_.statements[0]
        with self._lock:
            try:
                if self._connection().execute(statement, values).rowcount:
                    return None
            except sqlite3.Error as error:
                raise self._unusable(error) from error
        write_.lease.lose()
        return _lost()

    def _renew(self, leases: list[SqliteLease]) -> None:
        ends = _now() + self._lease_ms
        with self._lock, self._transaction() as run:
            lost = [
                lease
                for lease in leases
                if run(_RENEW, (lease.number, lease.fence, ends)).rowcount == 0
            ]
        for lease in lost:
            self._renewal.discard(lease)
            lease.lose()

    def read(self, number: int, after: int) -> list[tuple[Any, ...]]:
        """Give slots of a batch behind a position, at most a page."""
        with self._lock:
            try:
                return self._connection().execute(_STORED, (number, after, _PAGE)).fetchall()
            except sqlite3.Error as error:
                raise self._unusable(error) from error

    def let_go(self, lease: SqliteLease) -> None:
        """Renew a lease no more."""
        self._renewal.discard(lease)

    def _transaction(self) -> _Transaction:
        return _Transaction(self._connection(), self._unusable)

    def where(self) -> str:
        """See `Journal.where`."""
        return f"the journal {self.path}"

    def _unusable(self, error: sqlite3.Error) -> JournalError:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        return JournalError(f"{self.where()} cannot be used: {name} ({error})")


class SqliteLease:
    """The lease of one batch in a file; see `Lease`."""

    def __init__(self, journal: SqliteJournal, number: int, fence: int, seq: int) -> None:
        self._journal = journal
        self.number = number
        self.fence = fence
        self._seq = seq
        self._state = threading.Lock()
        self._released = False
        self._told: Callable[[], object] | None = None
        #: Whether another host is known to own the batch.
        self.lost = False

    def on_lost(self, told: Callable[[], object]) -> None:
        """See `Lease.on_lost`."""
        with self._state:
            self._told = told
            lost = self.lost
        if lost:
            told()

    def lose(self) -> None:
        """Note that another host owns the batch, unless the lease was given back before."""
        with self._state:
            told, self._told = self._told, None
            if self._released:
                return
            self.lost = True
        if told is not None:
            told()

    def stored(self) -> Iterator[StoredCall]:
        """See `Lease.stored`; by position, which is the order of a batch in order."""
        after = -1
        while page := self._journal.read(self.number, after):
            for seq, position, tool, version, arguments, injected, record, *rest in page:
                key = SlotKey(position, tool, version, arguments.hex(), injected and injected.hex())
                yield StoredCall(key, seq, record, *rest)
            after = page[-1][1]

    def reserve(self, slot: SlotKey) -> None:
        """See `Lease.reserve`."""
        values = (*self._identity(slot), self._next(), self.fence)
        self._journal.write(self, [(_RESERVE, values)])

    def finish(self, finished: Sequence[Finished], *, last: bool = False) -> None:
        """See `Lease.finish`."""
        now = _now()
        statements: list[tuple[str, tuple[Any, ...]]] = [
            (
                _FINISH,
                (
                    *self._identity(slot), self._next(), record, attempts, now, duration_us,
                    self.fence,
                ),
            )
            for slot, record, attempts, duration_us in finished
        ]  # fmt: skip
        if last:
            statements.append((_RELEASE, (self.number, self.fence, True, now)))
        self._journal.write(self, statements)
        if last:
            self._let_go()

    def release(self, *, ended: bool) -> None:
        """See `Lease.release`."""
        if not self._let_go():
            return
        if not self.lost:
            values = (self.number, self.fence, ended, _now())
            self._journal.write(self, [(_RELEASE, values)])

    def _let_go(self) -> bool:
        """Note that the lease is given back; false where it was before."""
        with self._state:
            first, self._released = not self._released, True
        self._journal.let_go(self)
        return first

    def _next(self) -> int:
        with self._state:
            seq = self._seq
            self._seq += 1
            return seq

    def _identity(self, slot: SlotKey) -> tuple[Any, ...]:
        return (
            self.number, slot.position, slot.tool, slot.version, bytes.fromhex(slot.arguments),
            None if slot.injected is None else bytes.fromhex(slot.injected),
        )  # fmt: skip


class _Write:
    """What one lease wants written, all of it or nothing."""

    __slots__ = ("lease", "statements")

    def __init__(self, lease: SqliteLease, statements: list[tuple[str, tuple[Any, ...]]]) -> None:
        self.lease = lease
        self.statements = statements


class _Transaction:
    """One transaction that writes: committed at its end, undone where anything is raised."""

    __slots__ = ("_connection", "_unusable")

    def __init__(
        self,
        connection: sqlite3.Connection,
        unusable: Callable[[sqlite3.Error], JournalError],
    ) -> None:
        self._connection = connection
        self._unusable = unusable

    def __enter__(self) -> Callable[..., sqlite3.Cursor]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return self._connection.execute

    def __exit__(self, kind: object, raised: BaseException | None, frames: object) -> None:
        try:
            if raised is None:
                self._connection.execute("COMMIT")
                return
        except sqlite3.Error as error:
            self._undo()
            raise self._unusable(error) from error
        self._undo()
        if isinstance(raised, sqlite3.Error):
            raise self._unusable(raised) from raised

    def _undo(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _open(path: str, synchronous: Synchronous) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous.upper()}")
        connection.execute("BEGIN IMMEDIATE")
        known = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE name = 'isonomy_journal'"
        ).fetchone()[0]
        if not known:
            for statement in _tables():
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    rows = connection.execute("SELECT version FROM isonomy_journal").fetchall()
    return int(rows[0][0]) if len(rows) == 1 else -1


def _tables() -> list[str]:
    text = next(place for place in _PLACES if place.exists()).read_text("utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]


def _lost() -> LeaseLost:
    return LeaseLost("the batch has another owner")


def _now() -> int:
    return time.time_ns() // 1_000_000


def _quoted(text: str) -> str:
    return write(text).decode()


_of_parents: Final[list[object]] = []
"""Connections of the processes that this one was forked from, kept from being closed."""
