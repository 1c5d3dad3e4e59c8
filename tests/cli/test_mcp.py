# SPDX-License-Identifier: Apache-2.0
"""The command with tools of MCP servers."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from tests.cli.conftest import COMMAND, HANG
from tests.java_classes import javac

from isonomy.bridge.machine import JAR

needs_java = pytest.mark.skipif(
    javac() is None or not JAR.is_file(), reason="no JDK or no Java core, so there is no Java host"
)
BOTH = pytest.mark.parametrize("host", ["python", pytest.param("java", marks=needs_java)])

SCRIPTED = Path(__file__).parents[1] / "mcp" / "scripted.py"
SERVERS = f"""
mcp:
  - name: first
    command: [{sys.executable}, {SCRIPTED}, log]
    tools: [text, is_error, die]
  - name: second
    command: [{sys.executable}, {SCRIPTED}, log]
    env: {{SCRIPTED_LIST: pages}}
"""


def run(folder: Path, config: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    (folder / "isonomy.yaml").write_text(config)
    command, rest = arguments[0], arguments[1:]
    return subprocess.run(
        [*COMMAND, command, str(folder / "isonomy.yaml"), *rest],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
        cwd=folder,
        env=env or None,
    )


@BOTH
def test_calls_of_two_servers(tmp_path: Path, host: str) -> None:
    names = ["text", "first__is_error", "second__is_error", "die", "text"]
    calls = [{"call_id": str(at), "tool": name} for at, name in enumerate(names)]
    (tmp_path / "calls.jsonl").write_text(json.dumps({"event": "tool_request", "calls": calls}))
    done = run(tmp_path, SERVERS, "run", "calls.jsonl", "--host", host)
    assert done.returncode == 0, done.stderr
    responses = [record["response"] for record in json.loads(done.stdout)["records"]]
    kinds = [each.get("error", {}).get("kind") for each in responses]
    assert kinds == [None, "tool_error", "tool_error", "connection_lost", None]
    assert responses[0] == {
        "status": "success",
        "result": "hello",
        "content": [{"type": "text", "text": "hello"}],
    }


def test_the_tools_are_listed(tmp_path: Path) -> None:
    done = run(tmp_path, SERVERS, "tools", "--json")
    tools = json.loads(done.stdout)
    assert [(tool["name"], tool["language"]) for tool in tools] == [
        ("text", "mcp"), ("first__is_error", "mcp"), ("die", "mcp"), ("echo", "mcp"),
        ("second__is_error", "mcp"),
    ]  # fmt: skip


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    done = run(tmp_path, "mcp:\n  - {name: gone, command: [no-such-program]}", "tools")
    assert done.returncode == 2
    assert 'isonomy.yaml:2: mcp[0] cannot be used: the MCP server "gone" cannot be' in done.stderr


def test_a_secret_of_the_environment_that_is_not_set(tmp_path: Path) -> None:
    config = "mcp:\n- {name: a, url: 'http://x/', headers: {Authorization: {env: NO_SUCH}}}"
    done = run(tmp_path, config, "tools")
    assert done.returncode == 2
    assert "mcp[0].headers.Authorization needs the environment variable" in done.stderr


def test_a_name_twice(tmp_path: Path) -> None:
    done = run(tmp_path, SERVERS.replace("second", "first"), "tools")
    assert done.returncode == 2
    assert "mcp[1].name is that of a server before" in done.stderr


TELLING = """
import json, os, sys
from pathlib import Path
def line(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\\0", b" ").decode()
for line_ in sys.stdin:
    message = json.loads(line_)
    method = message["method"]
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "t"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "tell", "inputSchema": {"type": "object"}}]}
    else:
        told = {"token": os.environ.get("TOKEN"), "folder": os.getcwd(), "host": line(os.getppid())}
        told["other"] = os.environ.get("OTHER")
        result = {"content": [], "structuredContent": told}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@BOTH
def test_what_a_server_is_given(tmp_path: Path, host: str) -> None:
    """A secret of the environment reaches it, and stands on no command line; no other does."""
    (tmp_path / "telling.py").write_text(TELLING)
    (tmp_path / "work").mkdir()
    server = {
        "name": "t",
        "command": [sys.executable, str(tmp_path / "telling.py")],
        "cwd": "work",
        "env": {"TOKEN": {"env": "MY_TOKEN"}},
    }
    (tmp_path / "calls.jsonl").write_text('{"event": "tool_request", "calls": [{"tool": "tell"}]}')
    env = {**os.environ, "MY_TOKEN": "hunter2-\u00e9", "OTHER": "x"}
    done = run(tmp_path, json.dumps({"mcp": [server]}), "run", "calls.jsonl", "--host", host, **env)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["records"][0]["response"]["result"]
    assert (told["token"], told["other"]) == ("hunter2-\u00e9", None)
    assert told["folder"] == str(tmp_path / "work")
    assert ("java" in told["host"].split(" ")[0]) == (host == "java")
    assert "hunter2" not in told["host"]


UNREACHED = 'mcp[0] cannot be used: the MCP server "a" cannot be reached:'


@BOTH
@pytest.mark.parametrize(
    ("server", "said"),
    [
        ("{name: a, command: [no-such-program]}", f"{UNREACHED} no-such-program cannot be started"),
        ("{name: a, url: 'http://127.0.0.1:1/mcp'}", UNREACHED),
        ("{name: a, url: 'http://x/', headers: {Authorization: {env: NO_SUCH}}}",
         "mcp[0].headers.Authorization needs the environment variable \"NO_SUCH\""),
        ("{name: a, command: [x], env: {N: {value: 5}}}", "mcp[0].env.N must be text"),
        ("{name: a, command: [x], cwd: nowhere}", "mcp[0].cwd is no folder: "),
        ("{name: a, url: 'http://x/', cwd: nowhere}", 'mcp[0] has "cwd", which is that of a "com'),
    ],
)  # fmt: skip
def test_a_server_that_cannot_be_used(tmp_path: Path, host: str, server: str, said: str) -> None:
    (tmp_path / "calls.jsonl").write_text("")
    done = run(tmp_path, f"mcp:\n- {server}", "run", "calls.jsonl", "--host", host)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"isonomy.yaml:2: {said}" in done.stderr
    assert "Traceback" not in done.stderr
    assert "\tat " not in done.stderr


@needs_java
def test_ctrl_c_ends_the_servers_of_a_java_host(tmp_path: Path) -> None:
    """One that neither ends with its input nor at SIGTERM is ended too."""
    server = {
        "name": "s",
        "command": [sys.executable, str(SCRIPTED), str(tmp_path / "log")],
        "env": {"SCRIPTED_START": "deaf"},
    }
    (tmp_path / "isonomy.yaml").write_text(json.dumps({"mcp": [server]}))
    (tmp_path / "calls.jsonl").write_text('{"event": "tool_request", "calls": [{"tool": "never"}]}')
    command = [*COMMAND, "run", "isonomy.yaml", "calls.jsonl", "--host", "java"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    began = time.monotonic()
    log = tmp_path / "log"
    while not log.is_file() or '"never"' not in log.read_text():
        assert time.monotonic() - began < HANG
        time.sleep(0.01)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) == 2
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=HANG)
    assert process.returncode == 130
    _, alive = psutil.wait_procs(children, timeout=HANG)
    assert alive == []
