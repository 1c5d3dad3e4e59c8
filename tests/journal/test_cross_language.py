# SPDX-License-Identifier: Apache-2.0
"""One journal, two hosts: what a host in one language began, one in the other resumes."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from isonomy import ToolCall, ToolExecutor
from isonomy.bridge.jvm import java_tools
from isonomy.bridge.machine import JAR
from isonomy.bridge.workers.python_workers import python_tools
from isonomy.contract.call import ToolRequest
from isonomy.contract.envelope import read_envelope
from isonomy.contract.mapping import to_response
from isonomy.contract.misuse import Misuse
from isonomy.engines.java import HostLost, JavaHost, JavaSource, PythonSource
from isonomy.journal.sqlite import SqliteJournal
from tests.java_classes import javac

DRIVER = Path(__file__).parents[2] / "java/isonomy-python/target/drivers/sqlite-jdbc.jar"
pytestmark = pytest.mark.skipif(
    javac() is None or not JAR.is_file() or not DRIVER.is_file(),
    reason="no JDK, no Java core or no driver of SQLite (make jar), so no Java host keeps batches",
)
HANG = 120
KEY = "a key of the tests"

TOOLS = '''
import asyncio, os, time
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any
from isonomy import Injected, ToolResponse, tool

LOG = Path(__file__).with_name("ran.txt")

def ran(what: str) -> None:
    with LOG.open("a") as log:
        log.write(what + "\\n")

@tool
def price(sku: str, tenant: Annotated[str, Injected(identity=True)]) -> dict:
    """Look a price up."""
    ran(f"price {sku}")
    return {"sku": sku, "price": Decimal("12.50"), "from": date(2026, 1, 2), "raw": b"x", "f": 1.0}

@tool(version="2026-01")
async def stock(sku: str, days: int = 1, factor: float = 1.5) -> float:
    ran(f"stock {sku}")
    await asyncio.sleep(0)
    return days * factor

@tool
def refuse(why: str) -> ToolResponse:
    ran("refuse")
    return ToolResponse.error(why, code="NO", details={"at": date(2026, 1, 2)}, meta={"m": {1, 2}})

@tool
def fail(text: str) -> None:
    ran("fail")
    try:
        raise KeyError("inner")
    except KeyError as inner:
        raise ValueError(text) from inner

@tool
def group() -> None:
    ran("group")
    raise ExceptionGroup("several", [ValueError("a"), KeyError("b")])

@tool
def wait(name: str) -> str:
    """End once a file is there, and after the host when that is killed meanwhile."""
    ran("wait")
    parent = os.getppid()
    while not LOG.with_name(name).exists() and os.getppid() == parent:
        time.sleep(0.01)
    return name

@tool
def total(values: list[int]) -> int:
    ran("total")
    return sum(values)
'''

BEFORE = (
    ToolCall("price", {"sku": "stück-🎈"}, "c1"),
    ToolCall("stock", '{"sku": "b22", "days": 10000000000000000000000}', "c1"),
    ToolCall("refuse", {"why": "no stock"}),
    ToolCall("fail", {"text": "token=abc1234567890def"}),
    ToolCall("group"),
    ToolCall("total", {"values": "[1, 2, 3]"}),
)
AFTER = (
    ToolCall("wait", {"name": "go"}),
    ToolCall("price", {"sku": "a1"}, "c2"),
    ToolCall("nobody"),
    ToolCall("total", {"values": "many"}),
)
CALLS = BEFORE + AFTER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wares.py").write_text(TOOLS)
    return tmp_path


def ran(folder: Path) -> list[str]:
    log = folder / "ran.txt"
    return log.read_text().splitlines() if log.exists() else []


@contextmanager
def java(folder: Path) -> Iterator[JavaHost]:
    host = JavaHost(
        [],
        classpath=[DRIVER],
        python=[PythonSource(["wares"], [str(folder)], sys.executable)],
        settings={
            "journal": str(folder / "runs.db"), "inject": {"tenant": "t-1"}, "identity_key": KEY,
        },
        report=True,
    )  # fmt: skip
    with host:
        yield host


def in_java(folder: Path, calls: tuple[ToolCall, ...], parallel: int) -> Any:
    with java(folder) as host:
        return host.run(ToolRequest(calls, "b"), parallel=parallel, deadline=HANG).response


def in_python(folder: Path, calls: tuple[ToolCall, ...], parallel: int) -> Any:
    tools = python_tools("wares", path=[folder])
    journal = SqliteJournal(folder / "runs.db")
    try:
        with ToolExecutor(tools, inject={"tenant": "t-1"}, identity_key=KEY) as executor:
            event = executor.run(calls, id="b", journal=journal, parallel=parallel, deadline=HANG)
            return json.loads(json.dumps(event.to_wire()))
    finally:
        journal.close()
        tools.close()


Host = Callable[[Path, tuple[ToolCall, ...], int], Any]
WAYS = [
    pytest.param(in_python, in_java, id="python-then-java"),
    pytest.param(in_java, in_python, id="java-then-python"),
]


def executions(event: Any) -> list[str]:
    return [record["execution"] for record in event["records"]]


@pytest.mark.parametrize(("first", "second"), WAYS)
@pytest.mark.parametrize("parallel", [1, 4])
def test_what_one_host_finished_the_other_reuses(
    folder: Path, first: Host, second: Host, parallel: int
) -> None:
    (folder / "go").touch()
    live = first(folder, CALLS, parallel)
    log = ran(folder)
    assert len(log) == 8
    again = second(folder, CALLS, parallel)
    assert ran(folder) == log
    assert executions(live) == ["executed"] * 8 + ["not_executed", "executed"]
    assert executions(again) == ["reused"] * 8 + ["not_executed", "executed"]
    for before, after in zip(live["records"][:8], again["records"][:8], strict=True):
        assert after["response"] == before["response"]
        assert after.get("decoded") == before.get("decoded")
    assert live["records"][5]["decoded"] == ["values"]
    price, stock, refused, failed, group, total, *_ = [each["response"] for each in live["records"]]
    assert price["result"]["price"] == {"$iso:decimal": "12.50"}
    assert price["result"]["sku"] == "stück-🎈"
    assert stock["result"] == 1.5e22
    assert refused["error"]["details"] == {"at": {"$iso:date": "2026-01-02"}}
    assert failed["error"]["type"] == "ValueError"
    assert [cause["type"] for cause in failed["error"]["causes"]] == ["KeyError"]
    assert "abc1234567890def" not in json.dumps(failed)
    assert [each["type"] for each in group["error"]["details"]["members"]] == [
        "ValueError", "KeyError",
    ]  # fmt: skip
    assert total["result"] == 6


@pytest.mark.parametrize(("first", "second"), WAYS)
def test_other_calls_are_a_mismatch_in_the_other_host(
    folder: Path, first: Host, second: Host
) -> None:
    first(folder, BEFORE[:1], 1)
    with pytest.raises(Exception, match='batch "b", call 0: the journal has tool "price", ') as no:
        second(folder, (ToolCall("price", {"sku": "other"}),), 1)
    assert "arguments " in str(no.value)
    assert "version" not in str(no.value)
    assert "injected" not in str(no.value)
    assert ran(folder) == ["price stück-🎈"]


@pytest.mark.parametrize("first", ["python", "java"])
def test_a_java_tool_has_one_identity_in_both_hosts(folder: Path, first: str) -> None:
    method = "java.lang.Math#floorMod(long,long)"
    (tool,) = java_tools(method)
    names = list(tool.input_schema["properties"])
    calls = (ToolCall(tool.name, dict(zip(names, (-7, 5), strict=True))),)
    path = folder / "runs.db"

    def there() -> Any:
        settings = {"journal": str(path)}
        with JavaHost([JavaSource(method)], classpath=[DRIVER], settings=settings) as host:
            return host.run(ToolRequest(calls, "b")).response

    def here() -> Any:
        journal = SqliteJournal(path)
        with ToolExecutor([tool]) as executor:
            event = executor.run(calls, id="b", journal=journal)
        journal.close()
        return event.to_wire()

    hosts = [here, there] if first == "python" else [there, here]
    events = [host() for host in hosts]
    assert [executions(event) for event in events] == [["executed"], ["reused"]]
    assert [event["records"][0]["response"]["result"] for event in events] == [3, 3]


def stored(folder: Path) -> dict[int, str]:
    """Read the records of a batch whose owner was killed, and make its lease last for an hour."""
    with closing(sqlite3.connect(folder / "runs.db")) as connection, connection:
        (owner,) = connection.execute("SELECT owner FROM isonomy_batch").fetchone()
        assert owner is not None
        connection.execute("UPDATE isonomy_batch SET lease_ends = lease_ends + 3600000")
        return dict(connection.execute("SELECT position, record FROM isonomy_call"))


def until_it_waits(folder: Path) -> None:
    ends = time.monotonic() + HANG
    while "wait" not in ran(folder):
        assert time.monotonic() < ends, "the batch does not come to its middle"
        time.sleep(0.01)


def check_resumed(folder: Path, resumed: Any, kept: dict[int, str]) -> None:
    assert executions(resumed) == ["reused"] * 6 + ["executed"] * 2 + ["not_executed", "executed"]
    for position, record in kept.items():
        response = to_response(read_envelope(record.encode()).outcome)
        assert resumed["records"][position]["response"] == json.loads(
            json.dumps(response.to_wire())
        )
    once = ["price stück-🎈", "stock b22", "refuse", "fail", "group", "total"]
    assert ran(folder) == [*once, "wait", "wait", "price a1"]


def test_java_resumes_what_a_python_host_was_killed_in(folder: Path) -> None:
    code = f"""
        import sys
        sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
        from pathlib import Path
        from tests.journal.test_cross_language import CALLS, in_python
        in_python(Path({str(folder)!r}), CALLS, 1)
    """
    host = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    until_it_waits(folder)
    host.kill()
    host.wait(HANG)
    kept = stored(folder)
    assert sorted(kept) == [0, 1, 2, 3, 4, 5]
    (folder / "go").touch()
    check_resumed(folder, in_java(folder, CALLS, 1), kept)


def test_python_resumes_what_a_java_host_was_killed_in(folder: Path) -> None:
    lost: list[HostLost] = []
    with java(folder) as host:

        def run() -> None:
            with pytest.raises(HostLost) as told:
                host.run(ToolRequest(CALLS, "b"))
            lost.append(told.value)

        batch = threading.Thread(target=run)
        batch.start()
        until_it_waits(folder)
        host._process.kill()
        batch.join(HANG)
    assert len(lost) == 1
    kept = stored(folder)
    assert sorted(kept) == [0, 1, 2, 3, 4, 5]
    (folder / "go").touch()
    check_resumed(folder, in_python(folder, CALLS, 1), kept)


def test_a_java_host_without_the_driver_says_so(folder: Path) -> None:
    with pytest.raises(Misuse, match=r"needs org\.xerial:sqlite-jdbc on the class path"):
        JavaHost([], settings={"journal": os.fspath(folder / "runs.db")})
