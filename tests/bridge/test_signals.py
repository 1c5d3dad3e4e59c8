# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and other signals in a process with a JVM (clause 8.9)."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tests.bridge.programs import Program, some_slow

# Each waits for good, so that only the signal ends it; "waiting" is written when it does.
WAITS = {
    "a Python sleep": """
        say("waiting")
        time.sleep(600)
    """,
    "a Python lock": """
        lock = threading.Lock()
        lock.acquire()
        say("waiting")
        lock.acquire()
    """,
    "a Python loop": """
        say("waiting")
        while True:
            pass
    """,
    "a blocked call": """
        threading.Thread(target=told).start()
        executor.call("deaf", {"gate": "closed", "file": "told"})
    """,
    "a call that computes": """
        threading.Thread(target=told).start()
        executor.call("spin", {"file": "told"})
    """,
    "a call of another tool after quick ones": """
        for _ in range(20):
            executor.call("running")
        threading.Thread(target=told).start()
        executor.call("spin", {"file": "told"})
    """,
    "a call with a deadline": """
        threading.Thread(target=told).start()
        executor.call("spin", {"file": "told"}, deadline=600)
    """,
    "a batch in order": """
        threading.Thread(target=told).start()
        executor.run([ToolCall("running"), ToolCall("spin", {"file": "told"})])
    """,
    "a batch in parallel": """
        threading.Thread(target=told).start()
        executor.run([ToolCall("spin", {"file": "told"})] * 3, parallel=2)
    """,
    "an awaited call": """
        import asyncio
        threading.Thread(target=told).start()
        asyncio.run(executor.acall("spin", {"file": "told"}))
    """,
}


@pytest.mark.parametrize(
    "wait", some_slow(WAITS, "a Python sleep", "a blocked call", "a batch in parallel")
)
def test_ctrl_c_is_seen_at_once(classes: Path, tmp_path: Path, wait: str) -> None:
    body = WAITS[wait].replace("\n", "\n        ")
    code = f"""
    from isonomy.contract.call import ToolCall
    from isonomy.observe.memory import MemorySink
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tools = load("Waiting")
    sink = MemorySink()
    executor = ToolExecutor(tools.values(), sinks=[sink])

    def told():
        while not Path("told").exists():
            time.sleep(0.001)
        say("waiting")

    try:
        {body}
    except KeyboardInterrupt:
        ended = [event for event in sink.events if hasattr(event, "reason")]
        starts = sum(event.type == "started" for event in ended)
        ends = sum(event.type in ("finished", "cancelled") for event in ended)
        say("interrupted", starts == ends)
        sys.exit(9)
    """
    program = Program(code, classes, tmp_path)
    assert program.line() == "waiting"
    program.signal(signal.SIGINT)
    assert program.end() == (9, ["interrupted True"], "")
    assert program.seconds < 15  # those that compute would go on for good


def test_ctrl_c_reaches_java(classes: Path, tmp_path: Path) -> None:
    """The body is interrupted; the program goes on and calls again."""
    code = """
        signal.signal(signal.SIGINT, signal.default_int_handler)
        tools = load("Waiting")
        executor = ToolExecutor(tools.values(), inject=HOST)
        def told():
            while ask(tools["running"]) != 1:
                time.sleep(0.001)
            say("waiting")
        threading.Thread(target=told).start()
        try:
            executor.call("await", {"gate": "closed"})
        except KeyboardInterrupt:
            while ask(tools["running"]):
                time.sleep(0.001)
            say("interrupted", executor.call("interrupted").unwrap())
    """
    program = Program(code, classes, tmp_path)
    assert program.line() == "waiting"
    program.signal(signal.SIGINT)
    assert program.end() == (0, ["interrupted 1"], "")


@pytest.mark.parametrize("starter", some_slow(["main", "thread"], "thread"))
def test_handlers_of_the_program_stay(classes: Path, tmp_path: Path, starter: str) -> None:
    """Whoever starts the JVM, and whenever handlers were set.

    They write past `print`, in which the signal may find the program.
    """
    code = f"""
        signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"term\\n"))
        signal.signal(signal.SIGHUP, lambda *_: os.write(1, b"hup\\n"))
        if "{starter}" == "thread":
            thread = threading.Thread(target=load, args=("Waiting",))
            thread.start()
            thread.join()
        tools = load("Waiting")
        signal.signal(signal.SIGUSR1, lambda *_: sys.exit(4))
        say("ready", ask(tools["running"]))
        while True:
            time.sleep(600)
    """
    program = Program(code, classes, tmp_path)
    assert program.line() == "ready 0"
    program.signal(signal.SIGTERM)
    assert program.line() == "term"
    program.signal(signal.SIGHUP)
    assert program.line() == "hup"
    program.signal(signal.SIGUSR1)
    assert program.end() == (4, [], "")


@pytest.mark.slow
def test_sigterm_without_a_handler_ends_the_process(classes: Path, tmp_path: Path) -> None:
    code = """
        load("Waiting")
        say("ready")
        time.sleep(600)
    """
    program = Program(code, classes, tmp_path)
    assert program.line() == "ready"
    program.signal(signal.SIGTERM)
    assert program.end() == (-signal.SIGTERM, [], "")
