# SPDX-License-Identifier: Apache-2.0
"""Class paths: what they may say, and classes of one name in two of them (clause 3.10)."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.java_classes import compile_java, compile_version

from isonomy.bridge.classpath import resolve
from isonomy.bridge.jvm import java_tools
from isonomy.bridge.machine import JAR
from isonomy.contract.misuse import Misuse
from isonomy.runtime.executor import ToolExecutor


def jar_of(folder: Path, jar: Path) -> Path:
    with zipfile.ZipFile(jar, "w") as archive:
        for file in folder.rglob("*.class"):
            archive.write(file, file.relative_to(folder).as_posix())
    return jar


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    """A folder with two jars, and with what is none."""
    for name in ("b.jar", "a.jar"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("empty.txt", "")
    (tmp_path / "notes.txt").write_text("no jar")
    return tmp_path


def test_jars_folders_and_patterns(jars: Path) -> None:
    folder = jars / "classes"
    folder.mkdir()
    a, b = str(jars / "a.jar"), str(jars / "b.jar")
    assert resolve([f"{jars}/*.jar", folder]) == (a, b, str(folder))
    assert resolve(b) == (b,)
    assert resolve(jars / "a.jar") == (a,)
    assert resolve([b, f"{jars}/*.jar", a]) == (b, a)  # the first counts
    assert resolve([f"{jars}/*"]) == (a, b, str(folder))
    assert resolve([]) == ()


def test_relative_paths(jars: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(jars)
    assert resolve(["*.jar"]) == (str(jars / "a.jar"), str(jars / "b.jar"))


def test_a_path_that_looks_like_a_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "[1]*"
    folder.mkdir()
    assert resolve([folder]) == (str(folder),)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("missing.jar", "'missing.jar' of the class path does not exist (looked for "),
        ("none*.jar", "the pattern 'none*.jar' of the class path matches no jar or folder"),
        ("*.txt", "the pattern '*.txt' of the class path matches no jar or folder"),
        ("notes.txt", "the entry 'notes.txt' of the class path is no jar"),
        (f"a.jar{os.pathsep}b.jar", "holds several paths; give each as its own entry"),
    ],
)
def test_what_is_refused(
    jars: Path, monkeypatch: pytest.MonkeyPatch, entry: str, says: str
) -> None:
    monkeypatch.chdir(jars)
    with pytest.raises(Misuse) as caught:
        resolve([entry])
    assert says in str(caught.value)


def call(*specs: str, classpath: Any) -> Any:
    tools = java_tools(*specs, classpath=classpath)
    return ToolExecutor(tools).call(tools[0].name)


def test_two_versions_of_a_class_keep_apart(classes: Path, tmp_path: Path) -> None:
    one = compile_version("one", tmp_path / "one")
    two = jar_of(compile_version("two", tmp_path / "two"), tmp_path / "two.jar")
    assert call("com.acme.Version", classpath=[one]).unwrap() == "one 1"
    assert call("com.acme.Version", classpath=[two]).unwrap() == "two 1"
    assert call("com.acme.Version", classpath=[one]).unwrap() == "one 2"  # one path, one class
    assert call("com.acme.Version", classpath=[two, one]).unwrap() == "two 1"  # another path


def test_a_path_that_was_built_anew_is_read_anew(classes: Path, tmp_path: Path) -> None:
    one, two = (compile_version(name, tmp_path / name) for name in ("one", "two"))
    jar = jar_of(one, tmp_path / "version.jar")
    assert call("com.acme.Version", classpath=[jar]).unwrap() == "one 1"
    jar.rename(tmp_path / "old.jar")
    jar = jar_of(two, tmp_path / "version.jar")
    os.utime(jar, ns=(1, 1))
    assert call("com.acme.Version", classpath=[jar]).unwrap() == "two 1"


def test_another_copy_of_the_core_does_no_harm(classes: Path) -> None:
    tools = {tool.name: tool for tool in java_tools("com.acme.Prices", classpath=[JAR, classes])}
    executor = ToolExecutor(tools.values())
    error = executor.call("refuse", {"reason": "no"}).error
    assert error is not None
    assert (error.kind, error.message) == ("tool_error", "no")


def test_a_response_of_another_loader_is_internal(classes: Path) -> None:
    tool = '{"do": "foreign", "of": {"status": "success", "result": 1}}'
    tools = java_tools("com.acme.Behaving#behave", classpath=[classes])
    error = ToolExecutor(tools).call("behave", {"tool": tool}).error
    assert error is not None
    assert (error.kind, error.effect) == ("internal", "possible")
    assert "another class loader" in error.message


def test_paths_beyond_ascii(classes: Path, tmp_path: Path) -> None:
    one = compile_version("one", tmp_path / "Größe 数 %20 #")
    assert call("com.acme.Version", classpath=[one]).unwrap() == "one 1"
    jar = jar_of(one, tmp_path / "é +.jar")
    assert call("com.acme.Version", classpath=[jar]).unwrap() == "one 1"


def test_a_class_whose_own_needs_are_missing(classes: Path, tmp_path: Path) -> None:
    """The class of a parameter is not on the class path: the message names it."""
    source = tmp_path / "src"
    source.mkdir()
    (source / "Part.java").write_text("public class Part {}")
    (source / "Whole.java").write_text(
        "public class Whole { @dev.isonomy.tools.Tool public static int take(Part part)"
        " { return 1; } }"
    )
    made = compile_java(source.glob("*.java"), tmp_path / "made")
    (made / "Part.class").unlink()
    with pytest.raises(Misuse) as caught:
        java_tools("Whole", classpath=[made])
    assert "NoClassDefFoundError: Part" in str(caught.value)
    assert str(made) in str(caught.value)


def test_a_class_that_is_none(classes: Path, tmp_path: Path) -> None:
    (tmp_path / "Broken.class").write_bytes(b"no class")
    with pytest.raises(Misuse) as caught:
        java_tools("Broken", classpath=[tmp_path])
    assert "ClassFormatError" in str(caught.value)


def test_a_class_for_a_newer_java(classes: Path, tmp_path: Path) -> None:
    made = compile_version("one", tmp_path / "one")
    file = made / "com" / "acme" / "Version.class"
    content = bytearray(file.read_bytes())
    content[6:8] = (99).to_bytes(2, "big")  # the version of the class file
    file.write_bytes(content)
    with pytest.raises(Misuse) as caught:
        java_tools("com.acme.Version", classpath=[made])
    assert "UnsupportedClassVersionError" in str(caught.value)
