# SPDX-License-Identifier: Apache-2.0
"""Immutable values that are cheap to make.

A frozen dataclass pays about 0.1 µs for every field it sets, because it has to go around its own
refusal to be changed. A value is filled as a draft, an instance of a class that refuses nothing,
and then becomes an instance of the class that does: a third of the price, the same guarantees.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """Make a class of annotated fields an immutable dataclass with slots.

    As with a dataclass, fields may have defaults (any object: it is shared, never copied), there
    are `__eq__`, `__hash__` and `__repr__` unless the class has its own, and `dataclasses.replace`
    works. A `__post_init__` sees the draft, and may still set its fields. A copy is made by calling
    the class again.
    """
    annotations = get_annotations(cls)
    defaults = {}
    for name, annotation in annotations.items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            if name in cls.__dict__:
                defaults[name] = cls.__dict__[name]
            # a field says that there is no default, also where a base has something of that name
            setattr(cls, name, field())
    own_hash = "__hash__" in cls.__dict__
    draft: Any = dataclass(init=False, slots=True, unsafe_hash=not own_hash)(cls)
    names = [each.name for each in fields(draft)]
    attributes = {
        "__slots__": (),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__init__": object.__init__,
        "__new__": _maker(draft, names, defaults),
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
        "__reduce__": _reduce,
    }
    draft.__name__ = draft.__qualname__ = f"{cls.__name__}Draft"
    made: Any = type(cls.__name__, (draft,), attributes)
    made.__new__.__qualname__ = f"{cls.__qualname__}.__new__"
    made.__new__.__annotations__ = annotations
    return made  # type: ignore[no-any-return]  # the class given, refusing changes


def _maker(draft: type, names: list[str], defaults: dict[str, Any]) -> Any:
    """Write `__new__` out, as dataclasses do: a loop over the names would cost what was saved."""
    parameters = [f"{name}=_defaults[{name!r}]" if name in defaults else name for name in names]
    lines = [
        f"def __new__(cls, {', '.join(parameters)}):",
        " self = _new(_draft)",
        *(f" self.{name} = {name}" for name in names),
        *([" self.__post_init__()"] if hasattr(draft, "__post_init__") else []),
        " self.__class__ = cls",
        " return self",
    ]
    scope: dict[str, Any] = {"_new": object.__new__, "_draft": draft, "_defaults": defaults}
    exec("\n".join(lines), scope)  # noqa: S102 - made of the names of fields only
    return scope["__new__"]


def _refuse_set(self: object, name: str, _: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot set {name!r}: a {type(self).__name__} never changes")


def _refuse_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete {name!r}: a {type(self).__name__} never changes")


def _reduce(self: Any) -> tuple[Any, ...]:
    parts = (getattr(self, each.name) for each in fields(self))
    return type(self), tuple(dict(p) if type(p) is MappingProxyType else p for p in parts)
