# SPDX-License-Identifier: Apache-2.0
"""What stays of many failing calls: nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bridge.programs import run


@pytest.mark.slow
def test_a_hundred_thousand_failures_leave_nothing(classes: Path, tmp_path: Path) -> None:
    """An exception that crossed would leave 1.5 KB each, 150 MB in all; an envelope does not."""
    code = """
        import gc
        import psutil

        executor = ToolExecutor(load("Prices").values(), inject=HOST)

        def fail(times):
            for _ in range(times):
                error = executor.call("fail", {"message": "no quote"}).error
                assert len(error.causes) == 3
            gc.collect()
            return psutil.Process().memory_info().rss / 2**20

        before = fail(100_000)
        say(fail(100_000) - before)
    """
    code_, out, err = run(code, classes, tmp_path, limit=600)
    assert (code_, err) == (0, "")
    assert float(out[0]) <= 5


@pytest.mark.parametrize("found_before", [False, True])
def test_a_collection_of_java_is_none_of_python(
    classes: Path, tmp_path: Path, found_before: bool
) -> None:
    """JPype would make each a full one, which takes a large host tens of milliseconds."""
    code = """
        import gc, weakref
        import jpype

        load("Prices")
        gc.set_threshold(0)
        collected = []
        gc.callbacks.append(lambda phase, info: collected.append(phase))

        @jpype.JImplements("java.lang.Runnable")
        class Held:
            @jpype.JOverride
            def run(self):
                pass

        from isonomy.bridge.collecting import stay_apart

        queue = jpype.JClass("org.jpype.ref.JPypeReferenceQueue")
        again = queue.class_.getDeclaredMethod("addSentinel")
        again.setAccessible(True)
        for _ in range(FOUND):
            for _ in range(500):  # what keeps the thread busy that hears of it
                jpype.java.util.Optional.of(Held())
            again.invoke(queue.getInstance())
            jpype.java.lang.System.gc()
            stay_apart(jpype)

        def until_java_lets_go():
            # The thread that hears what the JVM collected then has worked off all it found before.
            gone = threading.Event()
            held = Held()
            weakref.finalize(held, gone.set)
            jpype.java.util.Optional.of(held)
            del held
            jpype.java.lang.System.gc()
            return gone.wait(60)

        # collections that were asked for before are over then
        until_java_lets_go()
        collected.clear()
        say([until_java_lets_go() for _ in range(5)], collected)
    """
    times = 40 if found_before else 0  # a collection may find the sentinel first, at the start too
    code_, out, err = run(code.replace("FOUND", str(times)), classes, tmp_path)
    assert (code_, out, err) == (0, ["[True, True, True, True, True] []"], "")
