# SPDX-License-Identifier: Apache-2.0
"""The journal in a file: what it keeps, who owns a batch, and what a broken file says."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from isonomy.contract.journal import (
    BatchPruned,
    Finished,
    JournalError,
    JournalMismatch,
    LeaseLost,
    NotClaimed,
)
from isonomy.contract.misuse import Misuse
from isonomy.contract.slots import SlotKey
from isonomy.journal.sqlite import SqliteJournal

ARGUMENTS = "ab" * 32


def slot(position: int, tool: str = "price") -> SlotKey:
    return SlotKey(position, tool, "v:1", ARGUMENTS)


def finished(position: int, record: str = '{"v":1}') -> Finished:
    return Finished(slot(position), record, 1, 250)


def never() -> bool:
    return False


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(path)
    yield opened
    opened.close()


def test_what_was_finished_is_there_for_the_next_owner(journal: SqliteJournal, path: Path) -> None:
    lease = journal.claim("b", 3)
    lease.finish([finished(0, "zero")])
    lease.reserve(SlotKey(2, "charge", "s:" + "0" * 64, ARGUMENTS, "cd" * 32))
    lease.release(ended=False)

    again = SqliteJournal(path)
    stored = list(again.claim("b", 3).stored())
    assert [(call.slot, call.seq, call.record, call.attempts) for call in stored] == [
        (slot(0), 0, "zero", 1),
        (SlotKey(2, "charge", "s:" + "0" * 64, ARGUMENTS, "cd" * 32), 1, None, None),
    ]
    again.close()


def test_a_reservation_is_finished_and_stays_finished(journal: SqliteJournal) -> None:
    lease = journal.claim("b", 1)
    lease.reserve(slot(0))
    lease.reserve(slot(0))
    lease.finish([finished(0, "first")])
    with pytest.raises(LeaseLost):
        lease.finish([finished(0, "second")])
    assert [call.record for call in lease.stored()] == ["first"]


def test_a_batch_has_one_owner(journal: SqliteJournal, path: Path) -> None:
    other = SqliteJournal(path)
    lease = journal.claim("b", 1)
    with pytest.raises(NotClaimed, match='batch "b" has another owner'):
        other.claim("b", 1, never)
    other.claim("c", 1, never)
    lease.release(ended=True)
    lease.release(ended=True)
    assert other.claim("b", 1, never).fence == 2
    other.close()


def test_who_waits_gets_it_when_it_is_given_back(journal: SqliteJournal, path: Path) -> None:
    other = SqliteJournal(path)
    lease = journal.claim("b", 1)
    asked = threading.Event()

    def waits() -> bool:
        asked.set()
        return True

    got: list[int] = []
    thread = threading.Thread(target=lambda: got.append(other.claim("b", 1, waits).fence))
    thread.start()
    assert asked.wait(20)
    lease.finish([finished(0)], last=True)
    thread.join(20)
    assert got == [2]
    other.close()


def test_a_lease_that_is_not_renewed_is_taken_over(path: Path) -> None:
    silent = SqliteJournal(path, lease=0.3)
    lease = silent.claim("b", 2)
    silent._renewal.close()
    other = SqliteJournal(path, lease=0.3)
    taken = other.claim("b", 2)
    assert taken.fence == 2
    with pytest.raises(LeaseLost, match="the batch has another owner"):
        lease.finish([finished(0)])
    assert lease.lost
    with pytest.raises(LeaseLost):
        lease.reserve(slot(1))
    lease.release(ended=True)  # nothing that it could give back
    taken.finish([finished(0)])
    assert [call.record for call in taken.stored()] == ['{"v":1}']
    silent.close()
    other.close()


def test_a_lease_is_renewed_while_it_is_held(path: Path) -> None:
    journal, other = SqliteJournal(path, lease=0.5), SqliteJournal(path, lease=0.5)
    lease = journal.claim("b", 1)
    asked = 0

    def waits() -> bool:
        nonlocal asked
        asked += 1
        return asked < 30  # 1.5 s and more: three leases

    with pytest.raises(NotClaimed):
        other.claim("b", 1, waits)
    lease.finish([finished(0)], last=True)
    journal.close()
    other.close()


@pytest.mark.parametrize("last", [False, True])
def test_a_dead_owner_is_taken_over_at_once(path: Path, last: bool) -> None:
    code = f"""
        import os, signal
        from isonomy.contract.journal import Finished
        from isonomy.contract.slots import SlotKey
        from isonomy.journal.sqlite import SqliteJournal
        lease = SqliteJournal({str(path)!r}, lease=3600).claim("b", 2)
        lease.finish([Finished(SlotKey(0, "price", "v:1", "{ARGUMENTS}"), "0", 1, 5)], last={last})
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    journal = SqliteJournal(path)
    lease = journal.claim("b", 2, never)
    assert [call.record for call in lease.stored()] == ["0"]
    journal.close()


def test_another_number_of_calls_is_a_mismatch(journal: SqliteJournal) -> None:
    journal.claim("b", 2).release(ended=True)
    with pytest.raises(JournalMismatch, match='batch "b": the journal has 2 calls, this is 3'):
        journal.claim("b", 3)


def test_a_pruned_batch_is_refused(journal: SqliteJournal, path: Path) -> None:
    journal.claim("b", 2).release(ended=True)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE isonomy_batch SET state = 'pruned'")
    with pytest.raises(BatchPruned, match='batch "b" was pruned; its calls may have run'):
        journal.claim("b", 2)


def test_many_slots_are_read_page_by_page(journal: SqliteJournal) -> None:
    lease = journal.claim("b", 2_500)
    rows = [(1, i, "price", "v:1", bytes.fromhex(ARGUMENTS), i, str(i)) for i in range(2_500)]
    assert journal._opened is not None
    journal._opened.executemany(
        "INSERT INTO isonomy_call (batch, position, tool, version, arguments, seq, record)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    assert [call.record for call in lease.stored()] == [str(i) for i in range(2_500)]


def test_threads_share_commits(journal: SqliteJournal) -> None:
    lease = journal.claim("b", 200)
    together: list[int] = []
    carry_out = journal._carry_out

    def counted(writes: list[object]) -> list[Exception | None]:
        together.append(len(writes))
        return carry_out(writes)  # type: ignore[arg-type]

    journal._commits._commit = counted  # type: ignore[assignment]
    barrier = threading.Barrier(20)

    def work(first: int) -> None:
        barrier.wait(20)
        for position in range(first, first + 10):
            lease.finish([finished(position)])

    threads = [threading.Thread(target=work, args=(10 * i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sum(together) == 200
    assert len(together) < 200
    assert [call.slot.position for call in lease.stored()] == list(range(200))
    assert sorted(call.seq for call in lease.stored()) == list(range(200))


def test_a_file_that_is_none(path: Path) -> None:
    path.write_text("no database, but some text that is long enough to be looked at " * 20)
    with pytest.raises(JournalError, match=r"the journal .*runs.db cannot be used: SQLITE_NOTADB"):
        SqliteJournal(path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be used: SQLITE_CANTOPEN"):
        SqliteJournal(tmp_path / "none" / "runs.db")


def test_another_version(journal: SqliteJournal, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE isonomy_journal SET version = 2")
    with pytest.raises(JournalError, match="has version 2, this isonomy reads version 1"):
        SqliteJournal(path)


def test_a_disk_that_is_full(journal: SqliteJournal) -> None:
    lease = journal.claim("b", 3)
    lease.finish([finished(0)])
    assert journal._opened is not None
    (pages,) = journal._opened.execute("PRAGMA page_count").fetchone()
    journal._opened.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError, match="SQLITE_FULL"):
        lease.finish([finished(1, "x" * 100_000)])
    journal._opened.execute("PRAGMA max_page_count = 1000000")
    lease.finish([finished(2)])
    assert [call.slot.position for call in lease.stored()] == [0, 2]


def test_closed(journal: SqliteJournal) -> None:
    lease = journal.claim("b", 1)
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        lease.finish([finished(0)])
    with pytest.raises(JournalError, match="is closed"):
        journal.claim("c", 1)


@pytest.mark.parametrize("options", [{"synchronous": "off"}, {"lease": 0}])
def test_misuse(path: Path, options: dict[str, object]) -> None:
    with pytest.raises(Misuse):
        SqliteJournal(path, **options)  # type: ignore[arg-type]


def test_a_forked_copy_has_its_own_connection(journal: SqliteJournal) -> None:
    lease = journal.claim("b", 2)
    lease.finish([finished(0)])
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()

    def child() -> None:
        own = journal.claim("c", 1)
        own.finish([finished(0)], last=True)
        there.send(os.getpid())

    process = context.Process(target=child)
    process.start()
    assert here.poll(30)
    assert here.recv() == process.pid
    process.join(30)
    lease.finish([finished(1)], last=True)
    assert [call.slot.position for call in journal.claim("c", 1).stored()] == [0]
