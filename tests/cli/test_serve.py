# SPDX-License-Identifier: Apache-2.0
"""The command that serves: a process of its own, talked to by hand and by our own client."""

from __future__ import annotations

import http.client
import json
import os
import pty
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import COMMAND, HANG, Shop, environment
from tests.java_classes import compile_java, javac

from isonomy import ToolExecutor, mcp_server
from isonomy.bridge.machine import JAR
from isonomy.mcp import McpServer

SCRIPTED = Path(__file__).parents[1] / "mcp" / "scripted.py"
TOOLS = '''
import asyncio
import os
import sys
import threading
import time
from datetime import datetime, timezone
from decimal import Decimal
from typing import Annotated, Any

from isonomy import Block, Injected, ToolContext, ToolFailed, ToolResponse, tool

VALUES = {
    "text": "hello",
    "empty": "",
    "null": None,
    "integer": 12345678901234567890,
    "float": 5.0,
    "true": True,
    "list": [1, "a", None],
    "object": {"n": 6},
    "bytes": b"raw",
    "decimal": Decimal("0.10"),
    "nan": float("nan"),
    "datetime": {"at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)},
    "set": {1},
    "tag": {"$iso:bytes": "AA=="},
    "looks": {"isError": True, "error": {"kind": "internal"}},
    "surrogate": "a\\ud800b",
}


@tool
def value(of: str) -> Any:
    """Return a value."""
    return VALUES[of]


@tool
def refuse() -> ToolResponse:
    return ToolResponse.error("no stock", code="STOCK", details={"left": Decimal("0.5")},
                              retryable=True, retry_after_ms=5)


@tool
def give_up() -> None:
    raise ToolFailed("declined", code=7, content=["see", Block.image(b"hi", "image/png")])


@tool
def crash() -> None:
    try:
        {}["k"]
    except KeyError as missing:
        raise ValueError("hunter2") from missing


@tool(deadline=0.1)
def late() -> None:
    time.sleep(2)


@tool
def shown() -> ToolResponse:
    return ToolResponse.success({"n": 1}, content=["one", Block("chart", {"points": [1]})],
                                meta={"a": [Decimal("1.0")], "dev.isonomy/error": {"kind": "x"}})


@tool
def tenant_of(tenant: Annotated[str, Injected()]) -> int:
    return len(tenant)


@tool
def chatty(text: str) -> str:
    print(f"print {text}")
    os.write(1, f"write {text}\\n".encode())
    return text + sys.stdin.read()


@tool
def steps(context: ToolContext) -> str:
    for step in range(3):
        context.progress(step + 1, 3, f"step {step + 1}")
    return "done"


@tool
async def asteps(context: ToolContext) -> str:
    context.progress(1)
    return "done"


BARRIER = threading.Barrier(20)


@tool
def meet(n: int) -> int:
    BARRIER.wait(30)
    return n


@tool
def wait(context: ToolContext) -> None:
    cancelled = threading.Event()
    context.on_cancel(cancelled.set)
    os.write(2, b"waiting\\n")
    cancelled.wait(30)
    os.write(2, b"cancelled\\n")


@tool
async def await_it() -> None:
    os.write(2, b"waiting\\n")
    try:
        await asyncio.sleep(30)
    finally:
        os.write(2, b"cancelled\\n")


@tool
def big(size: int) -> str:
    return "x" * size
'''
CONFIG = f"""
python: [served]
mcp:
- name: scripted
  command: [{sys.executable}, {SCRIPTED}, log]
  tools: [is_error, rpc_error, die, text, progress, echo]
inject:
  tenant: {{value: t-1234}}
"""


class Serving:
    """A process that serves; what it says is read by threads, so that nothing waits for ever."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.told: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._seen: list[str] = []
        self.lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._threads = [
            self._reading(process.stderr, lambda line: self.told.put(line.decode().strip())),
        ]
        if process.stdout is not None:
            self._threads.append(self._reading(process.stdout, self.lines.put))

    @staticmethod
    def _reading(stream: Any, put: Callable[[bytes], None]) -> threading.Thread:
        def read() -> None:
            for line in stream:
                put(line)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def wait_for(self, text: str) -> str:
        """Wait for a line of stderr that holds a text, and give it."""
        while True:
            for line in self._seen:
                if text in line:
                    return line
            self._seen.append(self.told.get(timeout=HANG))

    def send(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def next(self) -> Any:
        return json.loads(self.lines.get(timeout=HANG))

    def ask(self, method: str, params: Any = None, number: Any = 1) -> Any:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        answer = self.next()
        assert answer["id"] == number
        return answer

    def end(self) -> int:
        """Wait for the end, and give the exit code."""
        code = self.process.wait(HANG)
        for thread in self._threads:
            thread.join(HANG)
        return code

    def said(self) -> list[str]:
        """Give the lines of stderr that came so far."""
        while not self.told.empty():
            self._seen.append(self.told.get())
        return self._seen


Start = Callable[..., Serving]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "served.py").write_text(TOOLS)
    (tmp_path / "isonomy.yaml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    started: list[Serving] = []

    def begin(*options: str, stdout: int = subprocess.PIPE, **env: str) -> Serving:
        process = subprocess.Popen(
            [*COMMAND, "serve", "isonomy.yaml", *options],
            cwd=folder,
            env=environment() | env,
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
        started.append(Serving(process))
        return started[-1]

    yield begin
    for each in started:
        each.process.kill()
        each.end()
        for stream in (each.process.stdin, each.process.stdout, each.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


def call(name: str, number: Any = 1, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def cancelled(number: Any) -> dict[str, Any]:
    method = "notifications/cancelled"
    return {"jsonrpc": "2.0", "method": method, "params": {"requestId": number}}


# The chain: our client, our server, and what that calls ------------------------------------------

CALLS: list[tuple[str, dict[str, Any]]] = [
    *(
        ("value", {"of": name})
        for name in (
            *("text", "empty", "null", "integer", "float", "true", "list", "object", "bytes"),
            *("decimal", "nan", "datetime", "set", "tag", "looks", "surrogate", "unknown"),
        )
    ),
    *((name, {}) for name in ("refuse", "give_up", "crash", "late", "shown", "tenant_of")),
    ("value", {"off": "x"}),
    ("no_such_tool", {}),
    *((name, {}) for name in ("is_error", "rpc_error", "die", "text")),
    ("echo", {"a": [1, {"b": None}]}),
]


def direct(folder: Path) -> Any:
    """Give the wire form of each call's response, called without a server between."""
    from isonomy.cli.config import load_config
    from isonomy.cli.toolbox import make_executor

    before, modules = sys.path[:], set(sys.modules)
    try:
        with make_executor(load_config(folder / "isonomy.yaml")) as executor:
            return [executor.call(name, arguments).to_wire() for name, arguments in CALLS]
    finally:
        sys.path[:] = before
        for name in set(sys.modules) - modules:
            if name == "served":
                del sys.modules[name]


def without_trace(wire: dict[str, Any]) -> dict[str, Any]:
    if "error" in wire:
        wire = {
            **wire,
            "error": {key: wire["error"][key] for key in wire["error"] if key != "trace"},
        }
    return wire


def client_of(start: Start, transport: str, *options: str) -> McpServer:
    if transport == "http":
        served = start("--http", "0", *options)
        url = served.wait_for("serving").rpartition(" ")[2]
        return mcp_server(url=url, name="served")
    command = [*COMMAND, "serve", "isonomy.yaml", *options]
    return mcp_server(command, name="served", env=environment())


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("disclose", ["trace", "message"])
def test_a_response_is_the_same_behind_a_server(
    start: Start, folder: Path, monkeypatch: pytest.MonkeyPatch, transport: str, disclose: str
) -> None:
    monkeypatch.chdir(folder)
    expected = direct(folder)
    with (
        client_of(start, transport, "--disclose", disclose) as tools,
        ToolExecutor(tools) as executor,
    ):
        got = [executor.call(name, arguments).to_wire() for name, arguments in CALLS]
    if disclose == "message":
        expected = list(map(without_trace, expected))
    else:
        assert any("trace" in each.get("error", {}) for each in got)
    pairs = zip(CALLS, map(_normal, got), map(_normal, expected), strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2]] == []


def _normal(wire: dict[str, Any]) -> Any:
    """Give what two processes say alike: traces name the places of threads and frames."""
    error = wire.get("error")
    if error is not None and error["kind"] in ("not_found", "invalid_arguments"):
        # said by the host itself, which speaks of a server's tool
        wire = {**wire, "error": {**error, "language": "any"}}
    if error is not None and "trace" in error:
        last = error["trace"].splitlines()[-1]
        wire = {**wire, "error": {**error, "trace": last}}
    return wire


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_an_exception_shows_its_type_and_no_more(
    start: Start, folder: Path, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    monkeypatch.chdir(folder)
    with client_of(start, transport) as tools, ToolExecutor(tools) as executor:
        assert executor.call("crash").to_wire()["error"] == {
            "kind": "exception",
            "message": "ValueError",
            "effect": "possible",
            "language": "python",
            "type": "ValueError",
        }


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_progress_comes_through(
    start: Start, folder: Path, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    from isonomy import ExecutionEvent, MemorySink

    monkeypatch.chdir(folder)
    for name, count in (("steps", 3), ("asteps", 1), ("progress", 3)):
        sink = MemorySink()
        with client_of(start, transport) as tools, ToolExecutor(tools, sinks=[sink]) as executor:
            assert executor.call(name).unwrap() == "done"
        events = [each for each in sink.events if isinstance(each, ExecutionEvent)]
        told = [each.progress.progress for each in events if each.progress is not None]
        assert told == list(range(1, count + 1))


# By standard streams ----------------------------------------------------------------------------


def test_what_tools_print_is_no_message(start: Start) -> None:
    served = start()
    answer = served.ask("tools/call", call("chatty", text="a")["params"])
    assert answer["result"]["content"] == [{"type": "text", "text": "a"}]
    served.wait_for("write a")
    assert served.ask("ping")["result"] == {}
    served.process.stdin.close()  # type: ignore[union-attr]
    assert served.end() == 0
    assert "print a" in served.said()
    assert served.lines.empty()


def test_injected_values_do_not_leave(start: Start) -> None:
    served = start()
    listed = json.dumps(served.ask("tools/list"))
    assert '"tenant_of"' in listed
    assert '"tenant"' not in listed
    assert "t-1234" not in listed
    asked = served.ask("tools/call", call("tenant_of")["params"])
    assert asked["result"]["content"][0]["text"] == "6"
    refused = served.ask("tools/call", call("tenant_of", tenant="mine")["params"])
    assert refused["result"]["structuredContent"]["kind"] == "invalid_arguments"
    assert "t-1234" not in json.dumps(refused)


def test_calls_run_side_by_side(start: Start) -> None:
    served = start()
    served.send(*[call("meet", number, n=number) for number in range(20)])
    answers = [served.next() for _ in range(20)]
    texts = {each["id"]: each["result"]["content"][0]["text"] for each in answers}
    assert texts == {number: str(number) for number in range(20)}


@pytest.mark.parametrize("name", ["wait", "await_it"])
def test_a_cancelled_call_is_told_and_not_answered(start: Start, name: str) -> None:
    served = start()
    served.send(call(name, 5))
    served.wait_for("waiting")
    served.send(cancelled(5))
    served.wait_for("cancelled")
    assert served.ask("ping", None, 6)["result"] == {}


def test_a_cancel_right_behind_a_call(start: Start) -> None:
    """CASES C11: at most one answer for each id, and the server goes on."""
    served = start()
    for number in range(100):
        served.send(call("value", number, of="text"), cancelled(number))
    served.send(call("value", "last", of="text"))
    seen = []
    while "last" not in seen:
        seen.append(served.next()["id"])
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("name", ["wait", "await_it"])
@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "EOF", "gone"])
def test_the_end_cancels_what_runs(start: Start, name: str, how: str) -> None:
    reading, writing = os.pipe()
    served = start(stdout=writing)
    os.close(writing)
    served.send(call(name, 5))
    served.wait_for("waiting")
    if how.startswith("SIG"):
        served.process.send_signal(getattr(signal, how))
    elif how == "EOF":
        served.process.stdin.close()  # type: ignore[union-attr]
    else:
        os.close(reading)
        served.send({"jsonrpc": "2.0", "id": 6, "method": "ping"})
    served.wait_for("cancelled")
    assert served.end() == (130 if how == "SIGINT" else 0)
    if how != "gone":
        assert os.read(reading, 1) == b""
        os.close(reading)
    assert not [line for line in served.said() if "Traceback" in line]


def test_ten_thousand_requests_at_once(start: Start) -> None:
    served = start()
    asked = [json.dumps(call("value", number, of="text")) for number in range(10_000)]
    threading.Thread(target=served.send, args=("\n".join(asked).encode(),), daemon=True).start()
    ids = {served.next()["id"] for _ in asked}
    assert ids == set(range(10_000))


def test_streams_that_do_not_block(folder: Path) -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    ours.settimeout(HANG)
    process = subprocess.Popen(
        [*COMMAND, "serve", "isonomy.yaml"],
        cwd=folder,
        env=environment(),
        stdin=theirs.fileno(),
        stdout=theirs.fileno(),
    )
    theirs.close()
    with ours, ours.makefile("rb") as answers:
        for number, size in enumerate([10, 3_000_000, 10, 3_000_000]):
            ours.sendall(json.dumps(call("big", number, size=size)).encode() + b"\n")
        sizes = {}
        for _ in range(4):
            answer = json.loads(answers.readline())
            sizes[answer["id"]] = len(answer["result"]["content"][0]["text"])
    assert sizes == {0: 10, 1: 3_000_000, 2: 10, 3: 3_000_000}
    assert process.wait(HANG) == 0


def test_what_is_asked_before_the_end_is_answered(folder: Path) -> None:
    asked = [call("value", number, of="text") for number in range(50)]
    done = subprocess.run(
        [*COMMAND, "serve", "isonomy.yaml"],
        cwd=folder,
        env=environment(),
        input="\n".join(map(json.dumps, asked)).encode(),
        capture_output=True,
        timeout=HANG,
        check=True,
    )
    assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == list(range(50))


def test_lines_that_are_no_messages(start: Start) -> None:
    served = start()
    served.send(b"", b"  ", b"\xef\xbb\xbf" + json.dumps(call("value", 1, of="text")).encode())
    assert served.next()["result"]["isError"] is False
    for line, code in [
        (b"hello", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b'{"a": NaN}', -32700),
    ]:
        served.send(line)
        answer = served.next()
        assert (answer["id"], answer["error"]["code"]) == (None, code)
    served.send(b'{"jsonrpc": "2.0", "id": 4, "method": "ping", "x": "' + b"y" * (17 << 20) + b'"}')
    answer = served.next()
    assert (answer["id"], answer["error"]["code"]) == (4, -32600)
    assert served.ask("ping")["result"] == {}


def test_a_client_that_does_not_read(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "serve", "isonomy.yaml"],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(20):
        line = json.dumps(call("big", number, size=1_000_000)) + "\n"
        process.stdin.write(line.encode())
    process.stdin.flush()
    ids = {json.loads(process.stdout.readline())["id"] for _ in range(20)}
    assert ids == set(range(20))
    process.stdin.write((json.dumps(call("big", 1, size=1_000_000)) + "\n").encode())
    process.stdin.flush()
    process.stdin.close()
    assert process.wait(HANG) == 0  # though nobody has read the last answer
    process.stdout.close()


# By HTTP ----------------------------------------------------------------------------------------


class Http:
    def __init__(self, served: Serving) -> None:
        self.url = served.wait_for("serving").rpartition(" ")[2]
        found = re.fullmatch(r"http://(.*):(\d+)/mcp", self.url)
        assert found is not None
        self.host, self.port = found[1].strip("[]"), int(found[2])
        self.session: str | None = None

    def post(self, message: Any, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=HANG)
        given = {"Content-Type": "application/json", **headers}
        if self.session is not None:
            given["Mcp-Session-Id"] = self.session
        try:
            connection.request("POST", "/mcp", json.dumps(message), given)
            reply = connection.getresponse()
            self.session = reply.getheader("Mcp-Session-Id", self.session)
            body = reply.read()
        finally:
            connection.close()
        return reply.status, json.loads(body) if body else None

    def begin(self, **headers: str) -> int:
        params = {"protocolVersion": "2025-11-25"}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        return self.post(message, **headers)[0]


def test_a_call_by_http(start: Start) -> None:
    served = start("--http", "127.0.0.1:0")
    web = Http(served)
    assert web.begin() == 200
    status, answer = web.post(call("value", 3, of="object"))
    assert (status, answer["id"]) == (200, 3)
    assert answer["result"]["structuredContent"] == {"n": 6}
    served.process.send_signal(signal.SIGTERM)
    assert served.end() == 0
    assert len(served.said()) == 1


def test_a_token_is_asked_for(start: Start) -> None:
    served = start("--http", "0", "--token-env", "SERVE_TOKEN", SERVE_TOKEN="s3cret")
    web = Http(served)
    assert web.begin() == 401
    assert web.begin(Authorization="Bearer nope") == 401
    assert web.begin(Authorization="Bearer s3cret") == 200
    headers = {"Authorization": "Bearer s3cret"}
    with mcp_server(url=web.url, headers=headers) as tools, ToolExecutor(tools) as executor:
        assert executor.call("value", {"of": "text"}).unwrap() == "hello"
    served.process.send_signal(signal.SIGINT)
    assert served.end() == 130
    assert not [line for line in served.said() if "s3cret" in line]


def test_what_the_configuration_says(start: Start, folder: Path) -> None:
    more = "serve: {token: {env: T}, origins: ['https://app.example'], hosts: [tools.example]}\n"
    (folder / "isonomy.yaml").write_text(CONFIG + more)
    served = start("--http", "0", T="s3cret")
    web = Http(served)
    token = {"Authorization": "Bearer s3cret"}
    assert web.begin() == 401
    assert web.begin(**token, Origin="https://app.example") == 200
    assert web.begin(**token, Origin="https://evil.example") == 403
    assert web.begin(**token, Host="tools.example") == 200
    assert web.begin(**token, Host="evil.example") == 403


@pytest.mark.parametrize("name", ["wait", "await_it"])
@pytest.mark.parametrize("progress", [False, True])
def test_a_client_that_leaves_cancels_its_call(start: Start, name: str, progress: bool) -> None:
    served = start("--http", "0")
    web = Http(served)
    web.begin()
    message = call(name)
    if progress:
        message["params"]["_meta"] = {"progressToken": 1}
    connection = http.client.HTTPConnection(web.host, web.port, timeout=HANG)
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Mcp-Session-Id": str(web.session),
    }
    connection.request("POST", "/mcp", json.dumps(message), headers)
    served.wait_for("waiting")
    connection.close()
    served.wait_for("cancelled")
    assert web.post(call("value", of="text"))[0] == 200


@pytest.mark.parametrize("name", ["wait", "await_it"])
def test_the_end_cancels_what_runs_by_http(start: Start, name: str) -> None:
    served = start("--http", "0")
    web = Http(served)
    web.begin()
    connection = http.client.HTTPConnection(web.host, web.port, timeout=HANG)
    headers = {"Content-Type": "application/json", "Mcp-Session-Id": str(web.session)}
    connection.request("POST", "/mcp", json.dumps(call(name)), headers)
    served.wait_for("waiting")
    served.process.send_signal(signal.SIGTERM)
    served.wait_for("cancelled")
    assert served.end() == 0
    assert not [line for line in served.said() if "Traceback" in line]
    connection.close()


# Mistakes ---------------------------------------------------------------------------------------


def refused(shop: Shop, *options: str) -> str:
    shop.write("isonomy.yaml", "python: [shop]\ninject: {tenant: {value: t}}\n")
    ended = shop.isonomy("serve", "isonomy.yaml", *options)
    assert ended.returncode == 2
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--http", "x"], "--http is [HOST:]PORT, such as 8000 or 0.0.0.0:8000, not x"),
        (["--http", "70000"], "--http is [HOST:]PORT"),
        (["--http", "::1:80"], "an IPv6 address is put in brackets"),
        (["--http", "no-such-host.invalid:80"], "the host no-such-host.invalid, which is not"),
        (["--http", "0.0.0.0:0"], "so it needs a token; name the variable"),
        (["--http", "[::]:0"], "so it needs a token"),
        (["--http", "0", "--token-env", "NO_SUCH"], "the variable NO_SUCH, which is not set"),
        (["--token-env", "NO_SUCH"], "--token-env is for --http"),
        (["--http", "192.0.2.1:0", "--token-env", "PATH"], "; give an address of this machine"),
    ],
)
def test_mistakes(shop: Shop, options: list[str], said: str) -> None:
    assert said in refused(shop, *options)


def test_a_token_that_no_header_can_hold(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVE_TOKEN", "hunter2 é")
    said = refused(shop, "--http", "0", "--token-env", "SERVE_TOKEN")
    assert "printable ASCII" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("5", 'serve must be a mapping of "key: value" lines'),
        ("{tokn: x}", 'serve.tokn is no known key; did you mean "token"?'),
        ("{token: 5}", "serve.token must be a text, {value: VALUE} or {env: VARIABLE}"),
        ("{token: {evn: X}}", 'serve.token.evn is no known key; did you mean "env"?'),
        ("{token: {}}", 'serve.token needs either "value", or "env"'),
        ("{token: {env: NO_SUCH}}", 'serve.token needs the environment variable "NO_SUCH"'),
        ("{token: {value: 5}}", "serve.token must be text; put it in quotes"),
        ("{token: hunter2 x}", "serve.token cannot be used: the token of a server has no spaces"),
        ("{origins: x}", "serve.origins must be a list"),
        ("{origins: [app.example]}", "serve.origins[0] must be a scheme and a host, such as"),
        ("{hosts: [a, 'http://b']}", "serve.hosts[1] must be a name without scheme and port"),
    ],
)
def test_mistakes_in_the_configuration(shop: Shop, section: str, said: str) -> None:
    shop.write(
        "isonomy.yaml", f"python: [shop]\ninject: {{tenant: {{value: t}}}}\nserve: {section}"
    )
    ended = shop.isonomy("serve", "isonomy.yaml", "--http", "0")
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"isonomy.yaml:3: {said}")
    assert "hunter2" not in ended.stderr


def test_a_port_that_is_taken(shop: Shop) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(shop, "--http", str(port))
    assert said == (
        f"--http {port}: cannot listen there: Address already in use; give another port, or 0 for"
        " any that is free"
    )


def test_uvicorn_is_missing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "isonomy.cli.patient", raising=False)
    assert refused(shop, "--http", "0") == (
        "serve --http needs its extra: pip install 'isonomy[serve]'"
    )


def test_a_closed_stream(folder: Path) -> None:
    for closing in ("<&-", ">&-"):
        command = [*COMMAND, "serve", "isonomy.yaml"]
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closing}', "sh", *command],
            cwd=folder,
            env=environment(),
            capture_output=True,
            timeout=HANG,
            check=False,
        )
        assert done.returncode == 2
        assert b"is closed" in done.stderr


def test_a_person_is_told_what_it_waits_for(folder: Path) -> None:
    ours, theirs = pty.openpty()
    served = subprocess.Popen(
        [*COMMAND, "serve", "isonomy.yaml"],
        cwd=folder,
        env=environment(),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    os.write(ours, b"\x04")
    printed, told = served.communicate(timeout=HANG)
    os.close(ours)
    assert re.match(rb"serving \d+ tools on stdin and stdout, for an MCP client", told)
    assert (served.returncode, printed) == (0, b"")


def test_the_environment_is_not_needed(folder: Path) -> None:
    """A client may start it with next to nothing."""
    done = subprocess.run(
        [*COMMAND, "serve", "isonomy.yaml"],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        input=json.dumps(call("value", of="text")).encode(),
        capture_output=True,
        timeout=HANG,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == "hello"


# Java -------------------------------------------------------------------------------------------

DEEP = """
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Tool;
import java.math.BigDecimal;

public final class Deep {
    @Tool
    public static void fail() {
        System.out.println("out of Java");
        RuntimeException middle = new RuntimeException("middle", new Error("inner"));
        throw new IllegalStateException("outer", middle);
    }

    @Tool
    public static ToolResponse decline() {
        return ToolResponse.failure("not today").code("LATER").details(amount()).build();
    }

    @Tool
    public static BigDecimal amount() {
        return new BigDecimal("0.10");
    }
}
"""


@pytest.mark.skipif(javac() is None or not JAR.is_file(), reason="no JDK, or no Java core")
def test_java_tools_behind_a_server(shop: Shop, start: Start, folder: Path) -> None:
    shop.write("Deep.java", DEEP)
    (folder / "classes").mkdir()
    compile_java([folder / "Deep.java"], folder / "classes")
    shop.write("isonomy.yaml", "java: [Deep]\nclasspath: [classes]\n")
    names = ["fail", "decline", "amount"]
    ran = shop.process("run", "isonomy.yaml", shop.calls(shop.request(*names)))
    expected = [record["response"] for record in json.loads(ran.stdout)["records"]]
    assert [cause["message"] for cause in expected[0]["error"]["causes"]] == ["middle", "inner"]
    served = start("--http", "0", "--disclose", "trace")
    url = served.wait_for("serving").rpartition(" ")[2]
    with mcp_server(url=url) as tools, ToolExecutor(tools) as executor:
        got = [executor.call(name).to_wire() for name in names]
    assert list(map(_normal, got)) == list(map(_normal, expected))
    served.wait_for("out of Java")
