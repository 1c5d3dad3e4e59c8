# SPDX-License-Identifier: Apache-2.0
"""Annotations as pydantic can read them, where it and the contract differ."""

from __future__ import annotations

import base64
import binascii
import sys
import types
import typing
import weakref
from typing import Annotated, Any, NotRequired, Required, get_args, get_origin

import typing_extensions
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


class Base64:
    """Reads `bytes` from base64 text, standard alphabet, padded: their portable form (5.11)."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        """Return the reading of base64 text before that of bytes."""
        return core_schema.no_info_before_validator_function(
            _decoded,
            handler(source),
            json_schema_input_schema=core_schema.str_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(_encoded),
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Return the schema of the text."""
        return {"type": "string", "contentEncoding": "base64"}


def _encoded(value: Any) -> str:
    return base64.b64encode(value).decode("ascii")


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise PydanticCustomError("base64", "is not base64") from error


def readable(annotation: Any) -> Any:
    """Return an annotation that reads JSON values as the contract says.

    `bytes` are read from base64, and a `typing.TypedDict`, which pydantic refuses before Python
    3.12, becomes its twin of `typing_extensions`. What classes declare inside is left to them.
    """
    if annotation is bytes:
        return Annotated[bytes, Base64()]
    if typing.is_typeddict(annotation) and sys.version_info < (3, 12):
        return _twin(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if not arguments or origin is typing.Literal:
        return annotation
    if origin is Annotated:
        base = arguments[0]
        if any(hasattr(one, "__get_pydantic_core_schema__") for one in arguments[1:]):
            return annotation
        return Annotated[(readable(base), *annotation.__metadata__)]
    if not all(_is_argument(one) for one in arguments):
        return annotation
    return _rebuilt(annotation, origin, tuple(readable(one) for one in arguments))


def _is_argument(argument: Any) -> bool:
    return not isinstance(argument, (list, typing.TypeVar))


def _rebuilt(annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Any:
    if arguments == get_args(annotation):
        return annotation
    if origin is types.UnionType:
        return typing.Union[arguments]  # noqa: UP007 - built from a tuple
    if origin in (Required, NotRequired):
        return origin[arguments[0]]
    if hasattr(annotation, "copy_with"):
        return annotation.copy_with(arguments)
    return origin[arguments]


# Twins by declaration, so that two parameters of one type share one definition.
_twins: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _twin(declared: Any) -> Any:
    """Return the `typing_extensions` twin of a `typing.TypedDict`."""
    if type(declared).__module__ != "typing":
        return declared
    if declared not in _twins:
        _twins[declared] = declared  # what refers to itself keeps its own type inside
        _twins[declared] = _made_twin(declared)
    return _twins[declared]


def _made_twin(declared: Any) -> Any:
    fields = {
        key: (Required if key in declared.__required_keys__ else NotRequired)[_bare(readable(hint))]
        for key, hint in typing.get_type_hints(declared, include_extras=True).items()
    }
    make: Any = typing_extensions.TypedDict
    twin = make(declared.__name__, fields)
    for attribute in ("__module__", "__qualname__", "__doc__", "__pydantic_config__"):
        if hasattr(declared, attribute):
            setattr(twin, attribute, getattr(declared, attribute))
    return twin


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in (Required, NotRequired) else hint
