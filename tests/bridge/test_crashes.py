# SPDX-License-Identifier: Apache-2.0
"""`faulthandler` and a JVM in one process: caught NullPointerExceptions stay caught."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tests.bridge.programs import run, some_slow

SCENES = {
    "left alone": ("", "", True),
    "enabled before": ("faulthandler.enable()", "", True),
    "enabled after": ("", "faulthandler.enable()", True),
    "enabled twice": ("faulthandler.enable()", "faulthandler.enable(all_threads=False)", True),
    "disabled after": ("faulthandler.enable()", "faulthandler.disable()", False),
    "disabled and enabled": ("", "faulthandler.disable(); faulthandler.enable()", True),
    "imported before": ("from faulthandler import enable", "enable()", True),
}


@pytest.mark.parametrize("scene", some_slow(SCENES, "enabled after", "disabled and enabled"))
def test_null_pointers_are_exceptions(classes: Path, tmp_path: Path, scene: str) -> None:
    before, after, enabled = SCENES[scene]
    code = f"""
        import faulthandler
        {before or "pass"}
        lethal = load("Lethal")
        {after or "pass"}
        say(ask(lethal["nullPointers"], count=200_000), faulthandler.is_enabled())
    """
    assert run(code, classes, tmp_path) == (0, [f"200000 {enabled}"], "")


@pytest.mark.slow
def test_by_the_option_of_the_interpreter(classes: Path, tmp_path: Path) -> None:
    code = """
        say(ask(load("Lethal")["nullPointers"], count=200_000))
    """
    assert run(code, classes, tmp_path, "-X", "faulthandler") == (0, ["200000"], "")


@pytest.mark.slow
def test_a_true_crash_tells_where_python_was(classes: Path, tmp_path: Path) -> None:
    code = """
        import ctypes
        load("Lethal")
        def crash_here():
            ctypes.string_at(0)
        crash_here()
    """
    code_, _, err = run(code, classes, tmp_path)
    assert code_ in (-signal.SIGSEGV, -signal.SIGABRT)
    assert "Fatal Python error" in err
    assert "in crash_here" in err
