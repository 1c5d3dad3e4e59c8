# SPDX-License-Identifier: Apache-2.0
"""The official servers of the time and of git, from PyPI, called from a host in each language.

Texts of errors differ from release to release in what stands before them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.mcp.hosts.fixtures import StartHost

TIME = [sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"]
GIT = [sys.executable, "-m", "mcp_server_git"]


def test_time(start_host: StartHost) -> None:
    host = start_host(command=TIME)
    before = datetime.now(UTC).replace(microsecond=0)
    told = host.call("get_current_time", timezone="Asia/Tokyo")
    shown = json.loads(told["content"][0]["text"])
    assert before <= datetime.fromisoformat(shown["datetime"]) <= datetime.now(UTC)
    assert (shown["timezone"], shown["is_dst"]) == ("Asia/Tokyo", False)
    clock = {"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "Asia/Kolkata"}
    told = host.call("convert_time", **clock)
    shown = json.loads(told["content"][0]["text"])
    assert shown["time_difference"] == "-3.5h"
    assert shown["target"]["datetime"].endswith("T08:30:00+05:30")

    error = host.error("get_current_time", timezone="Europe/Bern")
    assert (error["kind"], error["language"]) == ("tool_error", "mcp")
    assert "Invalid timezone: 'No time zone found with key Europe/Bern'" in error["message"]
    error = host.error("convert_time", **(clock | {"time": "25:00"}))
    assert "Invalid time format. Expected HH:MM" in error["message"]
    error = host.error("get_current_time")
    assert (error["kind"], error["message"]) == ("invalid_arguments", "timezone: required")
    assert host.error("now")["kind"] == "not_found"


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_git(start_host: StartHost, tmp_path: Path) -> None:
    place = tmp_path.resolve() / "repository"

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(place), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    place.mkdir()
    git("init", "--initial-branch", "main")
    git("config", "user.name", "tester")
    git("config", "user.email", "tester@example.org")
    git("config", "commit.gpgsign", "false")
    (place / "file").write_text("one\n")
    git("add", "file")
    git("commit", "--message", "first")
    first = git("rev-parse", "HEAD")

    host = start_host(command=[*GIT, "--repository", str(place)])
    here = {"repo_path": str(place)}
    (place / "file").write_text("one\ntwo\n")
    assert host.result("git_diff_unstaged", **here).endswith("@@ -1 +1,2 @@\n one\n+two")
    host.result("git_add", files=["file"], **here)
    host.result("git_commit", message="second", **here)
    second = git("rev-parse", "HEAD")
    assert git("log", "--format=%s") == "second\nfirst"
    log = host.result("git_log", max_count=2, **here)
    assert log.index(second) < log.index(first)
    host.result("git_create_branch", branch_name="other", **here)
    host.result("git_checkout", branch_name="other", **here)
    assert git("branch", "--show-current") == "other"

    error = host.error("git_show", revision="no-such-revision", **here)
    assert error["kind"] == "tool_error"
    assert "no-such-revision" in error["message"]
    error = host.error("git_status", repo_path=str(tmp_path))
    assert error["kind"] == "tool_error"
    assert "outside the allowed repository" in error["message"]
    error = host.error("git_log", max_count="two", **here)
    assert (error["kind"], error["message"]) == (
        "invalid_arguments",
        "max_count: expected integer",
    )
