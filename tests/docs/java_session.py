# SPDX-License-Identifier: Apache-2.0
"""Compile the Java blocks of a page together, run what can be run, and tell what each printed.

A block that declares a type is a file of its own. The others are one program, in the order of the
page, as the lines of a page in Python are: each goes on where the one before ended.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from isonomy.bridge.machine import JAR
from tests.docs.pages import Block
from tests.java_classes import compile_java, javac

_TYPE = re.compile(
    r"^(?:public |final |abstract |sealed )*(?:class|record|interface|enum) (\w+)", re.M
)
_PACKAGE = re.compile(r"^package ([\w.]+);", re.M)
_IMPORT = re.compile(r"^import [\w.* ]+;\n", re.M)
_MARK = "--- the block at "


def run(blocks: list[Block], folder: Path) -> None:
    """Compile the blocks into `classes` of a folder, run them there, and note what they printed.

    Raises:
        AssertionError: They do not compile, or one ends by an exception.
    """
    files = []
    mains = []
    lines = []
    for block in blocks:
        declared = _TYPE.search(block.text)
        if declared is None:
            lines.append(block)
            continue
        package = _PACKAGE.search(block.text)
        name = f"{package[1]}.{declared[1]}" if package else declared[1]
        files.append(_write(folder, name, block.text))
        if "public static void main(" in block.text:
            mains.append((name, block))
    if lines:
        files.append(_write(folder, "Page", _program(lines)))
    compile_java(files, folder / "classes")
    for block in blocks:
        block.printed = ""  # what only declares a type prints nothing
    for name, block in mains:
        block.printed = _printed(name, folder)
    if lines:
        _, *parts = _printed("Page", folder).split(_MARK)
        printed = dict(part.split("\n", 1) for part in parts)
        for block in lines:
            block.printed = printed[block.place]


def _program(blocks: list[Block]) -> str:
    imports = sorted({line for block in blocks for line in _IMPORT.findall(block.text)})
    body = "".join(
        f'System.out.println("{_MARK}{block.place}");\n{_IMPORT.sub("", block.text)}'
        for block in blocks
    )
    head = "public class Page {\npublic static void main(String[] none) throws Exception {\n"
    return "".join(imports) + head + body + "}\n}\n"


def _write(folder: Path, name: str, text: str) -> Path:
    path = folder / "src" / f"{name.replace('.', '/')}.java"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _printed(name: str, folder: Path) -> str:
    compiler = javac()
    assert compiler is not None
    command: list[str | Path] = [
        Path(compiler).with_name("java"),
        "-cp",
        os.pathsep.join([str(JAR), "classes"]),
        name,
    ]
    # The Python of the tests has the package, which that of PATH need not have.
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "VIRTUAL_ENV": sys.prefix},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
