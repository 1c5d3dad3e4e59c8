# SPDX-License-Identifier: Apache-2.0
"""A tool whose body is Java, called in this process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from threading import get_ident
from time import perf_counter_ns
from typing import Any, Final, NoReturn

from isonomy.bridge.endpoint import MAIN, Endpoint, tokens
from isonomy.contract.content import EMPTY
from isonomy.contract.envelope import BridgeCall, CallForm, decode_outcome
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Returned, Settled
from isonomy.contract.portable import PortableError, check, encode, encode_plain
from isonomy.tools.arguments import anything, parse
from isonomy.tools.boundary import Refused, run
from isonomy.tools.injection import Injected
from isonomy.tools.shape import Shape, shape_of
from isonomy.tools.tool import Invocation, Tool

_QUICK_NS: Final = 10_000_000
"""A call in the main thread that takes less is followed by one that runs in that thread itself."""


class JavaTool(Tool):
    """A Java method or `CallableTool`, made by `isonomy.bridge.jvm.java_tools`.

    The call crosses as bytes and its outcome comes back as one envelope (clause 10), whatever the
    body does; a body that calls `System.exit` ends this process all the same, as one in Python that
    calls `os._exit` does. The body runs in the caller's thread.

    In the main thread, where Python handles signals, a body runs on a thread of the JVM's instead,
    unless the tool's last call there took less than 10 ms: so Ctrl-C is seen at once, and in a
    body that turns out slow for the first time, when it ends.
    """

    checks_results = True

    def __init__(self, endpoint: Endpoint, description: Mapping[str, Any]) -> None:
        injected = {
            parameter: Injected(
                source["name"], identity=source["identity"], secret=source["secret"]
            )
            for parameter, source in description["injected"].items()
        }
        deadline_ms = description["deadline_ms"]
        super().__init__(
            description["name"],
            description=description["description"],
            input_schema=description["input_schema"],
            injected=injected,
            version=description["version"],
            max_parallel=description["max_parallel"],
            deadline=None if deadline_ms is None else deadline_ms / 1000,
            language="java",
            wants_context=description["wants_context"],
        )
        self._endpoint = endpoint
        self._injected_names = tuple({str(mark.name) for mark in injected.values()})
        self._form = CallForm(self.name)
        self._quick = False
        self._shape: Shape | None = None

    def invoke(self, invocation: Invocation) -> Outcome:
        """Do what every tool does; the arguments are validated by the Java side (clause 7.3)."""
        ended = run(self._answer, invocation.passing, invocation)
        # what `run` adds to is what the body's side made: its value is the outcome
        return ended.value if type(ended) is Returned else ended

    def _answer(self, invocation: Invocation) -> Outcome:
        endpoint = self._endpoint
        over = endpoint.over()
        if over is not None:
            return settled(ErrorKind.INTERNAL, over, Effect.NONE)
        request = self._request(invocation)
        token = next(tokens)
        invocation.on_cancel(partial(endpoint.cancel, token))
        try:
            if get_ident() != MAIN:
                reply = endpoint.call(request, token)
            elif self._quick:
                began = perf_counter_ns()
                reply = endpoint.call(request, token)
                self._quick = perf_counter_ns() - began < _QUICK_NS
            else:
                # The way to another thread does not count: on a busy machine it alone would keep
                # a quick tool from being found quick.
                reply, took = endpoint.call_aside(request, token)
                self._quick = took < _QUICK_NS
        except endpoint.broken as broken:
            return settled(ErrorKind.INTERNAL, f"the call broke down in the JVM: {broken}")
        envelope = decode_outcome(reply)
        if envelope.decoded:
            invocation.decoded = envelope.decoded
        if envelope.progress and invocation.context is not None:
            for step in envelope.progress:
                invocation.context.progress(step.progress, step.total, step.message)
        return envelope.outcome

    def _request(self, invocation: Invocation) -> bytes:
        arguments, limits = invocation.arguments, invocation.limits
        # What is plain already crosses as it is; the callee validates it.
        encoded = encode_plain(arguments) if type(arguments) is dict else None
        if encoded is None:
            parsed = parse(arguments, self._types_at)
            if isinstance(parsed, Settled):
                raise Refused(parsed)
            encoded = encode(parsed)
        context = invocation.context
        if context is None and not self._injected_names:
            return self._form.bare(encoded, limits.max_result_bytes, limits.strict_values)
        remaining = None if context is None else context.remaining()
        call = BridgeCall(
            self.name,
            EMPTY,
            self._injected(invocation.injected),
            None if context is None else context.call_id,
            1 if context is None else context.attempt,
            None if remaining is None else int(remaining * 1000),
            limits.max_result_bytes,
            limits.strict_values,
        )
        return self._form.encode(call, encoded)

    def _types_at(self, steps: Any) -> Any:
        """Return the types that the schema allows at a place, for messages about values there."""
        if self._shape is None:
            self._shape = shape_of(self.input_schema)
        place = self._shape.at(steps)
        return (place.types if place else ()) or anything(steps)

    def _injected(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the host's values that this tool takes; the Java side misses those not there."""
        values = {name: given[name] for name in self._injected_names if name in given}
        for name, value in values.items():
            try:
                check(value, strict=True)
            except PortableError:
                kind = type(value).__qualname__
                raise Refused(
                    settled(
                        ErrorKind.INTERNAL,
                        f"the injected value {name!r} cannot reach Java: a {kind} has no portable"
                        " form",
                        Effect.NONE,
                    )
                ) from None
        return values

    def __reduce__(self) -> NoReturn:
        raise Misuse(
            f"the Java tool {self.name!r} belongs to the JVM of its process and cannot be sent to"
            " another; call java_tools there"
        )
