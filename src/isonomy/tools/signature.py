# SPDX-License-Identifier: Apache-2.0
"""The parameters of a callable, with their annotations resolved and sorted by who fills them."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from isonomy.contract.misuse import Misuse
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected

REQUIRED: Any = inspect.Parameter.empty
_BY_POSITION = inspect.Parameter.POSITIONAL_ONLY
_MANY = inspect.Parameter.VAR_POSITIONAL
_NAMED = inspect.Parameter.VAR_KEYWORD


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, its resolved annotation (`Any` without one) and its default."""

    name: str
    annotation: Any = Any
    default: Any = REQUIRED
    by_position: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """What a callable takes.

    Args:
        parameters: Those that a model fills, in order.
        injected: Those that the host fills, by parameter name.
        defaulted: Names of injected parameters that have a default.
        context: The name of the parameter that takes the `ToolContext`, or None.
        positions: Names of positional-only parameters in order, whoever fills them.
        rest: The annotation of `**kwargs`, or None where the callable has none.
    """

    parameters: tuple[Parameter, ...]
    injected: Mapping[str, Injected]
    defaulted: frozenset[str]
    context: str | None
    positions: tuple[str, ...]
    rest: Any


def read_signature(
    function: Callable[..., Any], name: str, names: Mapping[str, Any] | None = None
) -> Signature:
    """Read the signature of `function` for the tool `name`.

    Args:
        function: Any callable.
        name: What messages call it.
        names: Local names that its annotations may use.

    Raises:
        Misuse: It has `*args`, no readable signature, or an annotation that does not resolve.
    """
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise Misuse(
            f"tool {name!r}: its signature cannot be read ({error}); "
            "wrap it in a function with named parameters"
        ) from error
    scope = {**local_names(function), **(names or {})}
    bound = _bound_names(function)
    _check_bound(function, name, found, bound)
    parameters: list[Parameter] = []
    injected: dict[str, Injected] = {}
    defaulted: set[str] = set()
    context = None
    rest = None
    for one in found:
        if one.name in bound:
            continue
        if one.kind is _MANY:
            raise Misuse(
                f"tool {name!r}: *{one.name} cannot be filled, for a call names its arguments; "
                f"take a list parameter instead, such as {one.name}: list[str]"
            )
        annotation = resolve(function, name, one, scope)
        mark, annotation = _take_mark(annotation)
        _check_marks(name, one, annotation, lost=mark if one.kind is _NAMED else None)
        if one.kind is _NAMED:
            rest = annotation
        elif _is_context(annotation):
            context = one.name
        elif mark is not None:
            injected[one.name] = mark.named(one.name)
            if one.default is not REQUIRED:
                defaulted.add(one.name)
        else:
            by_position = one.kind is _BY_POSITION
            parameters.append(Parameter(one.name, annotation, one.default, by_position))
    positions = tuple(one.name for one in found if one.kind is _BY_POSITION)
    return Signature(tuple(parameters), injected, frozenset(defaulted), context, positions, rest)


def resolve(
    function: Callable[..., Any], name: str, parameter: inspect.Parameter, scope: dict[str, Any]
) -> Any:
    """Return the annotation of a parameter, with names in it resolved; `Any` without one."""
    if parameter.annotation is REQUIRED:
        return Any
    carrier = types.SimpleNamespace(__annotations__={"it": parameter.annotation})
    spaces = getattr(innermost(function), "__globals__", {})
    try:
        return typing.get_type_hints(carrier, spaces, scope, include_extras=True)["it"]
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise Misuse(
            f"tool {name!r}: the annotation of parameter {parameter.name!r} does not resolve "
            f"({error}); its names must exist at run time, in the module or where the tool is made"
        ) from error


def innermost(function: Callable[..., Any]) -> Any:
    """Return the function at the heart of partials, bound methods, wrappers and instances."""
    heart: Any = function
    while True:
        if isinstance(heart, functools.partial):
            heart = heart.func
        elif hasattr(heart, "__wrapped__"):
            heart = heart.__wrapped__
        elif isinstance(heart, (types.MethodType, classmethod, staticmethod)):
            heart = heart.__func__
        elif isinstance(heart, type):
            return vars(heart).get("__init__", heart)
        elif hasattr(heart, "__code__"):
            return heart
        else:
            call = inspect.getattr_static(type(heart), "__call__", None)
            return call if hasattr(call, "__code__") else heart


def _check_bound(
    function: Callable[..., Any],
    name: str,
    found: list[inspect.Parameter],
    bound: frozenset[str],
) -> None:
    """Refuse a method that was taken from its class: a model would be asked for `self`."""
    if not found or found[0].name != "self" or "self" in bound:
        return
    heart = innermost(function)
    qualname = getattr(heart, "__qualname__", name)
    if qualname.rpartition(".")[0].rpartition(".")[2] not in ("", "<locals>"):
        raise Misuse(f"{qualname} needs an instance: give the method of one, not of the class")


def _bound_names(function: Callable[..., Any]) -> frozenset[str]:
    """Return the keywords that a partial has filled: its maker decided them, no model does."""
    return frozenset(function.keywords if isinstance(function, functools.partial) else ())


def local_names(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the local names that annotations written as text may need.

    They are looked up in the frame of the function that `function` was defined in, as long as
    that frame runs, which it does where a decorator is applied. Only names that stand in the
    annotations are taken, so that nothing else is kept alive.
    """
    heart = innermost(function)
    outer = getattr(heart, "__qualname__", "").rpartition(".<locals>")[0]
    wanted = _names_in(getattr(heart, "__annotations__", {}).values())
    if not outer or not wanted:
        return {}
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_qualname == outer:
            return {name: frame.f_locals[name] for name in wanted if name in frame.f_locals}
        frame = frame.f_back
    return {}


def _names_in(annotations: typing.Iterable[Any]) -> set[str]:
    names: set[str] = set()
    for annotation in annotations:
        if isinstance(annotation, str):
            try:
                names.update(compile(annotation, "<annotation>", "eval").co_names)
            except SyntaxError:
                continue
    return names


def _take_mark(annotation: Any) -> tuple[Injected | None, Any]:
    """Return the injection mark of an annotation and the annotation without it."""
    if typing.get_origin(annotation) is not Annotated:
        return None, annotation
    base, *extras = typing.get_args(annotation)
    marks = [one() if one is Injected else one for one in extras]
    mark = next((one for one in marks if isinstance(one, Injected)), None)
    if mark is None:
        return None, annotation
    kept = tuple(one for one in marks if not isinstance(one, Injected))
    return mark, Annotated[(base, *kept)] if kept else base


def _check_marks(
    name: str, parameter: inspect.Parameter, annotation: Any, *, lost: Injected | None
) -> None:
    """Refuse a mark that is not read where it stands: a model would fill the parameter."""
    if lost is not None:
        raise Misuse(
            f"tool {name!r}: **{parameter.name} cannot be injected; give each value that the host "
            "fills a parameter of its own"
        )
    if _is_mark(parameter.default) or _holds_mark(annotation):
        raise Misuse(
            f"tool {name!r}: Injected() is no default and no part of a type; write "
            f"{parameter.name}: Annotated[str, Injected()], with its own type in place of str"
        )


def _is_mark(value: Any) -> bool:
    return value is Injected or isinstance(value, Injected)


def _holds_mark(annotation: Any) -> bool:
    return _is_mark(annotation) or any(map(_holds_mark, typing.get_args(annotation)))


def _is_context(annotation: Any) -> bool:
    if typing.get_origin(annotation) is Annotated:
        annotation = typing.get_args(annotation)[0]
    choices = typing.get_args(annotation) or (annotation,)
    return any(isinstance(one, type) and issubclass(one, ToolContext) for one in choices) and (
        len([one for one in choices if one is not types.NoneType]) == 1
    )
