# SPDX-License-Identifier: Apache-2.0
"""A call through a function tool: judged, converted, bound, run, and its end caught."""

import asyncio
import dataclasses
import datetime as dt
import decimal
import enum
import functools
import json
import threading
import typing
import uuid
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Raised, Returned, Settled
from isonomy.contract.response import ToolFailed, ToolResponse
from isonomy.tools.boundary import caught, finish, run
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Invocation


def call(function: Any, arguments: Any = None, **options: Any) -> Any:
    return as_tool(function, **options).invoke(Invocation(arguments))


def received(annotation: Any, value: Any) -> Any:
    """Give what a body with one parameter of this type receives, or the outcome that refuses."""

    def body(a):
        return a

    body.__annotations__ = {"a": annotation}
    outcome = call(body, {"a": value})
    return outcome.value if isinstance(outcome, Returned) else outcome


def message(outcome: Any) -> str:
    assert isinstance(outcome, Settled)
    assert (outcome.error.kind, outcome.error.effect) == ("invalid_arguments", "none")
    return outcome.error.message


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Visit(BaseModel):
    day: dt.date
    guests: int = 1
    parent: "Visit | None" = None


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    day: dt.date
    tags: set[str]


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5


class Movie(typing.TypedDict, total=False):
    title: typing.Required[str]
    released: dt.date


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (int, 1.0, 1),
        (int, 1e30, int(1e30)),
        (int, -0.0, 0),
        (int, 2**80, 2**80),
        (int | None, 2.0, 2),
        (list[int], [1.0, 2], [1, 2]),
        (dict[str, int], {"a": 1.0}, {"a": 1}),
        (Literal[1, 2], 1.0, 1),
        (Level, 1.0, Level.LOW),
        (float, 3, 3.0),
        (float, 1.5, 1.5),
        (float | None, 3, 3.0),
        (list[float], [1], [1.0]),
        (int | str, "1", "1"),
        (int | float, 1.0, 1.0),
        (bool, True, True),
        (str, "\ud800", "\ud800"),
        (Any, {"a": [1.0]}, {"a": [1.0]}),
        (decimal.Decimal, "0.10", decimal.Decimal("0.10")),
        (decimal.Decimal, 10**30, decimal.Decimal(10**30)),
        (dt.date, "2026-01-31", dt.date(2026, 1, 31)),
        (dt.date | None, None, None),
        (dt.timedelta, "PT1.5S", dt.timedelta(seconds=1.5)),
        (list[uuid.UUID], [str(uuid.UUID(int=7))], [uuid.UUID(int=7)]),
        (bytes, "aGk=", b"hi"),
        (bytes, "+/+/", b"\xfb\xff\xbf"),
        (dict[str, bytes], {"a": ""}, {"a": b""}),
        (set[str], ["a", "b"], {"a", "b"}),
        (tuple[int, str], [1.0, "a"], (1, "a")),
        (Color, "red", Color.RED),
        (Literal["a", "b"], "b", "b"),
        (Point, {"x": 1.0}, Point(1, 0.5)),
        (Movie, {"title": "t", "released": "2026-01-31"}, None),
        (Annotated[str, StringConstraints(to_upper=True)], "ab", "AB"),
        (Annotated[int, AfterValidator(lambda number: number + 1)], 1, 2),
        (Visit, {"day": "2026-01-31", "guests": 1e30}, None),
        (Strict, {"day": "2026-01-31", "tags": ["a"]}, None),
    ],
)
def test_a_body_receives_the_type_it_declares(annotation, value, expected):
    got = received(annotation, value)
    if expected is None and value is not None:
        expected = {
            Movie: {"title": "t", "released": dt.date(2026, 1, 31)},
            Visit: Visit(day=dt.date(2026, 1, 31), guests=int(1e30)),
            Strict: Strict(day=dt.date(2026, 1, 31), tags={"a"}),
        }[annotation]
    assert got == expected
    assert type(got) is type(expected)
    if isinstance(got, (list, tuple)):
        assert [type(one) for one in got] == [type(one) for one in expected]


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (int, 1.5, "a: expected integer"),
        (int, "1", "a: expected integer"),
        (int, True, "a: expected integer"),
        (bool, 1, "a: expected boolean"),
        (str, 5, "a: expected string"),
        (float, "1", "a: expected number"),
        (float, 10**400, "a: cannot be read as number"),
        (dt.date, "2026-02-30", "a: cannot be read as date"),
        (dt.date, 20260131, "a: expected string"),
        (dt.datetime, "noon", "a: cannot be read as datetime"),
        (dt.time, "25:00", "a: cannot be read as time"),
        (dt.timedelta, "long", "a: cannot be read as duration"),
        (uuid.UUID, "7", "a: cannot be read as uuid"),
        (decimal.Decimal, "ten", "a: cannot be read as decimal"),
        (bytes, "a-_k", "a: cannot be read as bytes"),
        (bytes, "aGk", "a: cannot be read as bytes"),
        (list[uuid.UUID], ["x"], "a[0]: cannot be read as uuid"),
        (list[dt.date] | None, ["x"], "a[0]: cannot be read as date"),
        (Visit, {"day": "x"}, "a.day: cannot be read as date"),
        (Visit, {"day": "2026-01-31", "guest": 1}, "a.guest: unknown argument"),
        (Visit, {"guests": 1}, "a.day: required"),
        (Movie, {"title": "t", "released": "x"}, "a.released: cannot be read as date"),
        (Color, "blue", 'a: expected one of ["red"]'),
        (Visit, {"day": "2026-01-31", "guests": 1.5}, "a.guests: expected integer"),
        (Annotated[int, Field(gt=0)], 0, "a: must be > 0"),
    ],
)
def test_what_cannot_be_accepted_or_read_is_refused(annotation, value, expected):
    assert message(received(annotation, value)) == expected


def test_an_authors_validator_refuses_as_conversion_without_echoing():
    def even(number: int) -> int:
        if number % 2:
            raise ValueError(f"{number} is odd")
        return number

    class Pair(BaseModel):
        left: Annotated[int, AfterValidator(even)]

    assert message(received(Annotated[int, AfterValidator(even)], 7)) == "a: cannot be read as int"
    assert message(received(Pair, {"left": 7})) == "a.left: cannot be read as Pair"


def test_an_authors_validator_that_breaks_is_an_exception_of_the_tool():
    def broken(number: int) -> int:
        raise KeyError(number)

    outcome = received(Annotated[int, AfterValidator(broken)], 7)
    assert isinstance(outcome, Raised)
    assert outcome.error.type == "KeyError"


def matrix(title: str, limit: int = 10, note: str | None = "n") -> tuple[str, int, str | None]:
    return title, limit, note


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"title": "t"}, ("t", 10, "n")),
        ({"title": "t", "limit": None}, ("t", 10, "n")),
        ({"title": "t", "note": None}, ("t", 10, None)),
        ('{"title":"t","limit":3.0}', ("t", 3, "n")),
        ({}, "title: required"),
        ({"title": None}, "title: expected string"),
        ({"title": "t", "size": 1}, "size: unknown argument"),
    ],
)
def test_absent_null_and_default(arguments, expected):
    outcome = call(matrix, arguments)
    got = outcome.value if isinstance(outcome, Returned) else message(outcome)
    assert got == expected


def test_decoded_paths_are_left_with_the_invocation():
    def body(point: Point, n: int) -> Any:
        return point

    tool = as_tool(body)
    invocation = Invocation({"point": '{"x": 1}', "n": 1})
    assert tool.invoke(invocation) == Returned(Point(1))
    assert list(invocation.decoded) == ["point"]
    invocation = Invocation({"point": '{"x": 1}', "n": "1"})
    assert message(tool.invoke(invocation)) == "n: expected integer"
    assert list(invocation.decoded) == ["point"]
    invocation = Invocation({"point": {"x": 1}, "n": 1})
    tool.invoke(invocation)
    assert list(invocation.decoded) == []


def test_a_body_cannot_change_the_arguments_of_the_call():
    def body(items: list[Any], **rest: Any) -> None:
        items.append(1)
        rest["o"]["x"] = 1

    arguments: dict[str, Any] = {"items": [], "o": {}}
    call(body, arguments)
    assert arguments == {"items": [], "o": {}}


def test_parameters_of_every_kind_are_bound():
    def body(a: int, b: int = 2, /, c: int = 3, *, d: int = 4, **rest: float) -> Any:
        return a, b, c, d, rest

    assert call(body, {"a": 1}).value == (1, 2, 3, 4, {})
    assert call(body, {"a": 1, "c": 30, "e": 5}).value == (1, 2, 30, 4, {"e": 5.0})
    assert call(body, {"a": 1, "b": 20, "d": 40}).value == (1, 20, 3, 40, {})


def test_unknown_arguments_are_dropped_where_allowed():
    def body(a: int) -> int:
        return a

    assert call(body, {"a": 1, "b": 2}, allow_unknown=True) == Returned(1)


def test_aliases_and_made_defaults_are_bound():
    def body(
        size: Annotated[int, Field(alias="pageSize")] = 10,
        tags: list[str] = Field(default_factory=list),  # noqa: B008
        day: dt.date = Field(dt.date(2026, 1, 31)),  # noqa: B008
    ) -> Any:
        return size, tags, day

    first = call(body, {}).value
    assert first == (10, [], dt.date(2026, 1, 31))
    first[1].append("x")
    assert call(body, {"pageSize": 3, "day": "2026-02-01"}).value == (
        3,
        [],
        dt.date(2026, 2, 1),
    )
    assert message(call(body, {"size": 3})) == "size: unknown argument"


# --- given schemas


def test_a_given_schema_decides_alone():
    def body(**arguments: Any) -> Any:
        return arguments

    schema = {"properties": {"a": {"type": "integer", "default": 5}, "b": {"type": "string"}}}
    assert call(body, {}, schema=schema).value == {"a": 5}
    assert call(body, {"a": 1.0, "b": None, "c": [1]}, schema=schema).value == {"a": 1, "c": [1]}
    assert message(call(body, {"a": "1"}, schema=schema)) == "a: expected integer"
    assert as_tool(body, schema=schema).input_schema == schema


def test_a_given_schema_is_copied_and_its_defaults_are_new_each_time():
    def body(items: list[int]) -> Any:
        items.append(1)
        return items

    schema: dict[str, Any] = {"properties": {"items": {"type": "array", "default": []}}}
    tool = as_tool(body, schema=schema)
    schema["properties"]["items"]["type"] = "string"
    assert tool.invoke(Invocation()) == Returned([1])
    assert tool.invoke(Invocation()) == Returned([1])


def test_parameters_beside_a_given_schema():
    def body(when: dt.date, note: str, size: int = 3) -> Any:
        return when, note, size

    schema = {
        "properties": {"when": {"type": "string"}, "note": {"type": "string"}, "size": {}},
        "required": ["when"],
    }
    assert call(body, {"when": "2026-01-31", "x": 1}, schema=schema).value == (
        dt.date(2026, 1, 31),
        None,
        3,
    )
    assert message(call(body, {"when": "x"}, schema=schema)) == "when: cannot be read as date"
    assert (
        message(call(body, {"when": "2026-01-31", "size": "big"}, schema=schema))
        == "size: cannot be read as integer"
    )


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "array"}, "has the type object"),
        ({"properties": {"a": {}, "z": {}}}, "no parameter takes property 'z'"),
        ({"properties": {}}, "no property for parameter 'a'"),
        ({"properties": {"a": {}, "tenant": {}}}, "the host fills parameter 'tenant'"),
        ({"properties": {"a": {"type": "nothing"}}}, "#/properties/a the type is not a type"),
    ],
)
def test_a_schema_that_does_not_fit_is_misuse(schema, complaint):
    def body(a: int, tenant: Annotated[str, Injected()]) -> None: ...

    with pytest.raises(Misuse, match=f"tool 'body'.*{complaint}"):
        as_tool(body, schema=schema)


# --- what the host fills


def scoped(query: str, tenant_id: Annotated[str, Injected()]) -> Any:
    return query, tenant_id


def open_scoped(tenant_id: Annotated[str, Injected()], **rest: Any) -> Any:
    return tenant_id, rest


SPELLINGS = ["tenant_id", "Tenant_Id", "tenantId", "TENANT-ID", "_tenant_id"]


def _by_default(key: str = Injected()):  # type: ignore[assignment]
    """Mistaken: the mark as the default."""


def _by_class(key=Injected):
    """Mistaken: the mark's class as the default."""


def _as_type(key: Injected):
    """Mistaken: the mark's class as the type."""


def _as_annotation(key: Injected()):  # type: ignore[valid-type]
    """Mistaken: the mark as the type."""


def _as_text(key: "Injected()"):  # type: ignore[valid-type]
    """Mistaken: the mark as the type, in quotes."""


def _inside(key: Annotated[str, Injected()] | None = None):
    """Mistaken: the mark inside of a type."""


@pytest.mark.parametrize(
    "function", [_by_default, _by_class, _as_type, _as_annotation, _as_text, _inside]
)
@pytest.mark.parametrize("schema", [None, {"type": "object"}])
def test_a_mark_that_is_not_read_where_it_stands_is_misuse(function, schema):
    with pytest.raises(Misuse, match=r"write key: Annotated\[str, Injected\(\)\]"):
        as_tool(function, schema=schema)


def test_what_takes_every_name_cannot_be_injected():
    def body(**rest: Annotated[str, Injected()]) -> None:
        """Mistaken."""

    with pytest.raises(Misuse, match="rest cannot be injected; give each value"):
        as_tool(body)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_model_cannot_set_an_injected_value(spelling):
    arguments = {"query": "q", spelling: "evil"}
    outcome: Any = as_tool(scoped).invoke(Invocation(arguments, {"tenant_id": "t1"}))
    assert message(outcome).endswith(": is set by the host")
    assert "evil" not in repr(outcome.error.details)
    outcome = as_tool(open_scoped).invoke(Invocation(arguments, {"tenant_id": "t1"}))
    assert outcome == Returned(("t1", {"query": "q"}))
    outcome = as_tool(scoped, allow_unknown=True).invoke(Invocation(arguments, {"tenant_id": "t1"}))
    assert outcome == Returned(("q", "t1"))


def test_injected_values_of_other_names_and_nested_data_are_left_alone():
    def body(data: dict[str, Any], key: Annotated[str, Injected(name="api_key")]) -> Any:
        return data, key

    tool = as_tool(body)
    invocation = Invocation({"data": {"key": "x", "api_key": "y"}}, {"api_key": "k", "key": "no"})
    assert tool.invoke(invocation) == Returned(({"key": "x", "api_key": "y"}, "k"))
    assert tool.injected["key"].name == "api_key"


def test_a_missing_injected_value_is_internal_and_the_body_does_not_run():
    outcome = as_tool(scoped).invoke(Invocation({"query": "q"}))
    assert isinstance(outcome, Settled)
    assert (outcome.error.kind, outcome.error.effect) == ("internal", "none")
    assert '"tenant_id"' in outcome.error.message


def test_an_injected_parameter_may_have_a_default():
    def body(tenant: Annotated[str, Injected] = "public") -> str:
        return tenant

    assert call(body) == Returned("public")
    assert as_tool(body).invoke(Invocation({}, {"tenant": "t1"})) == Returned("t1")


def test_names_that_differ_too_little_from_injected_ones_are_misuse():
    def body(tenantId: str, tenant_id: Annotated[str, Injected()]) -> None: ...  # noqa: N803

    with pytest.raises(Misuse, match="'tenantId' and the injected 'tenant_id'"):
        as_tool(body)


def test_the_context_goes_to_the_parameter_of_its_type():
    def body(a: int, ctx: ToolContext | None = None) -> Any:
        return a, ctx

    context = ToolContext("body", "c-1")
    tool = as_tool(body)
    assert tool.invoke(Invocation({"a": 1}, {}, context)) == Returned((1, context))
    assert message(tool.invoke(Invocation({"a": 1, "ctx": "x"}))) == "ctx: unknown argument"

    def open_body(context: ToolContext, **rest: Any) -> Any:
        return context, rest

    tool = as_tool(open_body)
    assert tool.invoke(Invocation({"context": "evil"}, {}, context)) == Returned((context, {}))


# --- the boundary


@pytest.mark.parametrize(
    "raised",
    [
        ValueError("bad sku"),
        SystemExit(3),
        GeneratorExit(),
        StopIteration(1),
        TimeoutError("own"),
        asyncio.CancelledError("own"),
        MemoryError(),
        RecursionError("deep"),
        BaseException("base"),
    ],
)
def test_whatever_a_body_raises_is_its_outcome(raised):
    def body() -> None:
        raise raised

    outcome = call(body)
    assert isinstance(outcome, Raised)
    assert outcome.error.type.rpartition(".")[2] == type(raised).__name__


def test_a_raised_failure_is_returned():
    def body() -> None:
        raise ToolFailed("no stock", code="OUT")

    outcome = call(body)
    assert isinstance(outcome, Returned)
    assert (outcome.value.error.message, outcome.value.error.code) == ("no stock", "OUT")

    def grouped() -> None:
        raise ExceptionGroup("one", [ToolFailed("no stock")])

    assert call(grouped).value.error.message == "no stock"


def test_returned_values_are_not_looked_into():
    failure = ToolResponse.error("quota")
    for value in (failure, {"error": "x"}, None, ValueError("v"), iter([1])):
        assert call(lambda value=value: value, name="f").value is value


class InterruptError(Exception):
    """What a framework raises to ask a human."""


def test_control_signals_pass():
    def body() -> None:
        raise InterruptError

    def grouped() -> None:
        raise ExceptionGroup("one", [InterruptError()])

    async def awaited() -> None:
        raise InterruptError

    for function in (body, grouped):
        with pytest.raises(InterruptError):
            as_tool(function).invoke(Invocation(passing=(InterruptError,)))
        assert isinstance(call(function), Raised)
    with pytest.raises(InterruptError):
        asyncio.run(as_tool(awaited).ainvoke(Invocation(passing=(InterruptError,))))


def test_keyboard_interrupt_passes_in_the_main_thread_only():
    def body() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(body)
    outcomes: list[Any] = []
    thread = threading.Thread(target=lambda: outcomes.append(call(body)))
    thread.start()
    thread.join()
    assert outcomes[0].error.type == "KeyboardInterrupt"


def test_generators_are_not_consumed():
    started = []

    def body() -> Any:
        started.append(1)
        yield 1

    with pytest.warns(UserWarning, match="tool 'body' is a generator function"):
        outcome = call(body)
    assert started == []
    assert next(outcome.value) == 1


async def test_an_async_generator_function_is_told_of_too():
    async def body() -> Any:
        yield 1

    with pytest.warns(UserWarning, match="tool 'body' is a generator function"):
        as_tool(functools.partial(body))


async def test_an_async_body_is_awaited_once():
    async def body(a: int) -> Any:
        await asyncio.sleep(0)
        return a

    async def inner() -> int:
        return 1

    async def nested() -> Any:
        return inner()

    tool = as_tool(body)
    assert tool.is_async
    assert await tool.ainvoke(Invocation({"a": 1.0})) == Returned(1)
    assert message(await tool.ainvoke(Invocation({"a": "x"}))) == "a: expected integer"
    assert await finish(tool.invoke(Invocation({"a": 2}))) == Returned(2)
    outcome: Any = await as_tool(nested).ainvoke(Invocation())
    assert asyncio.iscoroutine(outcome.value)
    assert await outcome.value == 1


def test_a_wrapper_that_runs_a_coroutine_itself_is_not_async():
    async def body(a: int) -> int:
        return a

    @functools.wraps(body)
    def wrapper(a: int) -> int:
        return asyncio.run(body(a))

    class Caller:
        async def __call__(self, a: int) -> int:
            return a

    assert not as_tool(wrapper).is_async
    assert call(wrapper, {"a": 1}) == Returned(1)
    assert as_tool(functools.partial(body)).is_async
    assert as_tool(Caller()).is_async
    assert as_tool(Caller().__call__, name="c").is_async


async def test_a_sync_body_may_return_an_awaitable():
    async def later() -> str:
        raise ToolFailed("late")

    def body() -> Any:
        return later()

    tool = as_tool(body)
    assert not tool.is_async
    outcome: Any = await tool.ainvoke(Invocation())
    assert outcome.value.error.message == "late"


async def test_cancellation_of_an_async_body_passes_to_the_runtime():
    entered = asyncio.Event()

    async def body() -> None:
        entered.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(as_tool(body).ainvoke(Invocation()))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(caught(asyncio.CancelledError()), Raised)


def test_run_serves_plain_callables():
    assert run(lambda a, b: a + b, (), 1, 2) == Returned(3)
    outcome = run(lambda: 1 / 0)
    assert isinstance(outcome, Raised)
    assert outcome.error.type == "ZeroDivisionError"


# --- whatever a model sends

SENT = "s3nt-by-the-model"
sent = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([SENT, "2026-01-31", '{"day": "x"}', "[1.0]", "\ud800", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "day", "guests", "x", "tenant", "", "7"]), inner)
    ),
    max_leaves=8,
)


def checking(
    a: int | None = None,
    b: list[dt.date] | None = None,
    c: Visit | None = None,
    d: dict[str, Point] | None = None,
    e: set[uuid.UUID] | Literal["x"] = "x",
    tenant: Annotated[str, Injected()] = "t",
) -> None:
    assert tenant == "t"
    assert e == "x" or isinstance(e, set)
    assert a is None or type(a) is int
    assert all(type(one) is dt.date for one in b or [])
    assert c is None or type(c.guests) is int
    assert all(type(one.x) is int for one in (d or {}).values())


CHECKING = as_tool(checking)


@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e", "Tenant", "é"]), sent))
def test_any_arguments_are_accepted_or_refused_and_never_echoed(arguments):
    outcome = CHECKING.invoke(Invocation(arguments))
    if not isinstance(outcome, Returned):
        assert message(outcome)
        assert isinstance(outcome, Settled)
        assert SENT not in json.dumps([outcome.error.message, outcome.error.details])


@pytest.mark.parametrize("name", ["judge", "read"])
def test_what_breaks_before_the_body_is_internal_and_without_effect(monkeypatch, name):
    """Whatever breaks: a fault of ours, as deep recursion is, is no end of the body (7.16)."""
    ran = []
    made = as_tool(lambda **arguments: ran.append(arguments), name="f", schema={"type": "object"})

    def broken(*_: Any) -> Any:
        raise RecursionError("no more")

    monkeypatch.setattr(made, "_accepts" if name == "judge" else "_types_at", broken)
    outcome = made.invoke(Invocation({"a": object()} if name == "read" else {}))
    assert isinstance(outcome, Settled)
    assert (outcome.error.kind, outcome.error.effect) == ("internal", "none")
    assert outcome.error.message == "the arguments could not be judged: RecursionError"
    assert ran == []


def test_host_names_are_reserved_like_parameters():
    def body(a: int, t: Annotated[str, Injected("tenant_id")], **rest: Any) -> Any:
        return t, rest

    got = as_tool(body).invoke(Invocation({"a": 1, "tenantId": "evil", "x": 2}, {"tenant_id": "t"}))
    assert got == Returned(("t", {"x": 2}))
    with pytest.raises(Misuse, match="parameter 'tenant_id' and the injected 'tenant_id'"):

        @as_tool
        def clash(tenant_id: str, t: Annotated[str, Injected("tenant_id")]) -> None: ...
