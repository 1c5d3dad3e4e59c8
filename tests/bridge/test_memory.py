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
