#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the Java half of the build, or say in one sentence that it cannot run here.

Shared by the Makefile and the wheel's build hook; needs the standard library only.

    java.py ACTION [--skipping TEXT | --required]

Where a JDK (17 or newer) or Maven is missing, the action is left out: the exit code is 0 and TEXT,
where given, says what is skipped. With --required the exit code is 3 instead. JAVA_HOME, MVN (the
Maven command) and MVN_FLAGS (further options for it) are read from the environment.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JAR = ROOT / "src" / "isonomy" / "bridge" / "_jars" / "isonomy.jar"
OLDEST_JDK = 17
MISSING = 3

# Maven's own progress is dropped; warnings of the compiler and Surefire's summary are kept.
JAVAC_LINES = "-Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.compiler=warn"
SUREFIRE_LINES = "-Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.surefire=info"
ACTIONS: dict[str, list[str]] = {
    "check": [],
    "jar": ["-pl", "isonomy-python", "-am", "package", "-Dmaven.test.skip=true"],
    "examples": ["-Pexamples", "-pl", ":isonomy-example-main-job", "-am", "process-classes"],
    "lint": ["-Pexamples", "test-compile"],
    "test": [SUREFIRE_LINES, "test"],
    "test-all": [SUREFIRE_LINES, "-DexcludedGroups=", "verify"],
    "bench": ["-Pbench", "package", "-Dmaven.test.skip=true"],
    "clean": ["-Pbench,examples", "clean"],
}


def javac() -> str | None:
    """Return the Java compiler: the one of JAVA_HOME where that is set, else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(str(Path(home, "bin", "javac"))) if home else shutil.which("javac")


def missing() -> str | None:
    """Return what is missing for a Java build, or None where all is there."""
    compiler = javac()
    if compiler is None:
        return f"no JDK {OLDEST_JDK} or newer was found (JAVA_HOME or PATH)"
    said = subprocess.run([compiler, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r"javac (?:1\.)?(\d+)", said.stdout + said.stderr)
    if found is None or int(found[1]) < OLDEST_JDK:
        version = found[1] if found else "unknown"
        return f"JDK {OLDEST_JDK} or newer is needed and version {version} was found"
    if shutil.which(maven()[0]) is None:
        return "Maven was not found on PATH"
    return None


def maven() -> list[str]:
    """Return the Maven command with the options that every run shares."""
    command = shlex.split(os.environ.get("MVN") or "mvn")
    flags = shlex.split(os.environ.get("MVN_FLAGS", ""))
    quiet = ["-q", "-B", "-ntp", "-Dstyle.color=never", JAVAC_LINES]
    python = ROOT / os.environ.get("VENV", ".venv") / "bin" / "python"
    if python.exists():  # else the tests of Python tools are skipped, and say so
        quiet.append(f"-Disonomy.python={python}")
    return [*command, *quiet, *flags, "-f", str(ROOT / "java" / "pom.xml")]


def environment() -> dict[str, str]:
    """Return the environment of Maven, which ends with escape codes unless told not to."""
    options = f"{os.environ.get('MAVEN_OPTS', '')} -Djansi.noreset=true"
    return os.environ | {"MAVEN_OPTS": options.strip()}


def place_jar() -> None:
    """Copy the bundle that Maven built to where the Python package looks for it."""
    (built,) = (ROOT / "java" / "isonomy-python" / "target").glob("*-bundle.jar")
    JAR.parent.mkdir(parents=True, exist_ok=True)
    partial = JAR.with_suffix(".part")
    shutil.copyfile(built, partial)
    partial.replace(JAR)  # a reader sees the old jar or the new one, never half of one


def main() -> int:
    """Run one action and return the exit code."""
    parser = argparse.ArgumentParser(description="Run the Java half of the build.")
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("--skipping", default="", help="what to say is skipped without Java")
    parser.add_argument("--required", action="store_true", help="fail where Java is missing")
    options = parser.parse_args()

    reason = missing()
    if reason is not None:
        if options.required:
            print(f"Java is needed here: {reason}.", file=sys.stderr)
            return MISSING
        if options.skipping:
            print(f"{options.skipping} skipped: {reason}.", flush=True)
        return 0
    if options.action == "check":
        return 0
    if options.action == "jar":
        for old in (ROOT / "java" / "isonomy-python" / "target").glob("*-bundle.jar"):
            old.unlink()
    command = [*maven(), *ACTIONS[options.action]]
    code = subprocess.run(command, env=environment(), check=False).returncode
    if code == 0 and options.action == "jar":
        place_jar()
    return code


if __name__ == "__main__":
    sys.exit(main())
