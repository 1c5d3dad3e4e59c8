# SPDX-License-Identifier: Apache-2.0
"""The one JVM of this process: started once, by whoever comes first, and shared by all tools."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from isonomy.bridge import crashes
from isonomy.bridge.collecting import stay_apart
from isonomy.bridge.lifetime import LIFETIME
from isonomy.bridge.locating import OLDEST, FoundJvm, find, too_old
from isonomy.bridge.unavailable import JavaUnavailable
from isonomy.contract.misuse import Misuse

JAR: Final = Path(__file__).parent / "_jars" / "isonomy.jar"
"""The Java core with the libraries it needs."""

# Python keeps Ctrl-C, SIGTERM and SIGHUP: a JVM without this option takes them over.
_ALWAYS: Final = ("-Xrs",)
# A guest takes little: a collector without threads of its own, and a heap that starts small, where
# nothing is said about either. Memory then stays level over any number of calls.
_COLLECTOR: Final = "-XX:+UseSerialGC"
_HEAP: Final = "-Xms32m"
_SAYS_COLLECTOR: Final = re.compile(r"-XX:\+Use\w*GC\b")
_SAYS_HEAP: Final = re.compile(r"-Xm[snx]|-XX:\w*(?:Heap|RAM|NewSize)")
_NATIVE: Final = "--enable-native-access"
#: From this release on a JVM warns of native code, which JPype is, where nothing allows it.
_WARNS_OF_NATIVE: Final = 24
#: Where a JVM takes further options from.
_VARIABLES: Final = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")


class Machine:
    """A running JVM with the Java core in it."""

    __slots__ = ("_packages", "options", "place")

    def __init__(self, place: str, options: tuple[str, ...], packages: Any) -> None:
        #: In words: which JVM it is and what led to it.
        self.place = place
        self.options = options
        self._packages = packages

    def bridge(self, name: str) -> Any:
        """Return a class of the package `dev.isonomy.bridge`."""
        import jpype

        return jpype.JClass(self._packages.loadClass(f"dev.isonomy.bridge.{name}"))


_lock = threading.Lock()
_machine: Machine | None = None
_failure: str | None = None


def running(
    options: Sequence[str] = (), java_home: str | os.PathLike[str] | None = None
) -> Machine:
    """Return the JVM of this process, started if need be.

    Raises:
        JavaUnavailable: There is no JVM, JPype or Java core, or it does not start.
        Misuse: Options for a JVM that runs already, or a process in which it cannot be started.
    """
    if LIFETIME.over is not None:
        raise Misuse(LIFETIME.over)
    with _lock:
        if _machine is None:
            return _begin(tuple(options), java_home)
        if options and tuple(options) != _machine.options:
            raise Misuse(
                f"the JVM runs already, with the options {list(_machine.options)}; call"
                " jvm.start(options=...) before the first java_tools"
            )
        return _machine


def _begin(options: tuple[str, ...], java_home: str | os.PathLike[str] | None) -> Machine:
    global _machine, _failure  # noqa: PLW0603 - a process has one JVM, and it starts once
    jpype = _jpype()
    if not JAR.is_file():
        raise JavaUnavailable(
            f"the Java core {JAR} is not there; install a JDK and Maven and then"
            " isonomy again, or run `make jar` in a checkout"
        )
    if _failure is not None:
        raise JavaUnavailable(_failure)
    if jpype.isJVMStarted():
        machine = _adopt(jpype, options)
    else:
        found = find(java_home)
        _check_options(options)
        crashes.before_start()
        try:
            _start(jpype, found, options)
        except JavaUnavailable as failed:
            _failure = f"{failed}; a process can start a JVM only once, so this one has no Java"
            raise
        machine = Machine(found.place, options, _system_loader(jpype))
    crashes.after_start()
    LIFETIME.begin(machine.bridge("HostProcess"))
    _machine = machine
    return machine


def _jpype() -> Any:
    try:
        import jpype
        import jpype.nio
    except ImportError as missing:
        raise JavaUnavailable(
            f"Java tools need JPype, which cannot be imported ({missing}); run"
            " `pip install isonomy[java]`"
        ) from missing
    return jpype


def _start(jpype: Any, found: FoundJvm, options: tuple[str, ...]) -> None:
    """Start the JVM from a thread that leaves it again.

    The thread that starts a JVM counts as one that is no daemon. Were it the main thread, the JVM
    would wait for it at exit; were it one that ends without leaving, for ever.
    """
    problems: list[Exception] = []
    all_options = _completed(options, found.version)

    def start() -> None:
        try:
            jpype.startJVM(
                *all_options,
                jvmpath=str(found.library),
                classpath=[str(JAR)],
                convertStrings=False,
                interrupt=True,  # with -Xrs: JPype leaves Ctrl-C to Python
            )
            stay_apart(jpype)
            jpype.java.lang.Thread.detach()
        except (RuntimeError, OSError, ValueError, TypeError) as failed:
            problems.append(failed)

    thread = threading.Thread(target=start, name="isonomy-jvm-start", daemon=True)
    thread.start()
    thread.join()
    if problems:
        raise JavaUnavailable(
            f"{found.place} did not start ({problems[0]}; the JVM wrote the reason to stderr);"
            f" check its options {all_options}"
        ) from problems[0]
    _check_version(jpype, found.place)


def _adopt(jpype: Any, options: tuple[str, ...]) -> Machine:
    """Use the JVM that other code of this process has started with JPype."""
    if options:
        raise Misuse(
            "other code has started the JVM of this process, so it takes no more options; call"
            " jvm.start(options=...) before that code runs"
        )
    place = "the JVM that other code of this process started"
    _check_version(jpype, place)
    urls = jpype.JArray(jpype.java.net.URL)([jpype.java.io.File(str(JAR)).toURI().toURL()])
    return Machine(place, (), jpype.java.net.URLClassLoader(urls, _system_loader(jpype)))


def _system_loader(jpype: Any) -> Any:
    return jpype.java.lang.ClassLoader.getSystemClassLoader()


def _check_version(jpype: Any, place: str) -> None:
    version = str(jpype.java.lang.System.getProperty("java.specification.version"))
    release = int(version.removeprefix("1."))
    if release < OLDEST:
        raise too_old(place, release)


def _completed(options: tuple[str, ...], version: int | None) -> list[str]:
    """Return the options for the JVM: ours, as far as nobody decides otherwise, and the given."""
    said = " ".join([*options, *(os.environ.get(name, "") for name in _VARIABLES)])
    ours = [*_ALWAYS]
    if not _SAYS_COLLECTOR.search(said):
        ours.append(_COLLECTOR)
    if not _SAYS_HEAP.search(said):
        ours.append(_HEAP)
    if version is not None and version >= _WARNS_OF_NATIVE and _NATIVE not in said:
        ours.append(f"{_NATIVE}=ALL-UNNAMED")
    return [*ours, *options]


def _check_options(options: tuple[str, ...]) -> None:
    for option in options:
        if option.startswith(("-Djava.class.path", "-cp", "-classpath", "--class-path")):
            raise Misuse(
                f"the option {option!r} is about the class path; give that to"
                " java_tools(..., classpath=[...])"
            )
