# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ISC004 - lines that a process is expected to print
"""Processes made by one that has a JVM (CASES E2, E7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bridge.programs import run


def test_a_forked_child_is_refused_clearly(classes: Path, tmp_path: Path) -> None:
    code = """
        tools = load("Values")
        executor = ToolExecutor(tools.values(), inject=HOST)
        say(executor.call("echo", {"value": 1}).unwrap())
        child = os.fork()
        if child == 0:
            error = executor.call("echo", {"value": 2}).error
            say(error.kind, error.effect, error.message)
            for ask_for in (lambda: load("Values"), jvm.start):
                try:
                    ask_for()
                except Exception as refused:
                    say(type(refused).__name__, str(refused) == error.message)
            executor.close()
            sys.exit(6)  # the way out that runs exit handlers
        say("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        say(executor.call("echo", {"value": 3}).unwrap())
    """
    assert run(code, classes, tmp_path) == (
        0,
        [
            "1",
            "internal none the JVM does not survive a fork, and this process was forked from one"
            " with a JVM; start workers with multiprocessing's 'spawn' method and call java_tools"
            " in them",
            "Misuse True",
            "Misuse True",
            "child 6",
            "3",
        ],
        "",
    )


def test_a_forked_child_collects_what_it_made(classes: Path, tmp_path: Path) -> None:
    """JPype would ask the JVM for a collection whenever much was made, and wait for it."""
    code = """
        import gc
        load("Values")
        child = os.fork()
        if child == 0:
            kept = []
            for _ in range(20):
                kept.append([bytearray(4000) for _ in range(2000)])
                gc.collect()
            os._exit(7)
        say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run(code, classes, tmp_path) == (0, ["7"], "")


@pytest.mark.slow
def test_a_child_forked_before_the_jvm_has_its_own(classes: Path, tmp_path: Path) -> None:
    code = """
        child = os.fork()
        say(ask(load("Values")["echo"], value=1))
        if child:
            say("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    code_, out, err = run(code, classes, tmp_path)
    assert (code_, sorted(out), err) == (0, ["1", "1", "child 0"], "")


@pytest.mark.slow
def test_a_forked_child_of_a_busy_parent_ends(classes: Path, tmp_path: Path) -> None:
    """Locks that other threads of the parent held are not asked for in the child."""
    code = """
        tools = load("Values")
        stop = False
        def work():
            while not stop:
                ask(tools["echo"], value="x" * 50_000)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        codes = set()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                kind = ask(tools["echo"], value=1).kind
                os._exit(0 if kind == "internal" else 1)
            codes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop = True
        for thread in threads:
            thread.join()
        say(codes)
    """
    assert run(code, classes, tmp_path) == (0, ["{0}"], "")


@pytest.mark.slow
def test_other_processes_are_not_touched(classes: Path, tmp_path: Path) -> None:
    code = """
        import subprocess
        tools = load("Values")
        say(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout)
        say(ask(tools["echo"], value=2))
    """
    assert run(code, classes, tmp_path) == (0, ["b'1\\n'", "2"], "")


def test_a_forked_child_collects_its_garbage(classes: Path, tmp_path: Path) -> None:
    """JPype has Java collect too when the process has grown, for which the child has nobody."""
    code = """
        import gc
        tools = load("Values")
        before = list(gc.callbacks)
        child = os.fork()
        if child == 0:
            grown = []
            for _ in range(10):
                grown.append(bytearray(os.urandom(1 << 20) * 50))
                gc.collect()
            say(len(grown), "times")
            os._exit(0)
        say("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        say(gc.callbacks == before)
    """
    assert run(code, classes, tmp_path) == (0, ["10 times", "child 0", "True"], "")


def test_java_tools_in_a_spawned_pool(classes: Path, tmp_path: Path) -> None:
    """A Java exception in a process pool is a failure that reaches the parent (CASES E7)."""
    code = """
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        executor = None

        def work(number):
            global executor
            if executor is None:
                executor = ToolExecutor(load("Prices").values(), inject=HOST)
            return executor.call("parse", {"number": number})

        if __name__ == "__main__":
            here = ToolExecutor(load("Prices").values(), inject=HOST)
            say(here.call("parse", {"number": "4"}).unwrap())
            with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
                for response in pool.map(work, ["17", "seventeen", "18"]):
                    if response.is_success:
                        say(response.unwrap())
                    else:
                        error = response.error
                        say(error.kind, error.type, error.message, error.language)
    """
    assert run(code, classes, tmp_path) == (
        0,
        [
            "4",
            "17",
            'exception java.lang.NumberFormatException For input string: "seventeen" java',
            "18",
        ],
        "",
    )
