# SPDX-License-Identifier: Apache-2.0
"""Compiles the Java tools that tests call, against the Java core that the package carries."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from isonomy.bridge.machine import JAR

TESTS = Path(__file__).resolve().parent
TOOLS = TESTS / "java_tools"
VERSIONS = TESTS / "java_versions"
#: What does as the vectors say, shared with the tests in Java.
BEHAVIOURS = TESTS.parent / "java/isonomy/src/test/java/dev/isonomy/vectors"
SHARED = ("Behaviours", "Fields", "Fixtures", "Making", "Throwing")


def javac() -> str | None:
    """Give the compiler, or None where there is no JDK."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(str(Path(home, "bin", "javac"))) if home else shutil.which("javac")


def compile_java(sources: Iterable[Path], target: Path, *, core: bool = True) -> Path:
    """Compile Java sources into a folder and give that folder."""
    compiler = javac()
    assert compiler is not None
    assert JAR.is_file(), f"{JAR} is not there: run `make jar`"
    path = ["-cp", str(JAR)] if core else []
    options = ["-parameters", "-Xlint:all", "-Werror", "-implicit:none", "-encoding", "UTF-8"]
    command = [compiler, *options, *path, "-d", str(target), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def compile_tools(target: Path) -> Path:
    """Compile the tools of tests/java_tools and what the vectors need."""
    shared = [BEHAVIOURS / f"{name}.java" for name in SHARED]
    return compile_java([*TOOLS.rglob("*.java"), *shared], target)


def compile_version(name: str, target: Path) -> Path:
    """Compile one of the two versions of `com.acme.Version`."""
    return compile_java((VERSIONS / name).rglob("*.java"), target)
