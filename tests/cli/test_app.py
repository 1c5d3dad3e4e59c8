# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import pytest

import isonomy
from isonomy.bridge.machine import JAR
from isonomy.cli.app import main


def test_version_is_printed() -> None:
    command = [sys.executable, "-m", "isonomy.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"isonomy {isonomy.__version__}\n"


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "isonomy.cli.commands", raising=False)
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit, match=r"isonomy\[cli\]"):
        main()


def test_the_jar_of_the_java_core_is_named() -> None:
    if not JAR.is_file():
        pytest.skip("the Java core was not built: no JDK or no Maven")
    command = [sys.executable, "-m", "isonomy.cli", "jar"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{JAR}\n"
