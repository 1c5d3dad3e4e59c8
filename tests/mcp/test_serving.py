# SPDX-License-Identifier: Apache-2.0
"""Our own MCP server, message by message (clauses 14.23 to 14.29)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isonomy import ToolExecutor, ToolResponse, mcp_server, tool
from isonomy.contract.call import ToolCall
from isonomy.mcp.served import LATEST, STATELESS
from isonomy.mcp.serving import BATCHES, REVISIONS, VERSION, Conversation, ToolService
from isonomy.tools.context import Progress
from tests.mcp.conftest import SCRIPTED, Start

HANG = 30


@tool
def double(n: int) -> int:
    """Double a number."""
    return 2 * n


class Client:
    """Talks to a service, and keeps what it is told before answers."""

    def __init__(self, service: ToolService) -> None:
        self.conversation = Conversation(service)
        self.told: list[Any] = []

    async def send(self, message: Any) -> Any:
        async with asyncio.timeout(HANG):
            return await self.conversation.answer(message, self.told.append)

    async def ask(self, method: str, params: Any = None, number: Any = 1) -> Any:
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        answer = await self.send(message if params is None else message | {"params": params})
        if answer is not None:
            assert answer["jsonrpc"] == "2.0"
            assert answer["id"] == number
        return answer

    async def result(self, method: str, params: Any = None) -> Any:
        return (await self.ask(method, params))["result"]

    async def code(self, method: str, params: Any = None) -> int:
        code: int = (await self.ask(method, params))["error"]["code"]
        return code

    async def call(self, name: str, arguments: Any = None, **meta: Any) -> Any:
        return await self.result(
            "tools/call", {"name": name, "arguments": arguments, "_meta": meta}
        )


@pytest.fixture
def client() -> Any:
    with ToolExecutor([double]) as executor:

        async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
            return await executor.acall(one.tool, one.arguments)

        yield Client(ToolService(executor.tools, call))


Calling = Callable[[ToolCall, Progress | None], Any]


def serving(call: Calling) -> Client:
    return Client(ToolService([], call))


# Sessions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_a_session_has_the_revision_that_is_asked_for(client: Client, revision: str) -> None:
    told = await client.result("initialize", {"protocolVersion": revision})
    assert told["protocolVersion"] == revision
    assert told["capabilities"] == {"tools": {}}
    assert told["serverInfo"]["name"] == "isonomy"


@pytest.mark.parametrize("revision", ["2023-01-01", "2026-07-28", "", "draft"])
async def test_another_revision_gets_the_newest(client: Client, revision: str) -> None:
    told = await client.result("initialize", {"protocolVersion": revision})
    assert told["protocolVersion"] == "2025-11-25"


async def test_what_a_session_has_no_use_for(client: Client) -> None:
    assert await client.send({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert await client.send({"jsonrpc": "2.0", "method": "notifications/odd"}) is None
    assert await client.send({"jsonrpc": "2.0", "id": 3, "result": {}}) is None
    assert await client.send({"jsonrpc": "2.0", "id": 3, "error": {"code": 1}}) is None
    assert await client.result("ping") == {}
    for method in ("resources/list", "prompts/list", "server/discover", "subscriptions/listen", ""):
        assert await client.code(method) == -32601


async def test_no_session_is_needed_by_the_newest_revision(client: Client) -> None:
    meta = {VERSION: STATELESS, "io.modelcontextprotocol/clientCapabilities": {}}
    told = await client.result("server/discover", {"_meta": meta})
    assert told["supportedVersions"] == list(REVISIONS)
    assert told["resultType"] == "complete"
    assert told["capabilities"] == {"tools": {}}
    listed = await client.result("tools/list", {"_meta": meta})
    assert listed["resultType"] == "complete"
    assert [each["name"] for each in listed["tools"]] == ["double"]
    called = await client.result(
        "tools/call", {"name": "double", "arguments": {"n": 2}, "_meta": meta}
    )
    assert called == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "4"}],
        "isError": False,
        "structuredContent": 4,
        "_meta": {"dev.isonomy/response": {"added": 1}},
    }
    for method in ("initialize", "ping"):
        assert await client.code(method, {"_meta": meta}) == -32601


@pytest.mark.parametrize(
    ("revision", "code"), [("2027-01-01", -32022), ("2025-11-25", -32022), (7, -32602)]
)
async def test_a_revision_that_nobody_knows(client: Client, revision: Any, code: int) -> None:
    error = (await client.ask("tools/list", {"_meta": {VERSION: revision}}))["error"]
    assert error["code"] == code
    if code == -32022:
        assert error["data"] == {"supported": list(REVISIONS), "requested": revision}


async def test_a_stream_of_news_begins_and_ends() -> None:
    service = ToolService([], _never)
    client = Client(service)
    listening = asyncio.create_task(
        client.ask(
            "subscriptions/listen", {"_meta": {VERSION: STATELESS}, "notifications": {}}, "s"
        )
    )
    await asyncio.sleep(0.01)
    meta = {"io.modelcontextprotocol/subscriptionId": "s"}
    assert client.told == [
        {
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {"notifications": {}, "_meta": meta},
        }
    ]
    service.end()
    assert (await listening)["result"] == {"resultType": "complete", "_meta": meta}


# Tools ------------------------------------------------------------------------------------------


async def test_the_tools_are_listed(client: Client) -> None:
    listed = await client.result("tools/list")
    assert listed == {
        "tools": [
            {
                "name": "double",
                "description": "Double a number.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"n": {"type": "integer"}},
                    "required": ["n"],
                    "additionalProperties": False,
                },
            }
        ]
    }


async def test_many_tools_are_listed_in_pages() -> None:
    def numbered(number: int) -> Any:
        def body() -> int:
            return number

        return tool(name=f"t{number}")(body)

    tools = ToolExecutor([numbered(number) for number in range(2_500)]).tools
    client = Client(ToolService(tools, _never))
    names: list[str] = []
    cursor = None
    pages = 0
    while pages == 0 or cursor is not None:
        page = await client.result("tools/list", {"cursor": cursor} if cursor else {})
        names += [each["name"] for each in page["tools"]]
        cursor = page.get("nextCursor")
        pages += 1
    assert pages == 3
    assert names == [f"t{number}" for number in range(2_500)]


@pytest.mark.parametrize("cursor", ["", "x", "-1", "0", "1", "99999999999", 7, ["1"], "²"])
async def test_a_cursor_that_nobody_gave(client: Client, cursor: Any) -> None:
    assert await client.code("tools/list", {"cursor": cursor}) == -32602


async def test_a_tool_of_another_server_is_told_of_as_it_told(start: Start) -> None:
    scripted = start()
    told = {
        "title": "T",
        "annotations": {"readOnlyHint": True},
        "outputSchema": {"type": "object"},
        "icons": [{"src": "data:,"}],
        "_meta": {"a/b": [1]},
    }
    echo = scripted.server[0]
    echo.told = {**told, "execution": {"taskSupport": "required"}, "odd": 1}  # type: ignore[attr-defined]
    client = Client(ToolService([echo], _never))
    (entry,) = (await client.result("tools/list"))["tools"]
    assert {name: entry[name] for name in told} == told
    assert entry.keys() == told.keys() | {"name", "description", "inputSchema"}


async def test_a_server_that_was_down_at_first(tmp_path: Path) -> None:
    script = tmp_path / "later.py"
    server = mcp_server([sys.executable, str(script), str(tmp_path / "log")], tools=["echo"])
    with server, ToolExecutor(server) as executor:
        client = Client(ToolService(executor.tools, _never))
        (entry,) = (await client.result("tools/list"))["tools"]
        assert entry == {"name": "echo", "description": "", "inputSchema": {"type": "object"}}
        script.write_text(SCRIPTED.read_text())
        async with asyncio.timeout(HANG):
            while executor.call("echo").error is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.1)  # it is tried again a second later
        (entry,) = (await client.result("tools/list"))["tools"]
        assert entry["description"] == "echo"


# Calls ------------------------------------------------------------------------------------------


async def test_every_call_has_a_result(client: Client) -> None:
    assert (await client.call("double", {"n": 4}))["content"] == [{"type": "text", "text": "8"}]
    for name, arguments, kind in [
        ("nope", {}, "not_found"),
        ("", {}, "not_found"),
        ("double", None, "invalid_arguments"),
        ("double", {"n": "x"}, "invalid_arguments"),
        ("double", [1], "invalid_arguments"),
        ("double", 7, "invalid_arguments"),
        ("double", {"n": 1, "m": 2}, "invalid_arguments"),
    ]:
        result = await client.call(name, arguments)
        assert result["isError"] is True
        assert result["structuredContent"]["kind"] == kind
        assert result["_meta"]["dev.isonomy/error"]["kind"] == kind


@pytest.mark.parametrize("params", [None, {}, {"name": None}, {"name": 7}, {"name": ["double"]}])
async def test_a_call_of_nothing(client: Client, params: Any) -> None:
    assert await client.code("tools/call", params) == -32602


@pytest.mark.parametrize("params", [[], ["double"], "double", 7, True])
async def test_parameters_that_are_none(client: Client, params: Any) -> None:
    assert await client.code("tools/call", params) == -32602


@pytest.mark.parametrize("number", [0, -1, 10**30, "", "a", "é\ud800", 2**63])
async def test_ids_come_back_as_they_are(client: Client, number: Any) -> None:
    assert (await client.ask("ping", None, number))["result"] == {}


@pytest.mark.parametrize("number", [None, 1.5, 1.0, True, [], {}])
async def test_ids_that_are_none(client: Client, number: Any) -> None:
    answer = await client.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
    assert answer["id"] is None
    assert answer["error"]["code"] == -32600


@pytest.mark.parametrize(
    "message",
    [
        *(None, 7, "ping", {}, [], {"method": "ping"}, {"jsonrpc": "2.0"}),
        *({"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "1.0", "id": 1, "method": "ping"}),
        {"jsonrpc": "2.0", "id": 1, "method": 7},
    ],
)
async def test_what_is_no_request(client: Client, message: Any) -> None:
    assert (await client.send(message))["error"]["code"] == -32600


async def test_an_id_that_is_in_use() -> None:
    ready, go = asyncio.Event(), asyncio.Event()

    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        ready.set()
        await go.wait()
        return ToolResponse.success("first")

    client = serving(call)
    first = asyncio.create_task(client.call("t"))
    await ready.wait()
    second = await client.send(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}
    )
    assert second["id"] is None
    assert second["error"]["code"] == -32600
    assert (await client.ask("ping", None, "1"))["result"] == {}
    go.set()
    assert (await first)["content"][0]["text"] == "first"
    assert (await client.call("t"))["content"][0]["text"] == "first"


async def test_calls_run_side_by_side() -> None:
    here = 0
    all_here = asyncio.Event()

    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        nonlocal here
        here += 1
        if here == 10_000:
            all_here.set()
        await all_here.wait()
        return ToolResponse.success(one.arguments)

    client = serving(call)
    asked = [
        client.ask("tools/call", {"name": "t", "arguments": {"n": number}}, number)
        for number in range(10_000)
    ]
    answers = await asyncio.gather(*asked)
    got = [each["result"]["structuredContent"]["n"] for each in answers]
    assert got == list(range(10_000))


async def test_a_server_that_breaks_says_no_more_than_that() -> None:
    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        raise RuntimeError("secret")

    answer = await serving(call).ask("tools/call", {"name": "t"})
    assert answer["error"] == {"code": -32603, "message": "Internal error"}


async def test_content_that_cannot_be_told() -> None:
    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        return ToolResponse.success(1, meta={"m": 10**5_000})

    result = await serving(call).call("t")
    assert result["isError"] is True
    assert result["structuredContent"]["kind"] == "too_large"


# Cancellation and progress ----------------------------------------------------------------------


def cancelled(number: Any, **more: Any) -> dict[str, Any]:
    params = {"requestId": number, **more}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


async def test_a_call_that_is_cancelled_is_not_answered() -> None:
    ready = asyncio.Event()
    ends: list[str] = []

    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        ready.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise
        raise AssertionError

    client = serving(call)
    running = asyncio.create_task(client.ask("tools/call", {"name": "t"}, 7))
    await ready.wait()
    for number in ("7", 8, None, 7.0, True, [7]):
        assert await client.send(cancelled(number)) is None
    assert ends == []
    assert await client.send(cancelled(7, reason="enough")) is None
    assert await running is None
    assert ends == ["cancelled"]
    assert client.conversation.is_idle


async def test_a_cancel_behind_the_end_changes_nothing() -> None:
    """CASES C11: the answer is given once, however close the notice comes."""
    go = asyncio.Event()

    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        await go.wait()
        return ToolResponse.success("done")

    answer = None
    for hops in range(8):
        client = serving(call)
        running = asyncio.create_task(client.ask("tools/call", {"name": "t"}, 7))
        await asyncio.sleep(0)
        go.set()
        for _ in range(hops):
            await asyncio.sleep(0)
        await client.send(cancelled(7))
        answer = await running
        assert answer is None or answer["result"]["content"][0]["text"] == "done"
        assert client.conversation.is_idle
        go.clear()
    assert answer is not None


async def test_the_end_of_a_client_cancels_its_calls() -> None:
    ready, gone = asyncio.Event(), asyncio.Event()

    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        ready.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()
        raise AssertionError

    client = serving(call)
    running = asyncio.create_task(client.ask("tools/call", {"name": "t"}))
    await ready.wait()
    running.cancel()
    await asyncio.wait((running,))
    assert running.cancelled()
    assert gone.is_set()


async def test_progress_is_told_before_the_answer() -> None:
    reports: list[Progress] = []

    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        assert progress is not None
        reports.append(progress)
        progress(1, None, None)
        await asyncio.to_thread(progress, 2.5, 3, "two")
        return ToolResponse.success(None)

    client = serving(call)
    await client.call("t", progressToken="p")
    reports[0](3, 3, "late")
    await asyncio.sleep(0.01)
    assert client.told == [
        {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": "p", **more},
        }
        for more in ({"progress": 1}, {"progress": 2.5, "total": 3, "message": "two"})
    ]


@pytest.mark.parametrize("token", [None, 1.5, True, [1], {}])
async def test_a_token_that_is_none(token: Any) -> None:
    async def call(one: ToolCall, progress: Progress | None) -> ToolResponse:
        assert progress is None
        return ToolResponse.success("ok")

    assert (await serving(call).call("t", progressToken=token))["isError"] is False


# Batches ----------------------------------------------------------------------------------------

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTICE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


async def test_batches_are_taken_by_the_one_revision_that_has_them(client: Client) -> None:
    await client.result("initialize", {"protocolVersion": BATCHES})
    call = {**PING, "id": 2, "method": "tools/call", "params": {"name": "double"}}
    answers = await client.send([PING, NOTICE, call, 7])
    assert [each["id"] for each in answers] == [1, 2, None]
    assert answers[2]["error"]["code"] == -32600
    assert await client.send([NOTICE]) is None
    assert (await client.send([]))["error"]["code"] == -32600


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", LATEST])
async def test_batches_are_refused_otherwise(client: Client, revision: str) -> None:
    await client.result("initialize", {"protocolVersion": revision})
    assert (await client.send([PING]))["error"]["code"] == -32600


async def _never(one: ToolCall, progress: Progress | None) -> ToolResponse:
    raise AssertionError
