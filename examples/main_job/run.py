# SPDX-License-Identifier: Apache-2.0
"""The main job: real calls of Python, Java and MCP tools, and a table of how they ended.

Options are handed on to `isonomy run`: `--host java` runs the calls in a Java host.
"""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "scripts")]

from calls import write_calls  # noqa: E402 - beside this file
from flights import database  # noqa: E402
from java import missing  # noqa: E402 - how this repository finds a JDK and Maven
from report import report  # noqa: E402
from rich.console import Console  # noqa: E402

JAVA_BUILT = HERE / "java" / "target" / "classes"
ISONOMY = [sys.executable, "-m", "isonomy.cli"]


def has_java() -> bool:
    """Tell whether the Java tools can run; where they cannot, print why."""
    reason = missing()
    if reason is None and not JAVA_BUILT.is_dir():
        reason = "they are not built; `make run` builds them"
    if reason is not None:
        print(f"Java tools are skipped: {reason}.", flush=True)
    return reason is None


def main() -> int:
    java = has_java()
    config = HERE / ("isonomy.yaml" if java else "isonomy-python.yaml")
    out = Path(os.environ.get("MAIN_JOB_OUT", HERE / "out"))
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("FLIGHTS_DATABASE", str(out / "flights.sqlite"))
    calls, responses = out / "calls.jsonl", out / "responses.jsonl"

    # The time server was installed beside this interpreter.
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])

    database.build()
    write_calls(calls, java=java)
    command = [*ISONOMY, "run", config, calls, "-o", responses, *sys.argv[1:]]
    done = subprocess.run(command, check=False)
    if done.returncode:
        return done.returncode

    listed = subprocess.run([*ISONOMY, "tools", config, "--json"], check=True, capture_output=True)
    languages = {tool["name"]: tool["language"] for tool in json.loads(listed.stdout)}
    report(Console(), responses, languages)
    print(f"The responses are in {os.path.relpath(responses)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
