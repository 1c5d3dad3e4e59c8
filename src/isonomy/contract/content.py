# SPDX-License-Identifier: Apache-2.0
"""Content blocks: what a tool shows to the model (clause 2.6)."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, final

from isonomy.contract.brief import brief_of
from isonomy.contract.misuse import Misuse
from isonomy.contract.tagged import PortableError
from isonomy.contract.value import value

EMPTY: Mapping[str, Any] = MappingProxyType({})
"""The one empty map that stands for absent `meta` and absent block fields."""


@final
@value
class Block:
    """One block of content: a type and its other fields, in order (clause 2.6).

    The fields are plain JSON, copied once and kept as they are; an unknown type is kept whole.

    >>> Block.text("3 left").to_wire()
    {'type': 'text', 'text': '3 left'}
    """

    type: str
    fields: Mapping[str, Any] = EMPTY

    def __post_init__(self: Any) -> None:
        if not isinstance(self.type, str):
            raise Misuse(f"a block's type is a string, not {type(self.type).__name__}")
        if "type" in self.fields:
            raise Misuse("a block's type is given once, as `type`, and not among its fields")
        self.fields = MappingProxyType(dict(self.fields)) if self.fields else EMPTY

    def __hash__(self) -> int:
        """Hash the type and the names of the fields; equal blocks hash alike."""
        return hash((self.type, frozenset(self.fields)))

    def __repr__(self) -> str:
        """Show the type and the fields in brief."""
        return brief_of("Block", type=self.type, fields=dict(self.fields))

    @staticmethod
    def text(text: str) -> Block:
        """Make a `text` block."""
        return Block("text", {"text": text})

    @staticmethod
    def image(data: bytes, mime_type: str) -> Block:
        """Make an `image` block of raw bytes, which are written in base64."""
        return Block("image", {"data": _base64(data), "mimeType": mime_type})

    @staticmethod
    def audio(data: bytes, mime_type: str) -> Block:
        """Make an `audio` block of raw bytes, which are written in base64."""
        return Block("audio", {"data": _base64(data), "mimeType": mime_type})

    @staticmethod
    def resource(resource: Mapping[str, Any]) -> Block:
        """Make a `resource` block that holds an embedded resource."""
        return Block("resource", {"resource": dict(resource)})

    @staticmethod
    def link(uri: str, name: str, **fields: Any) -> Block:
        """Make a `resource_link` block; further fields are kept as given."""
        return Block("resource_link", {"uri": uri, "name": name, **fields})

    def to_wire(self) -> dict[str, Any]:
        """Give the block as a JSON object, `type` first."""
        return {"type": self.type, **self.fields}

    @staticmethod
    def from_wire(wire: Any) -> Block:
        """Read a block from a JSON object; raises `PortableError` where it is none (clause 2.6)."""
        if not isinstance(wire, Mapping) or type(wire.get("type")) is not str:
            raise PortableError("malformed", "a content block is an object with a string `type`")
        return Block(wire["type"], {name: wire[name] for name in wire if name != "type"})


def as_blocks(content: Iterable[Block | str]) -> tuple[Block, ...]:
    """Give content as a tuple of blocks; a string stands for a text block."""
    if isinstance(content, str | Block):
        content = (content,)
    return tuple(_as_block(item) for item in content)


def settle_extras(draft: Any) -> None:
    """Make content a tuple of blocks and meta a read-only copy, or raise `Misuse`.

    `draft` is a draft of a value that has both.
    """
    meta = draft.meta
    if not isinstance(meta, Mapping) or not all(isinstance(key, str) for key in meta):
        raise Misuse("`meta` of a response is a map with string keys")
    draft.content = as_blocks(draft.content)
    draft.meta = MappingProxyType(dict(meta)) if meta else EMPTY


def text_of(content: Iterable[Block]) -> str:
    """Give the text blocks joined by newlines (clauses 3.11 and 11.4)."""
    return "\n".join(str(block.fields.get("text", "")) for block in content if is_text(block))


def is_text(block: Block) -> bool:
    """Tell whether a block is a text block whose text is a string."""
    return block.type == "text" and type(block.fields.get("text")) is str


def _as_block(item: Any) -> Block:
    if type(item) is Block:
        return item
    if isinstance(item, str):
        return Block.text(item)
    if isinstance(item, Mapping) and type(item.get("type")) is str:
        return Block.from_wire(item)
    raise Misuse(
        f"content holds blocks and strings, not {type(item).__name__}; use Block.text(...)"
    )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
