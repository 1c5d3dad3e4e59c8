# SPDX-License-Identifier: Apache-2.0
"""Java tools for the tests of the bridge: compiled once, in one JVM for all tests in a process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.java_classes import compile_tools, javac

from isonomy.bridge.jvm import java_tools
from isonomy.bridge.machine import running
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.tool import Tool


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the compiled tools."""
    if javac() is None:
        pytest.skip("no JDK was found, so there is nothing to compile Java tools with")
    return compile_tools(tmp_path_factory.mktemp("classes"))


Load = Callable[..., dict[str, Tool]]


@pytest.fixture(scope="session")
def load(classes: Path) -> Load:
    """Give the tools of classes by name."""

    @functools.cache
    def load(*specs: str) -> dict[str, Tool]:
        return {tool.name: tool for tool in java_tools(*specs, classpath=[classes])}

    return load


@pytest.fixture(scope="session")
def behaving(load: Load, classes: Path) -> Any:
    """The Java class `com.acme.Behaving` itself."""
    load("com.acme.Behaving")  # which starts the JVM
    core = running().bridge("BridgeEndpoint").class_.getClassLoader()
    import jpype

    url = jpype.java.io.File(str(classes)).toURI().toURL()
    loader = jpype.java.net.URLClassLoader(jpype.JArray(jpype.java.net.URL)([url]), core)
    return jpype.JClass(loader.loadClass("com.acme.Behaving"))


@pytest.fixture
def executor(load: Load) -> ToolExecutor:
    """An executor of most tools."""
    names = ("Prices", "Values", "Waiting", "Behaving", "Lookup")
    tools = load(*(f"com.acme.{name}" for name in names))
    return ToolExecutor(tools.values(), inject={"tenant": "t-1", "limit": 5})
