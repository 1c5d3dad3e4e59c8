# SPDX-License-Identifier: Apache-2.0
"""Java tools as a Python host sees them: what they are, and how their calls end (clauses 3, 10)."""

from __future__ import annotations

import asyncio
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.bridge.conftest import Load

from isonomy.bridge.jvm import java_tools
from isonomy.contract.call import ToolCall
from isonomy.contract.error import Cause, Effect, ErrorKind
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected
from isonomy.tools.tool import Invocation


def error_of(response: ToolResponse) -> Any:
    assert isinstance(response, ToolFailure), response
    return response.error


def test_a_tool_is_described(load: Load) -> None:
    tools = load("com.acme.Prices")
    quote = tools["quote"]
    assert (quote.language, quote.description, quote.version) == (
        "java",
        "The total of an order.",
        "2",
    )
    assert (quote.max_parallel, quote.deadline, quote.is_async) == (8, 60.0, False)
    schema = quote.input_schema
    assert schema["required"] == ["customer", "items"]
    assert schema["additionalProperties"] is False
    items = schema["properties"]["items"]
    assert items["description"] == "What is ordered."
    assert items["items"]["required"] == ["sku", "quantity"]
    assert tools["whoAsks"].injected == {
        "tenant": Injected("tenant", identity=True, secret=False),
        "limit": Injected("limit"),
    }
    assert set(tools["whoAsks"].input_schema["properties"]) == {"question"}
    assert list(tools) == sorted(tools)
    assert tools["refuse"].checks_results


def test_records_and_collections(executor: ToolExecutor) -> None:
    items = [{"sku": "a", "quantity": 3, "price": "0.10"}, {"sku": "b", "quantity": 2}]
    result = executor.call("quote", {"customer": "ü", "items": items}).unwrap()
    assert result == {"customer": "ü", "total": Decimal("2.30"), "skus": ["a", "b"]}


def test_arguments_as_text(executor: ToolExecutor) -> None:
    response = executor.call("refuse", '{"reason": "quota exceeded"}')
    assert error_of(response).message == "quota exceeded"


def test_returned_failure(executor: ToolExecutor) -> None:
    error = error_of(executor.call("refuse", {"reason": "quota exceeded"}))
    assert (error.kind, error.effect, error.language) == ("tool_error", "possible", "java")
    assert (error.message, error.code, error.retryable) == ("quota exceeded", "REFUSED", False)
    assert error.details == {"limit": 3}


def test_thrown_failure(executor: ToolExecutor) -> None:
    error = error_of(executor.call("giveUp", {"reason": "no stock"}))
    assert (error.kind, error.message) == ("tool_error", "no stock")


def test_exception_with_causes(executor: ToolExecutor) -> None:
    error = error_of(executor.call("fail", {"message": "no quote"}))
    assert (error.kind, error.effect, error.language) == ("exception", "possible", "java")
    assert (error.type, error.message) == ("java.lang.IllegalStateException", "no quote")
    assert error.causes == (
        Cause("java.lang.RuntimeException", "level 1", "java"),
        Cause("java.lang.IllegalArgumentException", "level 2", "java"),
        Cause("java.lang.NullPointerException", "level 3", "java"),
    )
    assert error.retryable is None
    assert error.trace.startswith("java.lang.IllegalStateException: no quote\n")
    assert "com.acme.Prices.fail" in error.trace
    assert "Caused by: java.lang.NullPointerException: level 3" in error.trace


def test_stage_is_awaited(executor: ToolExecutor) -> None:
    assert executor.call("later", {"number": 4}).unwrap() == 25
    error = error_of(executor.call("later", {"number": 0}))
    assert (error.kind, error.type) == ("exception", "java.lang.ArithmeticException")


def test_bad_arguments_are_refused_before_the_body(executor: ToolExecutor) -> None:
    error = error_of(executor.call("quote", {"customer": 1, "extra": 2}))
    assert (error.kind, error.effect) == ("invalid_arguments", "none")
    assert error.message == ("customer: expected string; extra: unknown argument; items: required")


def test_broken_argument_text(executor: ToolExecutor) -> None:
    error = error_of(executor.call("refuse", '{"reason": "'))
    assert (error.kind, error.effect) == ("invalid_arguments", "none")
    assert error.details == {
        "violations": [
            {"path": "arguments", "rule": "json", "message": "is not valid JSON"},
        ]
    }


def test_injection(executor: ToolExecutor) -> None:
    result = executor.call("whoAsks", {"question": "why"}).unwrap()
    assert result == {"question": "why", "tenant": "t-1", "limit": 5}


@pytest.mark.parametrize("name", ["tenant", "Ten-ant", "TENANT"])
def test_a_model_cannot_inject(executor: ToolExecutor, name: str) -> None:
    error = error_of(executor.call("whoAsks", {"question": "why", name: "evil"}))
    assert (error.kind, error.effect) == ("invalid_arguments", "none")
    assert error.message.endswith(": is set by the host")
    assert "evil" not in repr(error.details)


def test_a_missing_injected_value(load: Load) -> None:
    executor = ToolExecutor(load("com.acme.Prices").values(), inject={"tenant": "t-1"})
    error = error_of(executor.call("whoAsks", {"question": "why"}))
    assert (error.kind, error.effect) == ("internal", "none")
    assert "limit" in error.message


def test_an_injected_value_that_cannot_cross(load: Load) -> None:
    inject = {"tenant": object(), "limit": 5}
    executor = ToolExecutor(load("com.acme.Prices").values(), inject=inject)
    error = error_of(executor.call("whoAsks", {"question": "why"}))
    assert (error.kind, error.effect) == ("internal", "none")
    assert error.message == (
        "the injected value 'tenant' cannot reach Java: a object has no portable form"
    )


def test_only_injected_values_of_the_tool_cross(load: Load) -> None:
    inject = {"tenant": "t-1", "limit": 5, "connection": object()}
    executor = ToolExecutor(load("com.acme.Prices").values(), inject=inject)
    assert executor.call("whoAsks", {"question": "why"}).is_success


def test_the_context_of_a_call(load: Load) -> None:
    reports: list[tuple[float, float | None, str | None]] = []
    context = ToolContext(
        "context", "call-7", 3, on_progress=lambda *report: reports.append(report)
    )
    outcome = load("com.acme.Prices")["context"].invoke(Invocation({}, context=context))
    value = outcome.value  # type: ignore[union-attr]  # anything else fails here
    assert value == {
        "call_id": "call-7",
        "tool": "context",
        "attempt": 3,
        "remaining_ms": None,
        "cancelled": False,
        "logger": "dev.isonomy.tool.context",
        "class_loader": "isonomy-tools",
    }
    assert reports == [(1.0, 2.0, "half"), (2.0, None, None)]


def test_the_remaining_time_crosses(executor: ToolExecutor) -> None:
    result = executor.call("context", deadline=100).unwrap()
    assert 90_000 < result["remaining_ms"] <= 100_000


def test_progress_becomes_events(load: Load) -> None:
    sink = MemorySink()
    ToolExecutor(load("com.acme.Prices").values(), sinks=[sink]).call("context")
    reports = [event.progress for event in sink.executions if event.progress is not None]
    assert reports == [(1.0, 2.0, "half"), (2.0, None, None)]


def test_decoded_parameters_are_recorded(executor: ToolExecutor) -> None:
    call = ToolCall("quote", {"customer": "c", "items": '[{"sku": "a", "quantity": 1}]'})
    record = executor.run([call]).records[0]
    assert record.response.is_success
    assert list(record.decoded) == ["items"]


def test_callable_tool(executor: ToolExecutor) -> None:
    response = executor.call("lookup", {"word": "law", "more": [1]}, call_id="c1")
    assert response.unwrap() == {"word": "law", "more": [1]}  # its own schema allows it
    assert response.meta == {"call_id": "c1"}
    assert error_of(executor.call("lookup", {})).message == "word: required"


def test_one_method_of_a_class(load: Load) -> None:
    tools = load("com.acme.Prices#unmarked", "com.acme.Prices#later")
    assert list(tools) == ["Prices_unmarked", "later"]
    assert ToolExecutor(tools.values()).call("Prices_unmarked", {"number": 4}).unwrap() == 5


def test_instance_methods_share_their_instance(load: Load) -> None:
    executor = ToolExecutor(load("com.acme.Stock").values())
    before = executor.call("instances").unwrap()
    assert executor.call("add", {"sku": "a", "count": 2}).unwrap() == 2
    assert executor.call("add", {"sku": "a", "count": 3}).unwrap() == 5
    assert executor.call("left", {"sku": "a"}).unwrap() == 5
    assert executor.call("left", {"sku": "b"}).unwrap() is None
    assert executor.call("instances").unwrap() == before


def test_from_async_code(executor: ToolExecutor) -> None:
    async def main() -> list[ToolResponse]:
        calls = [executor.acall("refuse", {"reason": f"r{n}"}) for n in range(20)]
        return await asyncio.gather(*calls)

    messages = [error_of(response).message for response in asyncio.run(main())]
    assert messages == [f"r{n}" for n in range(20)]


def test_strict_values(load: Load) -> None:
    tools = load("com.acme.Values").values()
    assert ToolExecutor(tools).call("alive").is_success
    error = error_of(ToolExecutor(tools, strict_values=True).call("alive"))
    assert (error.kind, error.effect) == (ErrorKind.RESULT_CONVERSION, Effect.POSSIBLE)
    assert error.message == "$.thread: a value of type java.lang.Thread has no portable form"


def test_a_tool_stays_in_its_process(load: Load) -> None:
    tool = load("com.acme.Prices")["quote"]
    with pytest.raises(Misuse, match="'quote' belongs to the JVM of its process"):
        pickle.dumps(tool)


# What java_tools refuses ------------------------------------------------------------------------


def refused(*specs: Any, classpath: Any) -> str:
    with pytest.raises(Misuse) as caught:
        java_tools(*specs, classpath=classpath)
    return str(caught.value)


def test_class_not_found(classes: Path) -> None:
    message = refused("com.acme.Missing", classpath=[classes])
    assert "com.acme.Missing" in message
    assert "ClassNotFoundException" in message
    assert f"(class path: {classes})" in message


def test_class_without_a_class_path(classes: Path) -> None:
    assert "(an empty class path)" in refused("com.acme.Prices", classpath=[])


def test_class_without_tools(classes: Path) -> None:
    message = refused("com.acme.Nothing", classpath=[classes])
    assert "com.acme.Nothing has no public method marked @Tool; mark one" in message


def test_method_not_found(classes: Path) -> None:
    message = refused("com.acme.Prices#missing", classpath=[classes])
    assert "com.acme.Prices has no public method named missing" in message


def test_two_tools_of_one_name(classes: Path) -> None:
    message = refused("com.acme.Prices", "com.acme.Prices#quote", classpath=[classes])
    assert 'two tools are named "quote"' in message


@pytest.mark.parametrize("specs", [(), ("",), (" ",), (1,)])
def test_names_are_texts(classes: Path, specs: tuple[Any, ...]) -> None:
    assert "java_tools" in refused(*specs, classpath=[classes])
