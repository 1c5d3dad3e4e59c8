# SPDX-License-Identifier: Apache-2.0
"""Rows that are measured in a JVM of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from registry import HERE, QUICK, ROOT, Effort, Measured, Missing, row

BENCHMARKS = ROOT / "java" / "bench" / "target" / "isonomy-bench.jar"


@row("java-native-call", "µs", bar=3)
def native_call(effort: Effort) -> Measured:
    return Measured(_jmh("NativeCallBench.call", effort))


@row(
    "python-from-java-worker",
    "µs",
    bar=1.5,
    reference="bare Unix-socket echo, Jackson and json",
)
def python_call(effort: Effort) -> Measured:
    return _python_tool("python-from-java-worker", effort, calls=1_000)


@row("java-threads-64", "ms", bar=1.4, reference="ideal wall")
def java_threads(effort: Effort) -> Measured:
    return _python_tool("java-threads-64", effort, calls=50)


@row("durable-java-full", "µs", bar=1.5, reference="a JDBC insert and its commit, WAL and FULL")
def durable_java(effort: Effort) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        command = [_java(), "-cp", str(BENCHMARKS), "dev.isonomy.bench.DurableBench"]
        command += [folder, str(effort.rounds), "100"]
        ran = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        return Measured(**json.loads(ran.stdout))


def _python_tool(name: str, effort: Effort, calls: int) -> Measured:
    """Run one row of the Java program that calls Python tools."""
    command = [_java(), "-cp", str(BENCHMARKS), "dev.isonomy.bench.PythonToolBench"]
    command += [name, sys.executable, str(HERE / "worker_tools"), str(effort.rounds), str(calls)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Measured(**json.loads(ran.stdout))


def _jmh(benchmark: str, effort: Effort) -> float:
    """Run one benchmark and return the median of its iterations, in the unit it has."""
    options = ["-wi", "3", "-i", "5", "-w", "1", "-r", "300ms"] if effort is QUICK else []
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "jmh.json")
        command = [_java(), "-jar", str(BENCHMARKS), benchmark, *options]
        command += ["-foe", "true", "-rf", "json", "-rff", str(results)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        ((told,)) = json.loads(results.read_text(encoding="utf-8"))
    (rounds,) = told["primaryMetric"]["rawData"]
    return float(median(rounds))


def _java() -> str:
    """Return the command that starts a JVM.

    Raises:
        Missing: There is none, or the benchmarks are not built.
    """
    check = [sys.executable, str(ROOT / "scripts" / "java.py"), "check", "--required"]
    checked = subprocess.run(check, capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        raise Missing(checked.stderr.strip())
    if not BENCHMARKS.exists():
        raise Missing("the Java benchmarks are not built; `make bench` builds them")
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"
