# SPDX-License-Identifier: Apache-2.0
"""What a worker and its host say before the first call (W3 of spec/wire.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from isonomy.contract.frames import BrokenWireError, Frame, FrameType
from isonomy.contract.jsontext import parse, write
from isonomy.contract.tagged import PortableError

VERSIONS: Final = (1,)
"""The versions of the wire that this package speaks."""


class Hello(NamedTuple):
    """How a worker begins (W3.1)."""

    wire: Sequence[int]
    language: str
    isonomy: str
    pid: int


class Welcome(NamedTuple):
    """What a host answers: the version of the wire, the limit of frames, what to load (W3.2)."""

    wire: int
    max_frame: int
    tools: Sequence[str]
    path: Sequence[str] = ()


class Refused(NamedTuple):
    """What a host says to a worker that it cannot talk to, before it closes (W3.2)."""

    message: str


def hello_frame(hello: Hello) -> Frame:
    """Give the frame of a hello."""
    return Frame(FrameType.HELLO, 0, write(hello._asdict()))


def read_hello(payload: bytes) -> Hello:
    """Read a hello; raises `BrokenWireError` for what is none (W2.6)."""
    told = fields(payload, "hello")
    wire, pid = told.get("wire"), told.get("pid")
    if not isinstance(wire, list) or not all(type(version) is int for version in wire):
        raise BrokenWireError("a hello without the list of its versions")
    return Hello(
        wire, text(told, "language"), text(told, "isonomy"), pid if type(pid) is int else 0
    )


def agreed(hello: Hello) -> int | Refused:
    """Give the highest version of the wire that both sides speak, or why there is none (W3.2)."""
    common = set(hello.wire) & set(VERSIONS)
    if common:
        return max(common)
    return Refused(
        f"the worker speaks wire versions {list(hello.wire)}, this host {list(VERSIONS)};"
        " install the same version of Isonomy on both sides"
    )


def answer_frame(answer: Welcome | Refused) -> Frame:
    """Give the frame of a host's answer."""
    kind = FrameType.WELCOME if isinstance(answer, Welcome) else FrameType.REFUSED
    return Frame(kind, 0, write(answer._asdict()))


def read_answer(frame: Frame) -> Welcome | Refused:
    """Read a host's answer; raises `BrokenWireError` for what is none."""
    if frame.type == FrameType.REFUSED:
        return Refused(text(fields(frame.payload, "refused"), "message"))
    if frame.type != FrameType.WELCOME:
        raise BrokenWireError(f"a frame of type {frame.type} where the host's answer is due")
    told = fields(frame.payload, "welcome")
    wire, limit = told.get("wire"), told.get("max_frame")
    if type(wire) is not int or wire not in VERSIONS or type(limit) is not int or limit < 1:
        raise BrokenWireError("a welcome without its version or its limit")
    return Welcome(wire, limit, _texts(told, "tools"), _texts(told, "path"))


def fields(payload: bytes, what: str) -> Mapping[str, Any]:
    """Read the JSON object of a frame; raises `BrokenWireError` for what is none."""
    try:
        told = parse(payload)
    except PortableError as malformed:
        raise BrokenWireError(f"a {what} that cannot be read: {malformed}") from None
    if not isinstance(told, dict):
        raise BrokenWireError(f"a {what} that is no object")
    return told


def text(told: Mapping[str, Any], name: str) -> str:
    """Give a field that must be a text; raises `BrokenWireError` where it is none."""
    value = told.get(name)
    if not isinstance(value, str):
        raise BrokenWireError(f"the field {name!r} is not a text")
    return value


def _texts(told: Mapping[str, Any], name: str) -> list[str]:
    value = told.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BrokenWireError(f"the field {name!r} is not a list of texts")
    return value
