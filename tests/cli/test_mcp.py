# SPDX-License-Identifier: Apache-2.0
"""The command with tools of MCP servers."""

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import COMMAND, HANG

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


def test_calls_of_two_servers(tmp_path: Path) -> None:
    names = ["text", "first__is_error", "second__is_error", "die", "text"]
    calls = [{"call_id": str(at), "tool": name} for at, name in enumerate(names)]
    (tmp_path / "calls.jsonl").write_text(json.dumps({"event": "tool_request", "calls": calls}))
    done = run(tmp_path, SERVERS, "run", "calls.jsonl")
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
