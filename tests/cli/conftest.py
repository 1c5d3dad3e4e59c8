# SPDX-License-Identifier: Apache-2.0
import contextlib
import importlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from isonomy.cli.commands import app

COMMAND = [sys.executable, "-m", "isonomy.cli"]
HANG = 60  # seconds after which a test gives up

TOOLS = '''
import os
import subprocess
import sys
import time
from typing import Annotated

from isonomy import Injected, ToolResponse, tool


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    And nothing else.

    Args:
        a: One number.
        b: Another.
    """
    return a + b


@tool
async def later(text: str) -> str:
    """Return a text."""
    return text


@tool
def refuse() -> ToolResponse:
    return ToolResponse.error("no stock", code="STOCK", details={"left": 0})


@tool
def crash() -> None:
    raise RuntimeError("password=hunter2 was refused")


@tool
def chatty(text: str) -> str:
    print(f"print {text}")
    os.write(1, f"write {text}\\n".encode())
    subprocess.run([sys.executable, "-c", f"print('child {text}')"], check=True)
    return text


@tool
def listen() -> str:
    return sys.stdin.read()


@tool
def tenant_of(tenant: Annotated[str, Injected()]) -> int:
    return len(tenant)


@tool
def wait() -> None:
    os.write(1, b"waiting\\n")
    time.sleep(60)
'''

CONFIG = """
python: [shop]
inject:
  tenant: {env: SHOP_TENANT, default: t-1234}
"""


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Shop:
    """A folder with a configuration, and the command run in it."""

    folder: Path
    capture: pytest.CaptureFixture[str]

    def write(self, name: str, text: str | bytes) -> str:
        data = text.encode() if isinstance(text, str) else text
        (self.folder / name).write_bytes(data)
        return name

    def calls(self, *requests: Any) -> str:
        lines = [one if isinstance(one, str) else json.dumps(one) for one in requests]
        return self.write("calls.jsonl", "".join(f"{line}\n" for line in lines))

    def read(self, name: str = "out.jsonl") -> list[Any]:
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        pipes: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return subprocess.Popen(
            [*COMMAND, *arguments], cwd=self.folder, env=environment(), **(pipes | options)
        )

    def isonomy(self, *arguments: str) -> Ended:
        """Run the command in this process, which is quicker."""
        self.capture.readouterr()
        before = sys.path[:]
        importlib.invalidate_caches()
        try:
            with contextlib.chdir(self.folder), pytest.raises(SystemExit) as ended:
                app(arguments)
        finally:
            sys.path[:] = before
            for name, module in list(sys.modules.items()):
                if str(getattr(module, "__file__", None)).startswith(str(self.folder)):
                    del sys.modules[name]
        code = ended.value.code
        assert isinstance(code, int)
        return Ended(code, *self.capture.readouterr())

    def process(self, *arguments: str, stdin: str = "") -> Ended:
        """Run the command in its own process, with its own streams."""
        started = self.start(*arguments, stdin=subprocess.PIPE)
        rest, told = started.communicate(stdin.encode(), timeout=HANG)
        return Ended(started.returncode, rest.decode(), told.decode())

    @staticmethod
    def request(*calls: Any, id: str | None = "r") -> dict[str, Any]:  # noqa: A002
        """Return a request event of calls given as a name, or as a name and arguments."""
        pairs = [call if isinstance(call, tuple) else (call, None) for call in calls]
        listed = [{"tool": tool, "arguments": arguments} for tool, arguments in pairs]
        return {"event": "tool_request", "id": id, "calls": listed}

    @staticmethod
    def statuses(event: dict[str, Any]) -> list[str]:
        """Return the kind of each failure in a response event, and `success` of what succeeded."""
        responses = [record["response"] for record in event["records"]]
        return [
            response["error"]["kind"] if response["status"] == "failure" else "success"
            for response in responses
        ]

    @staticmethod
    def finish(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
        """Wait for the end; return the exit code and what is left of stdout and stderr."""
        rest, told = process.communicate(timeout=HANG)
        return process.returncode, rest, told


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONWARNINGS": "error"}


@pytest.fixture
def shop(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Shop:
    made = Shop(tmp_path, capfd)
    made.write("shop.py", TOOLS)
    made.write("isonomy.yaml", CONFIG)
    return made
