# SPDX-License-Identifier: Apache-2.0
"""What a copy of a process (`os.fork`) has of the servers of the other one: no session."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp.conftest import SCRIPTED
from tests.mcp.test_calls import BOTH

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")

PROGRAM = """
import os, sys, threading, time
from isonomy import ToolExecutor, mcp_server

by, where = sys.argv[1:]
made = {"url": where} if by == "http" else {"command": [sys.executable, *where.split("|")]}
tools = mcp_server(name="scripted", timeout=20, **made)
executor = ToolExecutor(tools)
assert executor.call("echo", {"n": 0}).unwrap() == {"n": 0}
waiting = threading.Thread(target=executor.call, args=("slow", {"seconds": 1.0}), daemon=True)
waiting.start()
time.sleep(0.3)
copy = os.fork()
who = "copy" if copy == 0 else "first"
for n in range(20):
    assert executor.call("echo", {"who": who, "n": n}).unwrap() == {"who": who, "n": n}
if copy == 0:
    sys.exit(0)  # as a copy ends that ends well: what is done at the end of a process is done
assert os.waitpid(copy, 0)[1] == 0
waiting.join()
assert executor.call("echo", {"n": 1}).unwrap() == {"n": 1}
tools.close()
print("done")
"""


@BOTH
def test_a_copy_has_a_session_of_its_own(by: str, tmp_path: Path) -> None:
    """It neither reads the replies of the other one, nor has its own read there, nor ends it."""
    log = tmp_path / "log"
    log.touch()
    where = f"{SCRIPTED}|{log}"
    server = None
    if by == "http":
        command = [sys.executable, str(SCRIPTED), str(log), "http"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        where = f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"
    try:
        command = [sys.executable, "-c", PROGRAM, by, where]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    finally:
        if server is not None:
            server.kill()
            server.communicate()
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr
