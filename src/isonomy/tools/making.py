# SPDX-License-Identifier: Apache-2.0
"""From a callable and its author's options to a tool.

Importing this module imports pydantic, so only what makes tools does.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from isonomy.contract.misuse import Misuse
from isonomy.tools.annotations import readable
from isonomy.tools.binding import Binding, check_against
from isonomy.tools.conversion import Conversion, conversion
from isonomy.tools.docstring import Docstring, parse
from isonomy.tools.function import FunctionTool
from isonomy.tools.options import ToolOptions
from isonomy.tools.schema import derive
from isonomy.tools.signature import REQUIRED, Parameter, Signature, innermost, read_signature
from isonomy.tools.validator import Validator


def make(function: Callable[..., Any], options: ToolOptions) -> FunctionTool:
    """Make a tool of a callable.

    Raises:
        Misuse: The callable has no name, or a signature or type that no schema can say; or the
            given schema is not one, or does not fit the callable.
    """
    name = _name(function, options)
    signature = read_signature(function, name, options.names)
    text = _docstring(function)
    if options.schema is None:
        validator, binding = _derived(signature, name, text, options)
    else:
        validator, binding = _given(signature, name, options.schema)
    described = text.description if options.description is None else options.description
    return FunctionTool(
        function, name, validator, signature, binding, description=described, options=options
    )


def _name(function: Callable[..., Any], options: ToolOptions) -> str:
    if options.name is not None:
        return options.name
    named: Any = function
    while isinstance(named, functools.partial):
        named = named.func
    name = str(getattr(named, "__name__", None) or type(named).__name__)
    if name == "<lambda>":
        raise Misuse("a lambda has no name; make the tool with as_tool(..., name=...)")
    return name


def _docstring(function: Callable[..., Any]) -> Docstring:
    heart = innermost(function)
    own: Any = function
    while isinstance(own, functools.partial):
        own = own.func
    if inspect.isroutine(own) or isinstance(own, type):
        # Not the type's: that of functions documents how to make a function.
        return parse(inspect.getdoc(own) or getattr(heart, "__doc__", None))
    return parse(getattr(heart, "__doc__", None) or inspect.getdoc(type(own)))


def _derived(
    signature: Signature, name: str, text: Docstring, options: ToolOptions
) -> tuple[Validator, Binding]:
    schema, fields = derive(signature, name, text.parameters, allow_unknown=options.allow_unknown)
    by_name = {one.name: one for one in signature.parameters}
    conversions = [
        conversion(one.name, by_name[one.parameter].annotation, one.adapter, given_schema=False)
        for one in fields
    ]
    makers = {one.parameter: one.maker for one in fields if one.maker is not None}
    aliases = [(one.name, one.parameter) for one in fields if one.name != one.parameter]
    dropping = options.allow_unknown and signature.rest is None
    binding = Binding(
        signature,
        conversions,
        rest=_rest(signature),
        aliases=aliases,
        makers=makers,
        dropping=dropping,
    )
    return Validator(schema, name), binding


def _given(signature: Signature, name: str, given: Mapping[str, Any]) -> tuple[Validator, Binding]:
    validator = Validator(given, name)
    schema = validator.schema
    if schema.get("type", "object") != "object":
        raise Misuse(f"tool {name!r}: the schema of its arguments has the type object, no other")
    check_against(schema, signature, name)
    properties: dict[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    written = {
        key: part["default"]
        for key, part in properties.items()
        if isinstance(part, Mapping) and "default" in part
    }
    makers = {
        one.name: _nothing
        for one in signature.parameters
        if one.default is REQUIRED and one.name not in required
    }
    binding = Binding(
        signature,
        _annotated(signature),
        rest=_rest(signature),
        written=written,
        makers=makers,
        dropping=signature.rest is None,
    )
    return validator, binding


def _nothing() -> None:
    """Make the default of a parameter that has none and that the schema does not require."""


def _rest(signature: Signature) -> Conversion | None:
    """Return the conversion of the values that `**kwargs` takes."""
    if signature.rest is None:
        return None
    rest = Parameter("", signature.rest)
    return next(_annotated(replace(signature, parameters=(rest,))), None)


def _annotated(signature: Signature) -> Iterator[Conversion]:
    """Yield the conversions to the types that a function with a given schema declares.

    The schema decides what is accepted, so a type that pydantic does not know is no misuse here:
    its parameter receives the JSON value.
    """
    for one in signature.parameters:
        try:
            adapter: TypeAdapter[Any] = TypeAdapter(readable(one.annotation))
        except PydanticUserError:
            continue
        found = conversion(one.name, one.annotation, adapter, given_schema=True)
        if found is not None:
            yield found
