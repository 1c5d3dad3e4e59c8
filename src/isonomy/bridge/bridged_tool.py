# SPDX-License-Identifier: Apache-2.0
"""What tools of all bridges have in common: how they are made, and what crosses (clause 10)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from isonomy.contract.content import EMPTY
from isonomy.contract.envelope import BridgeCall, CallForm, decode_outcome
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.outcome import Outcome, Returned, Settled
from isonomy.contract.portable import PortableError, check, encode, encode_plain
from isonomy.tools.arguments import anything, parse
from isonomy.tools.boundary import Refused, run
from isonomy.tools.injection import Injected
from isonomy.tools.shape import Shape, shape_of
from isonomy.tools.tool import Invocation, Tool


class BridgedTool(Tool):
    """A tool whose body is called by a request and answers with an envelope.

    The arguments are validated by the side of the body (clause 7.3), which also keeps the result
    within the limits. A subclass says how the two cross, in `_answer`.

    Args:
        description: What the other side tells of the tool.
        language: The language of the body.
    """

    checks_results = True

    def __init__(self, description: Mapping[str, Any], language: str) -> None:
        injected = {
            parameter: Injected(
                source["name"], identity=source["identity"], secret=source.get("secret", True)
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
            language=language,
            wants_context=description["wants_context"],
        )
        self._injected_names = tuple({str(mark.name) for mark in injected.values()})
        self._form = CallForm(self.name)
        self._shape: Shape | None = None

    def invoke(self, invocation: Invocation) -> Outcome:
        """Do what every tool does; the arguments are validated by the other side (clause 7.3)."""
        ended = run(self._answer, invocation.passing, invocation)
        # what `run` adds to is what the body's side made: its value is the outcome
        return ended.value if type(ended) is Returned else ended

    @abstractmethod
    def _answer(self, invocation: Invocation) -> Outcome:
        """Carry a call to the body and its outcome back."""

    def _outcome(self, reply: bytes, invocation: Invocation) -> Outcome:
        """Read an envelope, and pass on what came beside the outcome."""
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
        """Return the host's values that this tool takes; the other side misses those not there."""
        values = {name: given[name] for name in self._injected_names if name in given}
        for name, value in values.items():
            try:
                check(value, strict=True)
            except PortableError:
                kind, side = type(value).__qualname__, self.language.capitalize()
                raise Refused(
                    settled(
                        ErrorKind.INTERNAL,
                        f"the injected value {name!r} cannot reach {side}: a {kind} has no portable"
                        " form",
                        Effect.NONE,
                    )
                ) from None
        return values
