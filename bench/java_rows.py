# SPDX-License-Identifier: Apache-2.0
"""Rows that JMH measures in a JVM of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from registry import QUICK, ROOT, Effort, Measured, Missing, row

BENCHMARKS = ROOT / "java" / "bench" / "target" / "isonomy-bench.jar"


@row("java-native-call", "µs", bar=3)
def native_call(effort: Effort) -> Measured:
    return Measured(_jmh("NativeCallBench.call", effort))


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
    """Return the command `java` beside the compiler that the build uses.

    Raises:
        Missing: There is none, or the benchmarks are not built.
    """
    sys.path.insert(0, str(ROOT / "scripts"))
    from java import javac, missing

    compiler = javac()
    if compiler is None or (reason := missing()) is not None:
        raise Missing(reason if compiler else "no JDK was found")
    if not BENCHMARKS.exists():
        raise Missing("the Java benchmarks are not built; `make bench` builds them")
    return str(Path(compiler).with_name("java"))
