# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files

import isonomy

HEAVY = ["jpype", "typer", "rich", "yaml", "opentelemetry"]


def test_version_is_the_installed_one() -> None:
    assert isonomy.__version__ == version("isonomy")


def test_package_is_typed() -> None:
    assert files("isonomy").joinpath("py.typed").is_file()


def test_import_loads_no_extra() -> None:
    code = f"import sys, isonomy; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
