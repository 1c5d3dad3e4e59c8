# SPDX-License-Identifier: Apache-2.0
"""The official server that has everything, called from a host in each language."""

from __future__ import annotations

import base64
import os
import signal
import time
from collections.abc import Iterator

import psutil
import pytest

from tests.mcp.hosts.fixtures import StartHost
from tests.mcp.hosts.running import Host
from tests.mcp.official.conftest import HttpServer, program

pytestmark = pytest.mark.slow
LONG = "trigger-long-running-operation"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module", params=["stdio", "http"])
def everything(
    request: pytest.FixtureRequest, host_command: list[str], http_server: HttpServer
) -> Iterator[Host]:
    """Give a host of the server in each language, by its standard streams and by HTTP."""
    if request.param == "stdio":
        command = [program("mcp-server-everything"), "stdio"]
        host = Host(host_command, {"command": command})
    else:
        host = Host(host_command, {"url": http_server.url})
    yield host
    host.close()


def server_of(pid: int) -> psutil.Process:
    (server,) = (
        each
        for each in psutil.Process(pid).children(recursive=True)
        if any("server-everything" in part for part in each.cmdline())
    )
    return server


def test_results(everything: Host) -> None:
    response = everything.call("echo", message="é😀")
    assert response == {
        "status": "success",
        "result": "Echo: é😀",
        "content": [{"type": "text", "text": "Echo: é😀"}],
    }
    assert everything.result("get-sum", a=2.5, b=-4) == "The sum of 2.5 and -4 is -1.5."
    weather = everything.result("get-structured-content", location="Chicago")
    assert sorted(weather) == ["conditions", "humidity", "temperature"]
    assert type(weather["humidity"]) is int


def test_the_tools_and_their_schemas(everything: Host) -> None:
    description, schema = everything.tools["get-sum"]
    assert description == "Returns the sum of two numbers"
    assert schema["required"] == ["a", "b"]
    assert schema["properties"]["a"]["type"] == "number"
    assert len(everything.tools) >= 13


def test_failures(everything: Host) -> None:
    message = "Invalid resourceId: -1. Must be a finite positive integer."
    response = everything.call("get-resource-reference", resourceType="Text", resourceId=-1)
    assert response == {
        "status": "failure",
        "error": {
            "kind": "tool_error",
            "message": message,
            "effect": "possible",
            "language": "mcp",
        },
        "content": [{"type": "text", "text": message}],
    }
    error = everything.error("get-sum", a="x")
    assert (error["kind"], error["effect"]) == ("invalid_arguments", "none")
    assert error["message"] == "a: expected number; b: required"
    error = everything.error("no-such-tool")
    assert (error["kind"], error["effect"]) == ("not_found", "none")
    assert error["message"] == 'no tool named "no-such-tool"'


def test_a_tool_that_can_be_called_as_a_task_only(everything: Host) -> None:
    error = everything.error("simulate-research-query", topic="tides")
    assert error["kind"] == "tool_error"
    assert "requires task augmentation" in error["message"]


def test_every_kind_of_block_is_kept(everything: Host) -> None:
    arguments = {"messageType": "error", "includeImage": True}
    text, image = everything.call("get-annotated-message", **arguments)["content"]
    assert text == {
        "type": "text",
        "text": "Error: Operation failed",
        "annotations": {"priority": 1, "audience": ["user", "assistant"]},
    }
    assert (image["type"], image["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(image["data"]).startswith(PNG)
    assert image["annotations"] == {"priority": 0.5, "audience": ["user"]}

    first, *links = everything.call("get-resource-links", count=3)["content"]
    assert first["type"] == "text"
    assert [link["type"] for link in links] == ["resource_link"] * 3
    assert links[0]["uri"] == "demo://resource/dynamic/blob/1"
    assert links[1]["mimeType"] == "text/plain"

    given = {"resourceType": "Blob", "resourceId": 2}
    before, resource, after = everything.call("get-resource-reference", **given)["content"]
    assert (before["type"], after["type"]) == ("text", "text")
    assert (resource["type"], resource["resource"]["uri"]) == (
        "resource",
        "demo://resource/dynamic/blob/2",
    )
    assert base64.b64decode(resource["resource"]["blob"]).startswith(b"Resource 2: ")

    response = everything.call("get-tiny-image")
    assert [block["type"] for block in response["content"]] == ["text", "image", "text"]
    assert response["result"] == (
        "Here's the image you requested:\nThe image above is the MCP logo."
    )


def test_progress(everything: Host) -> None:
    answer = everything.answer(LONG, {"duration": 0.4, "steps": 4})
    assert answer["response"]["result"] == (
        "Long running operation completed. Duration: 0.4 seconds, Steps: 4."
    )
    assert answer["progress"] == [[step, 4, None] for step in (1, 2, 3, 4)]


def test_parallel_calls_on_one_session(everything: Host) -> None:
    long = everything.submit(LONG, {"duration": 2, "steps": 20})
    assert long.moves.wait(20)
    answers = [everything.submit("get-sum", {"a": n, "b": n}) for n in range(40)]
    for n, answer in enumerate(answers):
        told = answer.result(20)["response"]["result"]
        assert told == f"The sum of {n} and {n} is {2 * n}."
    assert not long.done()
    assert long.result(20)["response"]["status"] == "success"


def test_a_deadline(everything: Host) -> None:
    answer = everything.answer(LONG, {"duration": 30, "steps": 3}, deadline=0.5)
    assert answer["response"]["error"]["kind"] == "timeout"
    assert answer["seconds"] < 5
    assert everything.result("echo", message="on") == "Echo: on"


def test_killed_amid_calls(start_host: StartHost) -> None:
    host = start_host(command=[program("mcp-server-everything"), "stdio"], name="all")
    calls = [host.submit(LONG, {"duration": 30, "steps": 300}) for _ in range(3)]
    for call in calls:
        assert call.moves.wait(20)
    os.kill(server_of(host.process.pid).pid, signal.SIGKILL)
    for call in calls:
        answer = call.result(20)
        error = answer["response"]["error"]
        assert (error["kind"], error["effect"]) == ("connection_lost", "possible")
        assert error["message"] == 'the MCP server "all" ended (signal SIGKILL)'
        assert error["details"] == {"signal": "SIGKILL"}
    assert host.result("echo", message="again") == "Echo: again"


def test_killed_amid_a_call_by_http(start_host: StartHost, http_server: HttpServer) -> None:
    host = start_host(url=http_server.url, name="all")
    call = host.submit(LONG, {"duration": 30, "steps": 300})
    assert call.moves.wait(20)
    http_server.kill()
    error = call.result(20)["response"]["error"]
    assert (error["kind"], error["effect"]) == ("connection_lost", "possible")
    assert error["message"] == 'the connection to the MCP server "all" broke'
    error = host.error("echo", message="nobody is there")
    assert (error["kind"], error["effect"]) == ("connection_lost", "none")
    http_server.start()
    # Whoever asks within a second of an attempt that failed is told so again (clause 14.13); who
    # finds out by a call that the session is over is told of that as it is.
    ends = time.monotonic() + 20
    while (response := host.call("echo", message="again"))["status"] != "success":
        assert response["error"]["kind"] in {"connection_lost", "protocol"}
        assert time.monotonic() < ends
        time.sleep(0.1)
    assert response["result"] == "Echo: again"


def test_the_server_ends_with_its_host(start_host: StartHost) -> None:
    host = start_host(command=[program("mcp-server-everything"), "stdio"])
    server = server_of(host.process.pid)
    host.close()
    assert psutil.wait_procs([server], timeout=10)[1] == []
