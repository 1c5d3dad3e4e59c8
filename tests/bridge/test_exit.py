# SPDX-License-Identifier: Apache-2.0
"""A process with a JVM ends in bounded time and with its own exit code, whatever Java does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bridge.programs import run, some_slow


def test_the_exit_code_is_pythons(classes: Path, tmp_path: Path) -> None:
    code = """
        stock = load("Stock")
        say(ask(stock["add"], sku="a", count=1))
        sys.exit(7)
    """
    assert run(code, classes, tmp_path) == (7, ["1", "stock closed"], "")


@pytest.mark.slow
def test_an_exception_of_the_program(classes: Path, tmp_path: Path) -> None:
    code = """
        load("Stock")
        raise SystemError("broken program")
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, out) == (1, ["stock closed"])
    assert err.endswith("SystemError: broken program\n")


BUSY = {
    "calls on and on": """
        def work():
            while True:
                ask(values["echo"], value=1)
        for _ in range(8):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
    """,
    "inside a call that does not end": """
        def work():
            ask(waiting["await"], gate="closed")
        for _ in range(8):
            threading.Thread(target=work, daemon=True).start()
        while ask(waiting["running"]) < 8:
            pass
    """,
    "inside a call that computes": """
        Path("told").unlink(missing_ok=True)
        threading.Thread(target=lambda: ask(waiting["spin"], file="told"), daemon=True).start()
        while not Path("told").exists():
            time.sleep(0.001)
    """,
    "about to come back": """
        for milliseconds in range(0, 1200, 20):
            threading.Thread(
                target=lambda ms=milliseconds: ask(waiting["nap"], milliseconds=ms), daemon=True
            ).start()
    """,
    "coming back all the time while threads of a tool stay": """
        from isonomy.contract.envelope import BridgeCall, encode_call
        ask(lethal["leaveThreads"], count=1)
        endpoint = waiting["nap"]._endpoint
        request = encode_call(BridgeCall("nap", {"milliseconds": 1}))
        def work():
            while True:
                endpoint.call(request, 0)
        for _ in range(30):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
    """,
    "threads of the executor": """
        executor = ToolExecutor(waiting.values())
        for _ in range(4):
            executor.call("deaf", {"gate": "closed", "file": ""}, deadline=0.02)
    """,
    "threads of a Java tool": """
        ask(lethal["leaveThreads"], count=3)
    """,
}


@pytest.mark.parametrize(
    "state", some_slow(BUSY, "calls on and on", "inside a call that does not end")
)
def test_exit_while_java_is_busy(classes: Path, tmp_path: Path, state: str) -> None:
    """Shutdown hooks run all the same, and nothing is printed that is not the program's."""
    code = f"""
        values, waiting, lethal = load("Values"), load("Waiting"), load("Lethal")
        ask(lethal["onShutdown"], text="hook ran", waitMs=0)
        {BUSY[state]}
        say("last line")
        sys.exit(3)
    """
    code = "\n".join(line.removeprefix("        ") for line in code.splitlines())
    assert run(code, classes, tmp_path) == (3, ["last line", "hook ran"], "")


@pytest.mark.slow
def test_a_shutdown_hook_that_does_not_end(classes: Path, tmp_path: Path) -> None:
    code = """
        ask(load("Lethal")["onShutdown"], text="too late", waitMs=600_000)
        sys.exit(3)
    """
    assert run(code, classes, tmp_path) == (3, [], "")


def test_closing_with_a_blocked_call_and_then_exit(classes: Path, tmp_path: Path) -> None:
    """The call is reported cancelled, and the process ends within the grace time (CASES D13)."""
    code = """
        from isonomy.observe.memory import MemorySink
        sink = MemorySink()
        executor = ToolExecutor(load("Waiting").values(), sinks=[sink], grace=1.0)
        def call():
            try:
                executor.call("deaf", {"gate": "closed", "file": "told"})
            except BaseException as closed:
                say(type(closed).__name__)
        threading.Thread(target=call, daemon=True).start()
        while not Path("told").exists():
            time.sleep(0.001)
        executor.close()
        say([event.type for event in sink.events if hasattr(event, "reason")])
        sys.exit(3)
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, err) == (3, "")
    assert out == ["['started', 'cancelled']"]


def test_calls_while_the_process_ends(classes: Path, tmp_path: Path) -> None:
    """What the program does last still gets an answer."""
    code = """
        import atexit
        def last():
            error = ask(tools["echo"], value=1)
            say(error.kind, error.effect, error.message)
            executor.close()
        atexit.register(last)
        tools = load("Values")
        executor = ToolExecutor(tools.values(), inject=HOST)
        executor.call("echo", {"value": 1})
    """
    assert run(code, classes, tmp_path) == (
        0,
        ["internal none the process is ending and calls no more Java tools"],
        "",
    )


@pytest.mark.slow
def test_system_exit_in_a_tool_ends_the_process(classes: Path, tmp_path: Path) -> None:
    """In one process it cannot be otherwise; the documentation says so."""
    code = """
        lethal = load("Lethal")
        say("before")
        ask(lethal["exit"], code=5)
        say("after")
    """
    code_, out, _ = run(code, classes, tmp_path)
    assert (code_, out) == (5, ["before"])


@pytest.mark.slow
def test_a_jvm_that_others_shut_down(classes: Path, tmp_path: Path) -> None:
    code = """
        tools = load("Values")
        say(ask(tools["echo"], value=1))
        import jpype
        jpype.shutdownJVM()
        error = ask(tools["echo"], value=1)
        say(error.kind, error.effect, error.message)
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, err) == (0, "")
    assert out == ["1", "internal none the JVM of this process was shut down"]
