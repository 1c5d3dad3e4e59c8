# SPDX-License-Identifier: Apache-2.0
"""The fixtures that start hosts, once for each language."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.java_classes import compile_java, javac
from tests.mcp.hosts.running import HERE, Host, java_host, python_host

StartHost = Callable[..., Host]


@pytest.fixture(scope="session")
def java_host_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if javac() is None:
        pytest.skip("no Java: there is no JDK")
    return compile_java([HERE / "java/McpHost.java"], tmp_path_factory.mktemp("host"))


@pytest.fixture(scope="session", params=["python", "java"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def host_command(request: pytest.FixtureRequest, language: str) -> list[str]:
    """Give what starts a host in the language."""
    if language == "python":
        return python_host()
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    return java_host(java, request.getfixturevalue("java_host_classes"))


@pytest.fixture
def start_host(host_command: list[str]) -> Iterator[StartHost]:
    """Give what starts hosts with the settings of `mcp_server`."""
    started: list[Host] = []

    def start(**settings: Any) -> Host:
        host = Host(host_command, settings)
        started.append(host)
        return host

    yield start
    for host in started:
        host.close()
