# SPDX-License-Identifier: Apache-2.0
"""Which classes are objects with fields, told by marks on the class; nothing is imported (5.24)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

Fields = Callable[[Any], list[tuple[str, Any]]]
"""Gives the fields of an instance, verbatim and in order; raises where one is not there."""


def fields_of(cls: type) -> Fields | None:
    """Give how to read the fields of a class's instances; None where it has none that are known.

    Named tuples, dataclasses, pydantic models (with extra fields where they allow them), attrs
    classes and msgspec structs are known.
    """
    if issubclass(cls, tuple):
        names = getattr(cls, "_fields", None)
        if type(names) is not tuple:
            return None
        return lambda value: list(zip(names, tuple.__iter__(value), strict=True))
    marked = getattr(cls, "__dataclass_fields__", None)
    if type(marked) is dict:
        from dataclasses import fields

        return _by_name(tuple(field.name for field in fields(cast("Any", cls))))
    marked = getattr(cls, "__pydantic_fields__", None)
    if type(marked) is dict:
        return _of_pydantic
    marked = getattr(cls, "__attrs_attrs__", None)
    if isinstance(marked, tuple):
        return _by_name(tuple(attribute.name for attribute in marked))
    marked = getattr(cls, "__struct_fields__", None)
    if type(marked) is tuple:
        return _by_name(marked)
    return None


def _by_name(names: tuple[str, ...]) -> Fields:
    return lambda value: [(name, getattr(value, name)) for name in names]


def _of_pydantic(value: Any) -> list[tuple[str, Any]]:
    names = type(value).__pydantic_fields__
    extra = value.__pydantic_extra__ or {}
    return [(name, getattr(value, name)) for name in names] + list(extra.items())
