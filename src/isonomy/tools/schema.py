# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema (2020-12) of a callable's parameters, derived from what Python says of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, get_args, get_origin

from pydantic import Field as ModelField
from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import PydanticSerializationError

from isonomy.contract.misuse import Misuse
from isonomy.tools.alternatives import tidy
from isonomy.tools.annotations import readable
from isonomy.tools.signature import REQUIRED, Parameter, Signature

_OF_VALUE = ("description", "title", "examples", "json_schema_extra", "discriminator")
_MODE: Final[JsonSchemaMode] = "validation"


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter as its schema shows it.

    Args:
        parameter: The parameter's name in Python.
        name: Its name in the schema: the alias that `Field(alias=...)` gives, else the same.
        adapter: Reads a JSON value as the declared type.
        required: Whether a call must give it.
        default: What an absent one gets; `REQUIRED` where that is unknown before it is made.
        maker: Makes what an absent one gets, where the signature itself does not say.
    """

    parameter: str
    name: str
    adapter: TypeAdapter[Any]
    required: bool
    default: Any = REQUIRED
    maker: Callable[[], Any] | None = None


class _Generator(GenerateJsonSchema):
    """Leaves out titles nobody wrote, and closes the objects that take no other fields.

    What a text must look like to be read as a decimal is left to its reading (clause 7.11).
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        made = super().decimal_schema(schema)
        for form in made.get("anyOf", ()):
            form.pop("pattern", None)
        return made

    def model_schema(self, schema: Any) -> dict[str, Any]:
        config = getattr(schema["cls"], "model_config", {})
        return _closed(super().model_schema(schema), schema["cls"], config)

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        config = getattr(schema["cls"], "__pydantic_config__", {})
        return _closed(super().dataclass_schema(schema), schema["cls"], config)

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        config = getattr(schema.get("cls"), "__pydantic_config__", {})
        return _closed(super().typed_dict_schema(schema), schema.get("cls"), config)


def _closed(made: dict[str, Any], cls: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    if made.get("title") == getattr(cls, "__name__", None) and not config.get("title"):
        del made["title"]
    if made.get("type") == "object" and config.get("extra") != "ignore":
        made.setdefault("additionalProperties", False)
    return made


def derive(
    signature: Signature,
    name: str,
    texts: Mapping[str, str],
    *,
    allow_unknown: bool = False,
) -> tuple[dict[str, Any], tuple[Field, ...]]:
    """Derive the schema of a signature (clause 7.3).

    Args:
        signature: What the callable takes.
        name: The tool's name, for messages.
        texts: Descriptions by parameter name, used where an annotation has none.
        allow_unknown: Whether arguments that no parameter takes are allowed.

    Returns:
        The schema, an object schema with a property for each parameter, and the parameters as it
        shows them, in order.

    Raises:
        Misuse: A parameter's type has no JSON form.
    """
    pairs = [(_field(one, name), one) for one in signature.parameters]
    fields = tuple(one for one, _ in pairs)
    properties: dict[str, Any] = {}
    shapes, definitions = _shapes(fields, name)
    for one, parameter in pairs:
        shape = tidy(shapes[one.name])
        text = _annotated_text(parameter.annotation) or texts.get(parameter.name, "")
        if text and "description" not in shape:
            shape["description"] = text
        _note_default(shape, one)
        properties[one.name] = shape
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [one.name for one in fields if one.required]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = _rest(signature, name) or allow_unknown
    if definitions:
        schema["$defs"] = {key: _untitled(key, tidy(value)) for key, value in definitions.items()}
    return schema, fields


def _untitled(key: str, shape: dict[str, Any]) -> dict[str, Any]:
    """Leave out a title that only repeats the name of the definition."""
    if shape.get("title") == key:
        del shape["title"]
    return shape


def _field(parameter: Parameter, name: str) -> Field:
    annotation = readable(parameter.annotation)
    if isinstance(parameter.default, FieldInfo):
        annotation = Annotated[annotation, parameter.default]
    infos = [one for one in get_args(annotation)[1:] if isinstance(one, FieldInfo)]
    alias = next((one.validation_alias or one.alias for one in infos if one.alias), None)
    if alias is not None and not isinstance(alias, str):
        raise Misuse(
            f"tool {name!r}: the alias of parameter {parameter.name!r} is not one name; "
            "give Field(alias=...) a text"
        )
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(_of_value(annotation))
    except PydanticUserError as error:
        raise _no_form(name, parameter.name, error) from error
    default, maker = parameter.default, None
    if default is REQUIRED or isinstance(default, FieldInfo):
        default, maker = _field_default(infos)
    required = default is REQUIRED and maker is None
    return Field(parameter.name, alias or parameter.name, adapter, required, default, maker)


def _of_value(annotation: Any) -> Any:
    """Leave out what a `Field(...)` says of a model's field and not of its value."""
    if get_origin(annotation) is not Annotated:
        return annotation
    base, *extras = get_args(annotation)
    kept: list[Any] = []
    for one in extras:
        if isinstance(one, FieldInfo):
            said = {key: getattr(one, key) for key in _OF_VALUE}
            kept += [*one.metadata, ModelField(**said)]
        else:
            kept.append(one)
    return Annotated[(base, *kept)]


def _field_default(infos: list[FieldInfo]) -> tuple[Any, Callable[[], Any] | None]:
    """Return the default that a `Field(...)` states, and what makes it for each call."""
    for info in reversed(infos):
        if not info.is_required():
            known = REQUIRED if info.default_factory is not None else info.default
            return known, partial(info.get_default, call_default_factory=True)
    return REQUIRED, None


def _shapes(
    fields: tuple[Field, ...], name: str
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the schema of each field by name, and the definitions that they share."""
    if len({one.name for one in fields}) < len(fields):
        raise Misuse(f"tool {name!r}: two of its parameters have one name; change an alias")
    if not fields:
        return {}, {}
    for one in fields:
        try:
            one.adapter.json_schema(schema_generator=_Generator)
        except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
            raise _no_form(name, one.parameter, error) from error
    shapes, whole = TypeAdapter.json_schemas(
        [(one.name, _MODE, one.adapter) for one in fields], schema_generator=_Generator
    )
    return {key[0]: shape for key, shape in shapes.items()}, whole.get("$defs", {})


def _no_form(name: str, parameter: str, error: Exception) -> Misuse:
    reason = str(error).partition("\n")[0].partition(". Set ")[0]
    return Misuse(
        f"tool {name!r}: parameter {parameter!r} has a type without a JSON form ({reason}); "
        "declare one that JSON can say, or mark it Annotated[..., Injected()] if the host fills it"
    )


def _annotated_text(annotation: Any) -> str:
    if get_origin(annotation) is Annotated:
        return next((one for one in get_args(annotation)[1:] if isinstance(one, str)), "")
    return ""


def _note_default(shape: dict[str, Any], one: Field) -> None:
    """Write a default that JSON can say into the schema, as an annotation for the model."""
    shape.pop("default", None)
    if one.default is REQUIRED:
        return
    try:
        plain = one.adapter.dump_python(one.default, mode="json", warnings="none")
        json.dumps(plain, allow_nan=False)
    except (PydanticSerializationError, ValueError, TypeError, AttributeError):
        return
    if plain is not None or _takes_null(shape):
        shape["default"] = plain


def _takes_null(shape: Mapping[str, Any]) -> bool:
    types = shape.get("type")
    if types is None:
        choices = shape.get("anyOf", ())
        return {"type": "null"} in choices or not (choices or "$ref" in shape)
    return "null" in types if isinstance(types, list) else types == "null"


def _rest(signature: Signature, name: str) -> Any:
    """Return what `**kwargs` allows: True, a schema of the values, or False without one."""
    if signature.rest is None:
        return False
    rest = Parameter("kwargs", signature.rest)
    shapes, definitions = _shapes((_field(rest, name),), name)
    shape = tidy(shapes["kwargs"])
    if definitions:
        raise Misuse(
            f"tool {name!r}: the type of **kwargs is too rich for a schema; "
            "take a parameter of a dict type instead"
        )
    return shape or True
