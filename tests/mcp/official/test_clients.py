# SPDX-License-Identifier: Apache-2.0
"""The official clients see of `isonomy serve` what our own responses are.

The clients in Python are of both major versions, each in a virtual environment of its own with
Isonomy beside it, which is where the server runs as well; that in TypeScript is the inspector's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.java_classes import compile_java, javac
from tests.mcp.official.conftest import program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(javac() is None, reason="no Java: there is no JDK"),
]
HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SERVED = HERE / "served"
HANG = 240
ADDRESS = "127.0.0.1"

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("py_add", {"left": 2, "right": 3, "unit": "km"}),
    ("py_add", {"left": 2}),
    ("py_echo", {"text": "é😀"}),
    ("py_refuse", {"reason": "sold out"}),
    ("py_break", {"text": "a tool"}),
    ("py_add", {"left": "two", "more": 1}),
    ("javaJoin", {"parts": ["a", "b"], "between": "-"}),
    ("javaRefuse", {"reason": "sold out"}),
    ("javaBreak", {"text": "a tool"}),
    ("javaJoin", {"parts": "a"}),
    ("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}),
    ("get_current_time", {"timezone": "Europe/Bern"}),
    ("get_current_time", {}),
    ("no_such_tool", {}),
]
KINDS = [
    None, None, None, "tool_error", "exception", "invalid_arguments",
    None, "tool_error", "exception", "invalid_arguments",
    None, "tool_error", "invalid_arguments", "not_found",
]  # fmt: skip


def run(command: list[str], given: str | None = None) -> str:
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, check=False, timeout=HANG
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    classes = compile_java([SERVED / "java/ServedTools.java"], folder / "classes")
    text = (SERVED / "isonomy.yaml").read_text(encoding="utf-8")
    text = text.replace("[tools]", f"[{SERVED / 'tools'}]")
    text = text.replace("CLASSES", str(classes)).replace("PYTHON", sys.executable)
    file = folder / "isonomy.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def ours(config: Path) -> list[dict[str, Any]]:
    """Give the responses that the same calls have without MCP between."""
    calls = [
        {"call_id": str(at), "tool": tool, "arguments": given}
        for at, (tool, given) in enumerate(CALLS)
    ]
    requests = config.with_name("calls.jsonl")
    requests.write_text(json.dumps({"event": "tool_request", "calls": calls}))
    out = run([sys.executable, "-m", "isonomy.cli", "run", str(config), str(requests)])
    return [record["response"] for record in json.loads(out)["records"]]


@pytest.fixture(scope="module")
def listed(config: Path) -> dict[str, Any]:
    """Give our own tools by their names."""
    out = run([sys.executable, "-m", "isonomy.cli", "tools", str(config), "--json"])
    return {tool["name"]: tool for tool in json.loads(out)}


@pytest.fixture(scope="module", params=["1.30.*", ">=2,<3"], ids=["mcp1", "mcp2"])
def python(request: pytest.FixtureRequest) -> Path:
    """Give the interpreter of an environment with that version of `mcp` and Isonomy beside it."""
    wanted = request.param if request.param[0] == ">" else f"=={request.param}"
    place = HERE / ".clients" / ("mcp2" if request.param[0] == ">" else "mcp1")
    bin_ = place / "bin"
    if not (place / ".installed").exists():
        run([sys.executable, "-m", "venv", "--clear", str(place)])
        pip = [str(bin_ / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        run([*pip, "install", "--editable", f"{ROOT}[all,serve,examples]", f"mcp{wanted}"])
        (place / ".installed").touch()
    return bin_ / "python"


class Served:
    """`isonomy serve` by HTTP."""

    def __init__(self, python: Path, config: Path) -> None:
        command = [str(python), "-m", "isonomy.cli", "serve", str(config), "--http", "0"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        self.told = self._process.stderr.readline()
        self.url = next(word for word in self.told.split() if word.startswith("http://"))

    def end(self) -> None:
        self._process.terminate()
        self._process.communicate(timeout=60)


@pytest.fixture(scope="module")
def served(config: Path) -> Iterator[Served]:
    serving = Served(Path(sys.executable), config)
    yield serving
    serving.end()


def check_end(response: dict[str, Any], end: dict[str, Any]) -> None:
    """Check that a client sees what the response is."""
    failed = response["status"] == "failure"
    assert end["isError"] is failed, end
    error = response.get("error", {})
    told = end.get("_meta", {}).get("dev.isonomy/error")
    if not failed:
        assert told is None
        if isinstance(response["result"], dict):
            assert end["structuredContent"] == response["result"]
        else:
            assert end["content"] == [{"type": "text", "text": response["result"]}]
        return
    shown = end["content"][0]["text"]
    if error["kind"] == "exception":  # of which only the type is told
        assert shown == told["message"] == error["type"]
        assert "secret" not in json.dumps(end)
        return
    assert shown == error["message"]
    assert told == error
    structured = end.get("structuredContent")
    if structured is not None:
        assert structured["kind"] == error["kind"]
        assert structured.get("details") == error.get("details")


def check_tools(listed: dict[str, Any], tools: list[dict[str, Any]]) -> None:
    """Check that a client has each tool with its schema intact."""
    assert [tool["name"] for tool in tools] == list(listed)
    for tool in tools:
        assert tool["inputSchema"] == listed[tool["name"]]["input_schema"]
        assert tool.get("description", "") == listed[tool["name"]]["description"]


def test_our_own_responses(ours: list[dict[str, Any]]) -> None:
    assert [response.get("error", {}).get("kind") for response in ours] == KINDS


def test_isonomy_is_installable_beside(python: Path) -> None:
    assert "No broken requirements found" in run([str(python), "-m", "pip", "check"])


def speak(python: Path, asked: dict[str, Any]) -> dict[str, Any]:
    given = json.dumps({**asked, "calls": CALLS})
    told: dict[str, Any] = json.loads(run([str(python), str(SERVED / "client.py")], given))
    return told


@pytest.mark.parametrize("by", ["stdio", "http"])
def test_the_client_in_python(
    python: Path,
    by: str,
    config: Path,
    ours: list[dict[str, Any]],
    listed: dict[str, Any],
    request: pytest.FixtureRequest,
) -> None:
    if by == "stdio":
        reached: dict[str, Any] = {
            "command": [str(python), "-m", "isonomy.cli", "serve", str(config)]
        }
    else:
        reached = {"url": request.getfixturevalue("served").url}
    told = speak(python, reached)
    assert told["revision"] == "2025-11-25"
    check_tools(listed, told["tools"])
    for response, end, again in zip(ours, told["ends"], told["again"], strict=True):
        check_end(response, end)
        check_end(response, again)


@pytest.mark.parametrize("by", ["stdio", "http"])
def test_the_client_of_the_revision_without_sessions(
    by: str,
    config: Path,
    ours: list[dict[str, Any]],
    listed: dict[str, Any],
    request: pytest.FixtureRequest,
) -> None:
    python = HERE / ".clients/mcp2/bin/python"
    if not python.exists():
        pytest.skip("the environment is made by the tests before")
    if by == "stdio":
        reached: dict[str, Any] = {
            "command": [str(python), "-m", "isonomy.cli", "serve", str(config)]
        }
    else:
        reached = {"url": request.getfixturevalue("served").url}
    told = speak(python, {**reached, "discover": True})
    check_tools(listed, told["tools"])
    for response, end, again in zip(ours, told["ends"], told["again"], strict=True):
        check_end(response, end)
        check_end(response, again)


def inspect(target: list[str], *options: str) -> dict[str, Any]:
    command = [program("mcp-inspector"), "--cli", *target, *options]
    told: dict[str, Any] = json.loads(run(command))
    return told


def argument(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize("by", ["stdio", "http"])
def test_the_inspector(
    by: str,
    config: Path,
    ours: list[dict[str, Any]],
    listed: dict[str, Any],
    request: pytest.FixtureRequest,
) -> None:
    if by == "stdio":
        target = [str(Path(sys.executable).with_name("isonomy")), "serve", str(config)]
    else:
        target = [request.getfixturevalue("served").url, "--transport", "http"]
    check_tools(listed, inspect(target, "--method", "tools/list")["tools"])

    def call(tool: str, given: dict[str, Any]) -> dict[str, Any]:
        options = ["--method", "tools/call", "--tool-name", tool]
        for name, value in given.items():
            options += ["--tool-arg", f"{name}={argument(value)}"]
        return inspect(target, *options)

    # Each call starts a server by stdio, which takes a while: one of each kind is enough there.
    chosen = [0, 3, 8, 11, 13] if by == "stdio" else range(len(CALLS))
    with ThreadPoolExecutor(2) as threads:
        ends = list(threads.map(lambda at: call(*CALLS[at]), chosen))
    for at, end in zip(chosen, ends, strict=True):
        (tool, _), response = CALLS[at], ours[at]
        if response.get("error", {}).get("kind") == "invalid_arguments":
            # it turns what it is given into the types that the schema names, NaN for one
            assert end["isError"] is True, tool
        else:
            check_end(response, end)
