# SPDX-License-Identifier: Apache-2.0
"""JSON-RPC requests as a server reads them, and what it says of those that are none (14.24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from isonomy.contract.jsontext import parse
from isonomy.contract.tagged import PortableError
from isonomy.mcp.messages import SCANNED, TooLong, id_of, read_message

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL: Final = -32603
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

MAX_REQUEST: Final = 16 * 1024 * 1024
"""Bytes of a message of a client (clause 14.30)."""


class RpcError(Exception):
    """A JSON-RPC error: what is said of something that is no call."""

    def __init__(self, code: int, message: str, data: Any = None, *, number: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        #: The id of what it answers, where there is one that can be told.
        self.number = number

    def reply(self, number: Any = None) -> dict[str, Any]:
        """Give the reply that says it."""
        error: dict[str, Any] = {"code": self.code, "message": str(self)}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": self.number if number is None else number, "error": error}


def read_json(data: bytes) -> Any:
    """Read what a client sent; raises `RpcError` where it is no JSON (clauses 5.8 and 5.28).

    The error has the id of the request where one can be told all the same, so that whoever waits
    for its answer learns of it.
    """
    try:
        return parse(data)
    except PortableError as refused:
        raise RpcError(
            PARSE_ERROR, f"Parse error: {refused.message}", number=_found(data)
        ) from None


def too_long(line: TooLong) -> RpcError:
    """Say that a message is too long."""
    found = id_of(line.head, line.tail)
    return RpcError(
        INVALID_REQUEST, f"the message takes more than {MAX_REQUEST} bytes", number=found
    )


def _found(data: bytes) -> str | int | None:
    message = read_message(data)
    if message is not None:
        number = message.get("id")
        return number if is_id(number) else None
    return id_of(data[:SCANNED], data[-SCANNED:])


def is_id(number: Any) -> bool:
    """Tell whether this is an id of a request: a string or an integer."""
    return type(number) is str or type(number) is int


class Request:
    """One request or notification of a client, checked as far as JSON-RPC goes.

    Args:
        message: What the client sent, as a JSON tree.

    Raises:
        RpcError: It is none.
    """

    def __init__(self, message: Any) -> None:
        if type(message) is not dict:
            raise RpcError(INVALID_REQUEST, "a request is an object")
        number = message.get("id")
        #: Whether it is a notification, which nothing answers.
        self.is_notification = "id" not in message
        if not self.is_notification and not is_id(number):
            raise RpcError(INVALID_REQUEST, "the id of a request is a string or an integer")
        #: What identifies its answer.
        self.number: str | int | None = number
        method, params = message.get("method"), message.get("params")
        if message.get("jsonrpc") != "2.0":
            raise RpcError(INVALID_REQUEST, 'a request has "jsonrpc": "2.0"', number=number)
        if type(method) is not str:
            raise RpcError(INVALID_REQUEST, "the method of a request is a string", number=number)
        #: What is asked for.
        self.method: str = method
        if params is not None and type(params) is not dict:
            raise RpcError(INVALID_PARAMS, "params is an object", number=number)
        #: By which parameters; none where there are none.
        self.params: Mapping[str, Any] = params or {}

    @property
    def meta(self) -> Mapping[str, Any]:
        """What `_meta` of the parameters holds."""
        meta = self.params.get("_meta")
        return meta if type(meta) is dict else {}


def is_response(message: Any) -> bool:
    """Tell whether a message is an answer; a server that asks nothing has no use for one."""
    return (
        type(message) is dict
        and "method" not in message
        and bool({"result", "error"} & set(message))
    )
