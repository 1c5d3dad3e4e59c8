# SPDX-License-Identifier: Apache-2.0
"""The official servers of files and of a knowledge graph, called from a host in each language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mcp.hosts.fixtures import StartHost
from tests.mcp.official.conftest import program

pytestmark = pytest.mark.slow


def test_files(start_host: StartHost, tmp_path: Path) -> None:
    allowed, outside = (tmp_path / "allowed").resolve(), (tmp_path / "outside").resolve()
    allowed.mkdir()
    outside.mkdir()
    (allowed / "a.txt").write_text("één\ntwo\n", encoding="utf-8")
    (outside / "b.txt").write_text("not yours")
    host = start_host(command=[program("mcp-server-filesystem"), str(allowed)])

    response = host.call("read_text_file", path=str(allowed / "a.txt"))
    assert response == {
        "status": "success",
        "result": {"content": "één\ntwo\n"},
        "content": [{"type": "text", "text": "één\ntwo\n"}],
    }
    host.result("write_file", path=str(allowed / "c.txt"), content="written")
    assert (allowed / "c.txt").read_text() == "written"
    edit = {"oldText": "two", "newText": "three"}
    host.result("edit_file", path=str(allowed / "a.txt"), edits=[edit])
    assert (allowed / "a.txt").read_text(encoding="utf-8") == "één\nthree\n"
    assert host.result("list_directory", path=str(allowed)) == {
        "content": "[FILE] a.txt\n[FILE] c.txt"
    }

    for path in (outside / "b.txt", allowed / ".." / "outside" / "b.txt"):
        error = host.error("read_text_file", path=str(path))
        assert error["kind"] == "tool_error"
        assert error["message"] == (
            "Access denied - path outside allowed directories:"
            f" {outside / 'b.txt'} not in {allowed}"
        )
    error = host.error("write_file", path=str(outside / "d.txt"), content="x")
    assert error["message"].startswith("Access denied - path outside allowed directories")
    assert not (outside / "d.txt").exists()
    error = host.error("read_text_file", path=str(allowed / "none"))
    assert (error["kind"], error["message"][:6]) == ("tool_error", "ENOENT")
    error = host.error("edit_file", path=str(allowed / "a.txt"), edits=[{"oldText": "x"}])
    assert error["details"]["violations"] == [
        {"path": "edits[0].newText", "rule": "required", "message": "required"}
    ]


def test_a_graph_is_kept_between_calls_and_sessions(start_host: StartHost, tmp_path: Path) -> None:
    settings = {
        "command": [program("mcp-server-memory")],
        "env": {"MEMORY_FILE_PATH": str(tmp_path / "graph.json")},
    }
    host = start_host(**settings)
    one = {"name": "one", "entityType": "number", "observations": ["is odd"]}
    two = {"name": "two", "entityType": "number", "observations": []}
    made = host.call("create_entities", entities=[one, two])
    assert made["result"] == {"entities": [one, two]}
    assert json.loads(made["content"][0]["text"]) == [one, two]
    before = {"from": "one", "to": "two", "relationType": "precedes"}
    host.result("create_relations", relations=[before])
    graph = {"entities": [one, two], "relations": [before]}
    assert host.result("read_graph") == graph

    error = host.error(
        "add_observations", observations=[{"entityName": "three", "contents": ["is odd"]}]
    )
    assert (error["kind"], error["message"]) == (
        "tool_error",
        "Entity with name three not found",
    )
    assert host.result("read_graph") == graph
    host.close()

    again = start_host(**settings)
    assert again.result("search_nodes", query="odd")["entities"] == [one]
    again.result("delete_entities", entityNames=["one"])
    assert again.result("read_graph") == {"entities": [two], "relations": []}
