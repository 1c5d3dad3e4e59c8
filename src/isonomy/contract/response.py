# SPDX-License-Identifier: Apache-2.0
"""The response: whether the tool operation succeeded (clauses 1.2, 2.7).

`ToolResponse` has exactly two forms, `ToolSuccess` and `ToolFailure`. The factories
`ToolResponse.success` and `ToolResponse.error` are reachable on the class only: on an instance
`error` is the error or None, and `success` does not exist, so that no bound method can pass for a
flag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn, Protocol, final, overload

from isonomy.contract.brief import brief, brief_list
from isonomy.contract.content import EMPTY, Block, settle_extras
from isonomy.contract.error import Effect, ErrorKind, ToolError, short
from isonomy.contract.misuse import IsonomyError, Misuse
from isonomy.contract.value import value

Content = Iterable[Block | str]


class _SuccessFactory(Protocol):
    def __call__(
        self, result: Any = None, content: Content = (), meta: Mapping[str, Any] = EMPTY
    ) -> ToolSuccess: ...


class _ErrorFactory(Protocol):
    def __call__(
        self,
        message: str,
        *,
        code: str | int | None = None,
        retryable: bool | None = None,
        retry_after_ms: int | None = None,
        details: Any = None,
        content: Content = (),
        meta: Mapping[str, Any] = EMPTY,
    ) -> ToolFailure: ...


class _SuccessOnClass:
    """`success`: the factory on the class, nothing on an instance."""

    def __get__(self, instance: ToolResponse | None, owner: type[Any]) -> _SuccessFactory:
        if instance is not None:
            raise AttributeError("a response has no `success`; use `is_success`")
        return _success


class _ErrorOnClass:
    """`error`: the factory on the class, None on a success (a failure has a field of that name)."""

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> _ErrorFactory: ...
    @overload
    def __get__(self, instance: ToolResponse, owner: type[Any]) -> ToolError | None: ...
    def __get__(
        self, instance: ToolResponse | None, owner: type[Any]
    ) -> _ErrorFactory | ToolError | None:
        return _error if instance is None else None


class ToolResponse:
    """Whether a tool operation succeeded: a `ToolSuccess` or a `ToolFailure`, nothing else.

    >>> ToolResponse.success({"left": 3}).is_success
    True
    >>> ToolResponse.error("quota exceeded", code="QUOTA").error
    ToolError(tool_error, code='QUOTA', 'quota exceeded')
    """

    __slots__ = ()

    is_success: ClassVar[bool]
    content: tuple[Block, ...]
    meta: Mapping[str, Any]

    success = _SuccessOnClass()
    error = _ErrorOnClass()

    def __init__(self) -> None:
        raise TypeError("use ToolResponse.success(...) or ToolResponse.error(...)")

    def __init_subclass__(cls) -> None:
        if cls.__module__ != __name__:
            raise TypeError("a response is a ToolSuccess or a ToolFailure: there is no third form")

    def unwrap(self) -> Any:
        """Give the result of a success; raises `ToolFailed` for a failure (clause 1.6)."""
        raise NotImplementedError

    def to_wire(self) -> dict[str, Any]:
        """Give the response as a JSON object, its values in portable form (clause 2)."""
        from isonomy.contract.wire import response_tree

        return response_tree(self)

    @staticmethod
    def from_wire(wire: Any) -> ToolResponse:
        """Read a response from a JSON object; raises `PortableError` as clause 2.4 says."""
        from isonomy.contract.responses import read_response

        return read_response(wire)


@final
@value
class ToolSuccess(ToolResponse):
    """The tool operation succeeded (clause 2.1).

    `result` may be any value, None included, but no response. `content` becomes a tuple and `meta`
    a read-only copy; `result` is the tool's own object and is not copied.
    """

    is_success: ClassVar[bool] = True

    result: Any = None
    content: tuple[Block, ...] = ()
    meta: Mapping[str, Any] = EMPTY

    def __post_init__(self: Any) -> None:
        if issubclass(type(self.result), ToolResponse):
            raise Misuse(
                "success(...) was given a response as its result; return that response itself"
            )
        if self.content != () or self.meta is not EMPTY:
            settle_extras(self)

    def __hash__(self) -> int:
        """Hash the result; raises `TypeError` where that has no hash, as a tuple does."""
        return hash((ToolSuccess, self.result))

    def __repr__(self) -> str:
        """Show the result in brief, and what else there is."""
        return f"ToolSuccess(result={brief(self.result)}{_rest(self)})"

    def unwrap(self) -> Any:
        """Give the result."""
        return self.result


@final
@value
class ToolFailure(ToolResponse):
    """The tool operation failed (clause 2.2)."""

    is_success: ClassVar[bool] = False

    error: ToolError  # narrows what the base says
    content: tuple[Block, ...] = ()
    meta: Mapping[str, Any] = EMPTY

    def __post_init__(self: Any) -> None:
        if type(self.error) is not ToolError:
            raise Misuse(f"a failure holds a ToolError, not {type(self.error).__name__}")
        if self.content != () or self.meta is not EMPTY:
            settle_extras(self)

    def __hash__(self) -> int:
        """Hash the error; equal failures hash alike."""
        return hash((ToolFailure, self.error))

    def __repr__(self) -> str:
        """Name the error, and what else there is."""
        return f"ToolFailure({self.error!r}{_rest(self)})"

    def unwrap(self) -> NoReturn:
        """Raise `ToolFailed` with this failure."""
        raise ToolFailed(self)


@final
class ToolFailed(IsonomyError):  # noqa: N818 - what happened, as in `unwrap` of a failure
    """The failure of a tool as an exception (clauses 1.6 and 3.2).

    Raised by `unwrap()` of a failure. A tool that raises or returns it fails as if it had returned
    the failure; `ToolFailed("no stock", code="STOCK")` takes what `ToolResponse.error` takes.
    """

    def __init__(self, failure: ToolFailure | ToolError | str, **fields: Any) -> None:
        if isinstance(failure, ToolFailure | ToolError) and fields:
            raise Misuse("ToolFailed takes a failure, or a message with fields, not both")
        if isinstance(failure, ToolError):
            failure = ToolFailure(failure)
        elif not isinstance(failure, ToolFailure):
            failure = _error(failure, **fields)
        super().__init__(failure.error.message)
        self._response: ToolFailure = failure

    @property
    def response(self) -> ToolFailure:
        """The failure."""
        return self._response

    @property
    def error(self) -> ToolError:
        """The error of the failure."""
        return self._response.error

    def __repr__(self) -> str:
        return f"ToolFailed({short(self.error.message)!r})"


def _success(
    result: Any = None, content: Content = (), meta: Mapping[str, Any] = EMPTY
) -> ToolSuccess:
    """Make a success (clause 2.7); raises `Misuse` for a response as its result."""
    return ToolSuccess(result, content, meta)  # type: ignore[arg-type]  # made blocks inside


def _error(
    message: str,
    *,
    code: str | int | None = None,
    retryable: bool | None = None,
    retry_after_ms: int | None = None,
    details: Any = None,
    content: Content = (),
    meta: Mapping[str, Any] = EMPTY,
) -> ToolFailure:
    """Make a failure of kind `tool_error` (clause 2.7)."""
    error = ToolError(
        ErrorKind.TOOL_ERROR,
        message,
        Effect.POSSIBLE,
        code=code,  # type: ignore[arg-type]  # an integer becomes its text inside
        retryable=retryable,
        retry_after_ms=retry_after_ms,
        details=details,
    )
    return ToolFailure(error, content, meta)  # type: ignore[arg-type]  # made blocks inside


# What Python says of an argument that they do not take names them as authors know them.
_success.__qualname__ = "ToolResponse.success"
_error.__qualname__ = "ToolResponse.error"


def _rest(response: ToolResponse) -> str:
    """Give what a `repr` says of content and meta, nothing where they are empty."""
    content = f", content={brief_list(response.content)}" if response.content else ""
    return content + (f", meta={brief(dict(response.meta))}" if response.meta else "")
