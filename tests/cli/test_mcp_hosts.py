# SPDX-License-Identifier: Apache-2.0
"""Servers that misbehave in every way of the script, called from both hosts: the same responses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import COMMAND, environment
from tests.java_classes import javac
from tests.mcp.scripted import HTTP_ONLY, TOOLS
from tests.vectors import ROOT

from isonomy.bridge.machine import JAR

pytestmark = pytest.mark.skipif(
    javac() is None or not JAR.is_file(), reason="no JDK or no Java core, so there is no Java host"
)
SCRIPTED = Path(__file__).parents[1] / "mcp" / "scripted.py"
HANG = 40
BOTH = pytest.mark.parametrize("by", ["stdio", "http"])

Call = tuple[str, Any]

ARGUMENTS: dict[str, Any] = {
    "slow": {"seconds": 0},
    "size": {"bytes": 60_000},
    "size_id_last": {"bytes": 60_000},
    "together": {"i": 0, "of": 1},
    "trickle": {"seconds": 0},
    "raw": {"reply": '{"jsonrpc":"2.0","id":7,"result":{"content":"x","_meta":[]}}'},
    "marked": {"region": "eu", "deep": {"n": 1}},
}
UNANSWERED = ("never", "drip")
"""Calls that the server leaves without an end; whoever makes them has a timeout."""
OF_THE_HOST = ("invalid_arguments", "not_found", "timeout", "too_large")
"""Kinds of errors that a host makes itself."""
OPEN = {
    "cyclic": "14.8 leaves open how a schema that cannot be used is called; Python says more",
}
"""Of these servers and tools the messages differ still, and why; all else is compared."""
CALLS_OF_ONE: list[Call] = [
    ("echo", {"a": [1, 1.0, None, "é", {"b": True}], "big": 2**70, "tiny": 1e-320}),
    ("echo", '{"a": 1, "a": 2}'),
    ("echo", "no JSON"),
    ("echo", "[1]"),
    ("echo", None),
    ("size", {"bytes": 200_000}),
    ("text", {}),
    ("size_id_last", {"bytes": 200_000}),
    ("no such tool", {}),
]


@contextmanager
def script(folder: Path, by: str) -> Iterator[dict[str, Any]]:
    """Give how a scripted server is reached, as in a configuration."""
    command = [sys.executable, str(SCRIPTED), str(folder / "log")]
    if by == "stdio":
        yield {"command": command}
        return
    with subprocess.Popen([*command, "http"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield {"url": f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"}
        finally:
            process.kill()


def config(folder: Path, servers: list[dict[str, Any]]) -> None:
    (folder / "isonomy.yaml").write_text(json.dumps({"mcp": servers}), encoding="utf-8")


def calls(folder: Path, listed: list[Call]) -> None:
    events = [{"call_id": str(at), "tool": t, "arguments": a} for at, (t, a) in enumerate(listed)]
    request = {"event": "tool_request", "id": "r", "calls": events}
    (folder / "calls.jsonl").write_text(json.dumps(request), encoding="utf-8")


def run(folder: Path, host: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "run", "isonomy.yaml", "calls.jsonl", "--host", host, *options],
        capture_output=True, text=True, timeout=HANG, check=False, cwd=folder, env=environment(),
    )  # fmt: skip


def responses(
    done: subprocess.CompletedProcess[str], host: str, *, from_servers: bool = False
) -> list[Any]:
    """Give the records without what no two runs have in common.

    That is times, traces, and which host it was: of an error that the host itself makes, one of
    refused arguments say (clause 14.8), the language is the host's (clause 4.11). Where all errors
    come `from_servers`, no language is.
    """
    assert done.returncode == 0, done.stderr
    records: list[Any] = json.loads(done.stdout)["records"]
    for record in records:
        del record["started_at"], record["duration_us"]
        error = record["response"].get("error", {})
        error.pop("trace", None)
        if not from_servers and error.get("language") == host and error["kind"] in OF_THE_HOST:
            error["language"] = "the host's"
        if record["tool"].partition("__")[0] in OPEN and error:
            del error["message"]
    return records


def assert_same(in_python: list[Any], in_java: list[Any]) -> None:
    """Compare record by record, so that a difference says whose it is."""
    assert len(in_java) == len(in_python)
    pairs = list(zip(in_python, in_java, strict=True))
    other = [each for pair in pairs if pair[0] != pair[1] for each in pair]
    assert not other, "\n".join(json.dumps(each, sort_keys=True) for each in other)


def kinds(records: list[Any]) -> dict[str, Any]:
    return {each["tool"]: each["response"].get("error", {}).get("kind") for each in records}


def test_every_behaviour_of_the_script_by_its_streams(tmp_path: Path) -> None:
    last = ("change", "vanishes", "echo")  # what changes the server for the calls behind it
    names = [name for name in TOOLS if name not in (*last, *UNANSWERED, *HTTP_ONLY)]
    listed = [(name, ARGUMENTS.get(name, {})) for name in names]
    listed += CALLS_OF_ONE
    listed += [("change", {}), ("vanishes", {}), ("echo", {"a": 1}), ("echo", {})]
    calls(tmp_path, listed)
    with script(tmp_path, "stdio") as reached:
        config(tmp_path, [{"name": "scripted", "max_reply": 100_000, "timeout": 10, **reached}])
        found = {host: responses(run(tmp_path, host), host) for host in ("python", "java")}
    assert_same(found["python"], found["java"])
    ended = kinds(found["java"])
    assert (ended["text"], ended["rpc_error"]) == (None, "protocol")
    assert (ended["vanishes"], ended["no such tool"]) == ("not_found", "not_found")


def test_every_behaviour_of_the_script_by_http(tmp_path: Path) -> None:
    """Each that HTTP alone has in a session of its own: a lost one is not begun at once again."""
    ends = ("die", "exit", "orphan", "close_output")  # the server, which nothing starts again
    # A change is told of by streams alone; here it would come to light with the next session.
    without = (*ends, "change", "vanishes", *UNANSWERED, *HTTP_ONLY)
    names = [name for name in TOOLS if name not in without]
    apart = [name for name in HTTP_ONLY if name not in UNANSWERED]
    listed = [(name, ARGUMENTS.get(name, {})) for name in (*names, *apart)]
    calls(tmp_path, [*listed, *CALLS_OF_ONE])
    found = {}
    for host in ("python", "java"):
        with script(tmp_path, "http") as reached:
            limits = {"max_reply": 100_000, "timeout": 4}
            servers = [{"name": name, "tools": [name], **limits, **reached} for name in apart]
            config(tmp_path, [{"name": "rest", "tools": names, **limits, **reached}, *servers])
            found[host] = responses(run(tmp_path, host), host)
    assert_same(found["python"], found["java"])
    ended = kinds(found["java"])
    assert (ended["text"], ended["sse"], ended["json_error_400"]) == (None, None, "protocol")
    lost = {"connection_lost"}
    assert {ended[name] for name in ("status_403", "accepted", "cut", "sse_end", "sse_cut")} == lost


def test_every_reply_of_the_vectors(tmp_path: Path) -> None:
    """They are the bodies of HTTP answers, whole ones and broken ones."""
    vectors = json.loads((ROOT / "mcp" / "replies.json").read_text(encoding="utf-8"))["cases"]
    replies = [case["reply"] for case in vectors if "reply" in case and '"id":7' in case["reply"]]
    assert len(replies) > 100
    calls(tmp_path, [("raw", {"reply": reply}) for reply in replies])
    found = {}
    for host in ("python", "java"):
        with script(tmp_path, "http") as reached:
            config(tmp_path, [{"name": "scripted", "tools": ["raw"], "timeout": 10, **reached}])
            found[host] = responses(run(tmp_path, host), host, from_servers=True)
    assert_same(found["python"], found["java"])
    assert len(found["java"]) == len(replies)


@BOTH
@pytest.mark.parametrize("way", ["die", "exit"])
def test_a_server_that_dies(tmp_path: Path, by: str, way: str) -> None:
    # by HTTP it depends on when it is tried again whether a byte can be written (clause 14.11)
    again: list[Call] = [("text", {})] if by == "stdio" else []
    calls(tmp_path, [("text", {}), (way, {}), *again])
    found = {}
    for host in ("python", "java"):
        with script(tmp_path, by) as reached:
            config(tmp_path, [{"name": "scripted", **reached}])
            found[host] = responses(run(tmp_path, host), host)
    assert_same(found["python"], found["java"])
    expected = [None, "connection_lost", *(None for _ in again)]
    assert [kinds([record])[record["tool"]] for record in found["java"]] == expected


@BOTH
def test_calls_that_nobody_answers(tmp_path: Path, by: str) -> None:
    """The timeout of a server counts, and of two servers each has its own."""
    names = ["never", "slow", *(["drip"] if by == "http" else [])]
    arguments = {"slow": {"seconds": 1}}
    listed = [(f"impatient__{name}", arguments.get(name, {})) for name in names]
    listed += [("patient__slow", {"seconds": 1}), ("text", {})]
    calls(tmp_path, listed)
    found = {}
    for host in ("python", "java"):
        with script(tmp_path, by) as reached:
            servers = [
                {"name": "patient", "tools": ["never", "slow", "drip", "text"], **reached},
                {"name": "impatient", "timeout": 0.4, "tools": names, **reached},
            ]
            if by == "stdio":
                servers[0]["tools"].remove("drip")
            config(tmp_path, servers)
            found[host] = responses(run(tmp_path, host), host)
    assert_same(found["python"], found["java"])
    assert [kinds([record])[record["tool"]] for record in found["java"]] == [
        *(["timeout"] * len(names)), None, None
    ]  # fmt: skip


def test_calls_side_by_side(tmp_path: Path) -> None:
    """Answered in any order, some twice, some that nobody asked for."""
    calls(tmp_path, [("together", {"i": i, "of": 20}) for i in range(20)])
    found = {}
    with script(tmp_path, "stdio") as reached:
        config(tmp_path, [{"name": "scripted", **reached}])
        for host in ("python", "java"):
            found[host] = responses(run(tmp_path, host, "--parallel", "20"), host)
    assert_same(found["python"], found["java"])
    assert [each["response"]["result"] for each in found["java"]] == [str(i) for i in range(20)]


STARTS = {
    "many": {"SCRIPTED_LIST": "many"},
    "loop": {"SCRIPTED_LIST": "loop"},
    "pages": {"SCRIPTED_LIST": "pages"},
    "odd": {"SCRIPTED_LIST": "odd"},
    "silent": {"SCRIPTED_START": "silent"},
    "garbage": {"SCRIPTED_START": "garbage"},
    "revision": {"SCRIPTED_START": "revision"},
    "exit": {"SCRIPTED_START": "exit"},
    "endless": {"SCRIPTED_LIST": "endless"},
    "drip": {"SCRIPTED_START": "drip"},
    "stateless": {"SCRIPTED_START": "stateless"},
    "newer": {"SCRIPTED_START": "newer"},
    "refuses": {"SCRIPTED_START": "refuses"},
}
LATE = ("silent", "endless", "drip")
REACHED = ("pages", "odd", "garbage", "stateless")


@pytest.mark.slow
def test_every_start_of_the_script(tmp_path: Path) -> None:
    """A server that is not there takes no other along; its tools fail with the reason."""
    command = [sys.executable, str(SCRIPTED), "log"]
    servers: list[dict[str, Any]] = [
        {"name": name, "command": command, "env": env, "tools": ["echo"], "start_timeout": 2}
        for name, env in STARTS.items()
    ]
    servers += [
        {"name": "gone", "command": ["no-such-program"], "tools": ["echo"]},
        {"name": "nowhere", "url": "http://127.0.0.1:1/mcp", "tools": ["echo"]},
    ]
    servers[3]["tools"] = ["echo", "cyclic", "open"]
    config(tmp_path, servers)
    listed = [(f"{server['name']}__echo", {"a": 1}) for server in servers]
    calls(tmp_path, [*listed, ("cyclic", {}), ("open", {"a": 1})])
    found = {host: responses(run(tmp_path, host), host) for host in ("python", "java")}
    assert_same(found["python"], found["java"])
    ended = kinds(found["java"])
    assert {name for name in STARTS if ended[f"{name}__echo"] is None} == set(REACHED)
    for server in servers:
        if server["name"] not in REACHED:
            assert ended[f"{server['name']}__echo"] == "connection_lost"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LATE else [])
        for name in sorted(STARTS.keys() - set(REACHED))
    ],
)
def test_a_server_that_must_be_there(tmp_path: Path, name: str) -> None:
    """Without the names of its tools nobody knows them, and the complaint is the same."""
    command = [sys.executable, str(SCRIPTED), "log"]
    config(tmp_path, [{"name": "s", "command": command, "env": STARTS[name], "start_timeout": 2}])
    calls(tmp_path, [("echo", {})])
    in_python, in_java = (run(tmp_path, host) for host in ("python", "java"))
    assert (in_python.returncode, in_java.returncode) == (2, 2)
    told, told_in_java = in_python.stderr.splitlines(), in_java.stderr.splitlines()
    assert len(told_in_java) == len(told)  # what is logged before it is worded otherwise
    refused = "isonomy.yaml:1: mcp[0] cannot be used: the MCP server "
    assert told_in_java[-1].startswith(refused)
    if name not in OPEN:
        assert told_in_java[-1] == told[-1]
