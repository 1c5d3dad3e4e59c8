# SPDX-License-Identifier: Apache-2.0
"""The configuration, `isonomy.yaml`: which tools, from where, with which values and limits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from isonomy.bridge.reference import JavaMethod
from isonomy.cli.complaints import first_problem, subject_of
from isonomy.cli.document import Document, Where, read_document
from isonomy.contract.misuse import Misuse
from isonomy.mcp.http_guard import host_of, origin_of

Name = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]


class _Part(BaseModel):
    # Values may be secrets: no error and no repr of ours shows what was given.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class _Source(_Part):
    """Where tools come from; with `isolate: process` they run in `workers` processes."""

    only: list[Name] | None = None
    isolate: Literal["process"] | None = None
    workers: Count = 1

    @model_validator(mode="after")
    def _isolated(self) -> Self:
        beside = self.model_fields_set & {"workers", "interpreter"}
        if self.isolate is None and beside:
            raise PydanticCustomError("not_isolated", "{name}", {"name": min(beside)})
        return self


class PythonModule(_Source):
    """A module whose `@tool` functions are taken, or `only` some of them.

    `interpreter` is the Python of its workers, relative to the file where it has a slash.
    """

    name: Name = Field(alias="module")
    interpreter: Name | None = None


class JavaTools(_Source):
    """The `@Tool` methods of a Java class, or `only` some of them; or one method of any class."""

    class_name: Name | None = Field(default=None, alias="class")
    method: Name | None = None
    name: Name | None = None
    description: str | None = None
    parameters: list[Name] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> JavaTools:
        given = self.model_fields_set
        if ("class_name" in given) == ("method" in given):
            raise PydanticCustomError("one_kind", "one of two")
        if "method" not in given and given & {"name", "description", "parameters"}:
            raise PydanticCustomError("of_a_method", "of a method")
        if "method" in given and "only" in given:
            raise PydanticCustomError("of_a_class", "of a class")
        if self.method is not None and "#" not in self.method:
            raise PydanticCustomError("no_method", "no method")
        if self.target.count("(") != self.target.count(")"):
            raise PydanticCustomError("cut_method", "cut method")
        return self

    @property
    def target(self) -> str:
        """What is named: a class or a method."""
        return self.class_name or self.method or ""

    @property
    def reference(self) -> str | JavaMethod:
        """The same, as `java_tools` takes it."""
        if self.method is None:
            return self.target
        return JavaMethod(self.method, self.name, self.description, self.parameters)


class InjectedValue(_Part):
    """A value for injected parameters: `value` as it stands, or the environment variable `env`."""

    env: Name | None = None
    default: str | None = Field(default=None, repr=False)
    value: Any = Field(default=None, repr=False)

    @model_validator(mode="after")
    def _one_source(self) -> InjectedValue:
        given = self.model_fields_set
        if ("env" in given) == ("value" in given) or ("value" in given and "default" in given):
            raise PydanticCustomError("one_source", "one of two")
        return self


def _text_value(given: Any) -> Any:
    """Let a text stand for itself."""
    return {"value": given} if isinstance(given, str) else given


class McpSource(_Part):
    """An MCP server: a `command`, or a `url`; values of `env` and `headers` as under `inject`.

    `cwd` is relative to the file, whose folder it is when left out. With `tools`, their names, the
    server may be down when the command starts.
    """

    name: Name
    command: list[Name] | None = None
    url: Name | None = None
    env: dict[Name, Annotated[InjectedValue, BeforeValidator(_text_value)]] = {}
    headers: dict[Name, Annotated[InjectedValue, BeforeValidator(_text_value)]] = {}
    cwd: Name | None = None
    timeout: Seconds | None = None
    start_timeout: Seconds | None = None
    max_reply: Count | None = None
    tools: Annotated[list[Name], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = self.model_fields_set
        if ("command" in given) == ("url" in given) or self.command == []:
            raise PydanticCustomError("one_way", "one of two")
        if "headers" in given and "url" not in given:
            raise PydanticCustomError("of_a_url", "of a url")
        beside = given & {"env", "cwd"}
        if beside and "command" not in given:
            raise PydanticCustomError("of_a_command", "{name}", {"name": min(beside)})
        return self


def _origin(given: str) -> str:
    try:
        return origin_of(given)
    except Misuse:
        raise PydanticCustomError("no_origin", "no origin") from None


def _host(given: str) -> str:
    try:
        return host_of(given)
    except Misuse:
        raise PydanticCustomError("no_host", "no host") from None


class ServeValues(_Part):
    """How the tools are served by HTTP; `token` as a value under `inject`, or a text."""

    token: Annotated[InjectedValue, BeforeValidator(_text_value)] | None = None
    origins: list[Annotated[Name, AfterValidator(_origin)]] = []
    hosts: list[Annotated[Name, AfterValidator(_host)]] = []


class LimitValues(_Part):
    """Limits of all calls; seconds, bytes, counts. What is left out has the runtime's default."""

    max_result_bytes: Count | None = None
    strict_values: bool | None = None
    max_threads: Count | None = None
    parallel: Count | None = None
    deadline: Seconds | None = None
    call_deadline: Seconds | None = None


def _java_tools(given: Any) -> Any:
    """Let a bare name stand for the mapping that holds it."""
    if isinstance(given, str):
        return {"method" if "#" in given else "class": given}
    return given


def _named(key: str) -> BeforeValidator:
    """Let a bare name stand for the mapping that holds it."""
    return BeforeValidator(lambda given: {key: given} if isinstance(given, str) else given)


class Config(_Part):
    """The configuration of the command.

    Args:
        python: Modules with `@tool` functions, each by name or as `{module, only, isolate, workers,
            interpreter}`.
        path: Folders to import them from before all others, relative to the file; its own folder
            when left out.
        java: Classes with `@Tool` methods, each by name or as `{class, only, isolate, workers}`;
            and methods of any class, as `com.acme.Prices#find(String,int)` or as `{method, name,
            description, parameters, isolate, workers}`.
        classpath: Folders, jars and patterns such as `lib/*.jar`, relative to the file.
        mcp: MCP servers, each `{name, command | url, env, headers, cwd, timeout, start_timeout,
            max_reply, tools}`.
        inject: Values of injected parameters by the host's name for them.
        limits: Limits of all calls.
        serve: How `isonomy serve` serves by HTTP: `{token, origins, hosts}`.
    """

    python: list[Annotated[PythonModule, _named("module")]] = []
    path: list[Name] = ["."]
    java: list[Annotated[JavaTools, BeforeValidator(_java_tools)]] = []
    classpath: list[Name] = []
    mcp: list[McpSource] = []
    inject: dict[Name, InjectedValue] = {}
    limits: LimitValues = LimitValues()
    serve: ServeValues = ServeValues()

    _document: Document = PrivateAttr()

    @property
    def folder(self) -> Path:
        """The folder of the file, which its relative paths start from."""
        return self._document.path.parent

    def complaint(self, where: Where, problem: str) -> Misuse:
        """Return the exception that says what is wrong at a place of the file."""
        return self._document.complaint(where, f"{subject_of(where)}{problem}")

    def line_of(self, where: Where) -> str:
        """Return the line of the file on which a place begins, comments included."""
        return self._document.text_at(where)

    def injected_values(self) -> dict[str, Any]:
        """Return the values by name; raises `Misuse` for a variable that is not set."""
        return self.values_at(("inject",), self.inject)

    def values_at(self, where: Where, sources: Mapping[str, InjectedValue]) -> dict[str, Any]:
        """Return the values of a section; raises `Misuse` for a variable that is not set."""
        return {name: self._value_of((*where, name), source) for name, source in sources.items()}

    def token(self) -> str | None:
        """Return the token of the server, if it has one; raises `Misuse` where it is not set."""
        if self.serve.token is None:
            return None
        value = self._value_of(("serve", "token"), self.serve.token)
        if not isinstance(value, str):
            raise self.complaint(("serve", "token"), "must be text; put it in quotes")
        return value

    def _value_of(self, where: Where, source: InjectedValue) -> Any:
        if source.env is None:
            return source.value
        value = os.environ.get(source.env, source.default)
        if value is None:
            problem = (
                f'needs the environment variable "{source.env}", which is not set;'
                ' set it, or give a "default" beside "env"'
            )
            raise self.complaint(where, problem)
        return value


PARTS: dict[str | int, type[BaseModel]] = {
    "": Config,
    "python": PythonModule,
    "java": JavaTools,
    "mcp": McpSource,
    "inject": InjectedValue,
    "limits": LimitValues,
    "serve": ServeValues,
}
"""The models of the file by top-level key, and of the whole."""


def load_config(path: Path) -> Config:
    """Read a configuration; raises `Misuse` with file, line and remedy where it makes no sense."""
    document = read_document(path)
    data = {} if document.data is None else document.data
    if isinstance(data, dict):
        # A section whose content is commented out.
        data = {name: section for name, section in data.items() if section is not None}
    try:
        config = Config.model_validate(data)
    except ValidationError as failed:
        raise first_problem(failed.errors(include_url=False), PARTS, document) from None
    config._document = document
    if not (config.python or config.java or config.mcp):
        raise document.complaint(
            (),
            'names no tools; list modules under "python", classes under "java" or servers under'
            ' "mcp"',
        )
    return config
