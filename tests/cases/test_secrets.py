# SPDX-License-Identifier: Apache-2.0
"""L: what the host injects is the host's, and no secret leaves in a failure or an event."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.response import ToolResponse
from isonomy.contract.view import model_view
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected
from tests.cases.conftest import Run


def told(memory: MemorySink) -> str:
    """Everything that sinks were told, as they would write it and as they would print it."""
    written = [json.dumps(event.to_wire()) for event in memory.events]  # type: ignore[union-attr]
    return "\n".join([*written, *map(repr, memory.events), *map(str, memory.events)])


@pytest.mark.parametrize("name", ["tenant_id", "Tenant_Id", "tenantId", "TENANT_ID"])
@pytest.mark.parametrize("as_text", [False, True])
def test_l1_a_model_cannot_set_what_the_host_injects(run: Run, name: str, as_text: bool) -> None:
    ran: list[str] = []

    def look(query: str, tenant_id: Annotated[str, Injected()]) -> str:
        ran.append(tenant_id)
        return query

    memory = MemorySink()
    arguments: Any = {"query": "q", name: "evil"}
    calls = [ToolCall("look", json.dumps(arguments) if as_text else arguments)]
    with ToolExecutor([look], inject={"tenant_id": "t1-value"}, sinks=[memory]) as executor:
        assert "tenant_id" not in json.dumps(executor.tools.get("look").input_schema)  # type: ignore[union-attr]
        error = run(executor, calls).responses[0].error
        assert run(executor, [ToolCall("look", {"query": "q"})]).responses[0].unwrap() == "q"
    assert error is not None
    assert (error.kind, error.effect) == ("invalid_arguments", "none")
    assert error.message == f"{name}: is set by the host"
    assert ran == ["t1-value"]
    assert "evil" not in told(memory)
    assert "t1-value" not in told(memory)


def test_l1_nested_data_of_that_name_is_data() -> None:
    def look(query: dict[str, str], tenant_id: Annotated[str, Injected()]) -> list[Any]:
        return [query, tenant_id]

    with ToolExecutor([look], inject={"tenant_id": "t1"}) as executor:
        result = executor.call("look", {"query": {"tenant_id": "evil"}}).unwrap()
    assert result == [{"tenant_id": "evil"}, "t1"]


SECRETS = ["abc123def", "xyz98765", "s3cr3tp", "inj3cted"]


def leaks(context: ToolContext, credential: Annotated[str, Injected()]) -> None:
    context.progress(1, message="with Bearer abc123def")
    try:
        try:
            raise KeyError("postgres://u:s3cr3tp@h")
        except KeyError as inner:
            raise RuntimeError(f"?access_token=xyz98765 as {credential}") from inner
    except RuntimeError as outer:
        raise ValueError("Authorization: Bearer abc123def") from outer


def declares(credential: Annotated[str, Injected()]) -> ToolResponse:
    return ToolResponse.error(
        "postgres://u:s3cr3tp@h",
        details={"note": "?access_token=xyz98765", "password": "abc123def", "as": [credential]},
    )


def test_l2_no_outlet_of_a_failure_shows_a_secret(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    memory = MemorySink()
    inject = {"credential": "inj3cted"}
    with ToolExecutor([leaks, declares], inject=inject, sinks=[memory]) as executor:
        event = run(executor, [ToolCall("leaks"), ToolCall("declares")])
    views = [repr(model_view(response)) for response in event.responses]
    everything = "\n".join([told(memory), *views, *map(repr, event.responses), caplog.text])
    assert [secret for secret in SECRETS if secret in everything] == []
    assert "[redacted]" in everything
    assert len(event.responses[0].error.causes) == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("body", ["returns", "raises", "refused", "unknown"])
def test_l4_arguments_are_in_no_event(run: Run, body: str) -> None:
    def returns(password: str) -> int:
        return len(password)

    def raises(password: str) -> None:
        raise ValueError("no login")

    def refused(password: int) -> None:
        raise AssertionError("not reached")

    memory = MemorySink()
    with ToolExecutor([returns, raises, refused], sinks=[memory]) as executor:
        run(executor, [ToolCall(body, {"password": "hunter2"})])
        run(executor, [ToolCall(body, '{"password": "hunter2"}')])
    assert memory.responses
    assert "hunter2" not in told(memory)


@pytest.mark.parametrize("before", range(8150, 8200))
def test_l4_a_secret_at_the_cut_is_redacted_first(before: int) -> None:
    def raises() -> None:
        raise ValueError("x" * before + " password=hunter2hunter2")

    with ToolExecutor([raises]) as executor:
        error = executor.call("raises").error
    assert error is not None
    assert "hunt" not in error.message
    assert "hunt" not in (error.trace or "")
    assert len(error.message) <= 8192


def keyed(credential: Annotated[str, Injected()]) -> Any:
    return {credential: object()}


def long(credential: Annotated[str, Injected()]) -> Any:
    return {credential: 10**4300}


@pytest.mark.parametrize("tool", [keyed, long])
def test_l2_no_path_shows_a_secret(run: Run, tool: Any) -> None:
    memory = MemorySink()
    inject = {"credential": "inj3cted"}
    with ToolExecutor([tool], inject=inject, sinks=[memory], strict_values=True) as executor:
        error = run(executor, [ToolCall(tool.__name__)]).responses[0].error
    assert error is not None
    assert error.kind in ("result_conversion", "too_large")
    assert error.message.startswith("$.[redacted]: ")
    assert "inj3cted" not in told(memory)


def unknown(credential: Annotated[str, Injected()]) -> None:
    """Takes nothing of a model's."""


def test_l2_nor_does_a_message_about_arguments_or_names(run: Run) -> None:
    calls = [ToolCall("unknown", {"say inj3cted": 1}), ToolCall("inj3cted-tool")]
    with ToolExecutor([unknown], inject={"credential": "inj3cted"}) as executor:
        errors = [response.error for response in run(executor, calls).responses]
    assert [error.message for error in errors if error] == [
        '["say [redacted]"]: unknown argument',
        'no tool named "[redacted]-tool"',
    ]
    assert "inj3cted" not in repr(errors[0].details)  # type: ignore[union-attr]


def test_l2_what_is_no_secret_is_shown(run: Run) -> None:
    """A tenant named `main` is a word like others (clause 12.5)."""

    def first(tenant: Annotated[str, Injected(secret=False)]) -> None:
        raise ValueError(f"{tenant}stream, as {tenant}")

    def second(
        tenant: Annotated[str, Injected(identity=True, secret=False)],
        key: Annotated[str, Injected("api_key")],
    ) -> None:
        raise ValueError(f"{tenant} has {key}")

    def third(owner: Annotated[str, Injected("tenant")]) -> None:
        raise ValueError(owner)

    inject = {"tenant": "main", "api_key": "k-0123", "region": "north"}
    calls = [ToolCall("first"), ToolCall("second")]
    with ToolExecutor([first, second], inject=inject) as executor:
        errors = [response.error for response in run(executor, calls).responses]
    assert [error.message for error in errors if error] == [
        "mainstream, as main",
        "main has [redacted]",
    ]
    with ToolExecutor([first, third], inject=inject) as executor:
        errors = [response.error for response in run(executor, [ToolCall("first")]).responses]
    assert [error.message for error in errors if error] == ["[redacted]stream, as [redacted]"]


class Tells:
    """A sink that raises what it was given."""

    direct = True

    def emit(self, event: Any) -> None:
        raise ValueError(f"cannot write {event.to_wire()} for inj3cted")


class Odd:
    """A value that raises its secrets when it is looked at."""

    @property  # type: ignore[misc]  # as a proxy does
    def __class__(self) -> Any:
        raise ValueError("inj3cted")


@pytest.mark.parametrize("level", ["DEBUG", "WARNING"])
def test_l2_no_log_of_ours_shows_the_text_of_an_exception(
    run: Run, caplog: pytest.LogCaptureFixture, level: str
) -> None:
    def odd() -> Any:
        return {"a": Odd()}

    with caplog.at_level(level), ToolExecutor([odd], sinks=[Tells(), Tells()]) as executor:
        run(executor, [ToolCall("odd")])
    assert "ValueError" in caplog.text
    assert "inj3cted" not in caplog.text
