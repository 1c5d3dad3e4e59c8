# SPDX-License-Identifier: Apache-2.0
"""Real tools that do what a behaviour of the vectors says (spec/vectors/README.md, "Behaviours").

A behaviour becomes the body of a function, and the function a tool like any user's: with a schema
that is given, injected parameters, and a context where the behaviour asks for one.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from isonomy.contract.response import ToolResponse
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Tool
from tests.making import failed, failed_with, failure, make, raise_exception

#: How a body becomes a function: `def`, `async def`, a `def` that returns a coroutine, and a `def`
#: that may run on the event loop.
FORMS = ("plain", "coroutine", "awaitable", "inline")

#: Fields of a behaviour in `tools` that say how the tool is made, not what it does.
_OF_THE_TOOL = {"schema", "injected", "max_parallel"}

_DECLARED = {"response": ToolResponse, "string": str}


class Stage:
    """Where the bodies of one case play: what they share, and what was seen of them."""

    def __init__(self) -> None:
        #: The executor that runs the tools; set before the first call.
        self.executor: ToolExecutor
        #: How often each tool's body ran.
        self.runs: Counter[str] = Counter()
        self._release = threading.Event()
        self._sleeping = threading.Condition()
        self._sleepers: Counter[str] = Counter()

    def tool(self, name: str, behaviour: dict[str, Any], form: str | None = None) -> Tool:
        """Make a tool; `form` is one of `FORMS`, or None for the one that fits the behaviour."""
        acts = {key: value for key, value in behaviour.items() if key not in _OF_THE_TOOL}
        if form is None:
            form = "coroutine" if acts["do"] == "async" else "plain"
        return as_tool(
            self._function(name, acts, form, behaviour.get("injected", [])),
            name=name,
            schema=behaviour.get("schema", {"type": "object"}),
            max_parallel=behaviour.get("max_parallel"),
            inline=form == "inline",
        )

    def _function(
        self, name: str, acts: dict[str, Any], form: str, injected: list[str]
    ) -> Callable[..., Any]:
        function: Any
        if form in ("coroutine", "awaitable"):
            inner = acts["then"] if acts["do"] == "async" else acts
            function = self._coroutine_function(name, inner)
            if form == "awaitable":
                function = functools.partial(_called, function)
        else:

            def function(**given: Any) -> Any:
                self.runs[name] += 1
                return self._act(name, acts, given)

        function.__signature__ = _signature(acts, injected)
        made: Callable[..., Any] = function
        return made

    def _coroutine_function(self, name: str, acts: dict[str, Any]) -> Callable[..., Any]:
        async def function(**given: Any) -> Any:
            self.runs[name] += 1
            return await self._aact(name, acts, given)

        return function

    # What bodies do ------------------------------------------------------------------------------

    def _act(self, name: str, acts: dict[str, Any], given: dict[str, Any]) -> Any:
        rest = dict(acts)
        do = rest.pop("do")
        if do == "sleep":
            self._falls_asleep(name)
            self._release.wait(rest.pop("seconds"))
            return self._act(name, _only("then", rest), given)
        if do == "call":
            called = self._called(rest, given)
            if called is None:
                return self._act(name, acts["then"], given)
            return self.executor.call(*called).unwrap()
        return self._end(name, do, rest, given)

    async def _aact(self, name: str, acts: dict[str, Any], given: dict[str, Any]) -> Any:
        await asyncio.sleep(0)
        rest = dict(acts)
        do = rest.pop("do")
        if do == "sleep":
            self._falls_asleep(name)
            await asyncio.sleep(rest.pop("seconds"))
            return await self._aact(name, _only("then", rest), given)
        if do == "call":
            called = self._called(rest, given)
            if called is None:
                return await self._aact(name, acts["then"], given)
            return (await self.executor.acall(*called)).unwrap()
        return self._end(name, do, rest, given)

    def _end(self, name: str, do: str, rest: dict[str, Any], given: dict[str, Any]) -> Any:
        if do == "return":
            rest.pop("declares", None)  # which decides nothing; `_signature` declares it
            return make(_only("value", rest))
        if do == "success":
            made = {key: make(value) for key, value in rest.items() if key != "content"}
            return ToolResponse.success(made.pop("result"), rest.get("content", ()), **made)
        if do == "error":
            return failure(rest)
        if do == "raise":
            raise_exception(rest)
        if do == "raise_failed":
            raise failed_with(_only("error", rest)) if "error" in rest else failed(rest)
        if do == "return_failed":
            return failed(rest)
        if do == "fail_with":
            return failed_with(_only("error", rest)).response
        if do == "injected":
            return given[_only("name", rest)]
        assert not rest, rest
        if do == "nothing":
            return None
        if do == "echo":
            return given
        if do == "count":
            return self.runs[name]
        assert do == "context", do
        context = given["context"]
        return {
            "call_id": context.call_id,
            "tool": context.tool,
            "attempt": context.attempt,
            "cancelled": context.cancelled,
            "has_deadline": context.remaining() is not None,
        }

    def _called(
        self, rest: dict[str, Any], given: dict[str, Any]
    ) -> tuple[str, dict[str, Any]] | None:
        """The call that a body makes; None where it is deep enough to end."""
        assert rest.keys() <= {"tool", "arguments", "levels", "then"}, rest
        if "levels" not in rest:
            return rest["tool"], rest["arguments"]
        level = given.get("level", 0)
        return None if level >= rest["levels"] else (rest["tool"], {"level": level + 1})

    # Sleeping ------------------------------------------------------------------------------------

    def _falls_asleep(self, name: str) -> None:
        with self._sleeping:
            self._sleepers[name] += 1
            self._sleeping.notify_all()

    def wait_for_sleepers(self, tools: Iterable[str], seconds: float = 30) -> None:
        """Wait until a body of each of these tools sleeps, as often as it is named."""
        wanted = Counter(tools)
        with self._sleeping:
            assert self._sleeping.wait_for(lambda: self._sleepers >= wanted, seconds), wanted

    def release(self) -> None:
        """Wake the bodies that sleep on threads; those of an event loop were cancelled."""
        self._release.set()


def _called(body: Callable[..., Any], **given: Any) -> Any:
    return body(**given)


def _only(field: str, rest: dict[str, Any]) -> Any:
    value = rest.pop(field)
    assert not rest, rest
    return value


def _signature(acts: dict[str, Any], injected: list[str]) -> inspect.Signature:
    """What a body takes: what the host fills, and whatever else comes."""
    filled: dict[str, Any] = dict.fromkeys(injected, Annotated[Any, Injected()])
    if acts["do"] == "context":
        filled["context"] = ToolContext
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
        for name, annotation in filled.items()
    ]
    parameters.append(inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD))
    declared = _DECLARED.get(acts.get("declares", ""), inspect.Signature.empty)
    return inspect.Signature(parameters, return_annotation=declared)
