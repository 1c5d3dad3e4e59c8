# SPDX-License-Identifier: Apache-2.0
"""What a model sees of a response (clause 11)."""

from __future__ import annotations

from typing import Any, Final, final

from isonomy.contract.content import Block, is_text, text_of
from isonomy.contract.encoding import Walk
from isonomy.contract.error import UNEXPECTED, Unexpected
from isonomy.contract.forms import is_escape, is_map, is_opaque, is_set, is_text_form
from isonomy.contract.jsontext import write
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.contract.tagged import TAG
from isonomy.contract.text import MAP, STR, read_str, without_surrogates
from isonomy.contract.value import value

MAX_CHARS: Final = 100_000
"""Default bound of the texts of a view, in code points (clause 11.5)."""


@final
@value
class ModelView:
    """The blocks that a model is given, and whether they tell of an error (clause 11.1)."""

    is_error: bool
    content: tuple[Block, ...]

    def to_wire(self) -> dict[str, Any]:
        """Give the view as a JSON object."""
        return {"is_error": self.is_error, "content": [block.to_wire() for block in self.content]}


def model_view(
    response: ToolResponse, *, unexpected: Unexpected = "message", max_chars: int = MAX_CHARS
) -> ModelView:
    """Give what a model sees of a response; `meta` is never among it (clause 11).

    `unexpected` decides what is shown of an exception that no tool declared (clause 4.14);
    `max_chars` bounds the code points of all text blocks, and a cut is stated in their place.

    >>> model_view(ToolResponse.error("no stock", code="STOCK")).content[0].fields["text"]
    'error [tool_error STOCK]: no stock'
    """
    _check(response, unexpected, max_chars)
    if isinstance(response, ToolFailure):
        return ModelView(is_error=True, content=_cut(_failure(response, unexpected), max_chars))
    content = response.content or (Block.text(plain_text(response.unwrap())),)
    return ModelView(is_error=False, content=_cut(content, max_chars))


def _check(response: Any, unexpected: Any, max_chars: Any) -> None:
    if not isinstance(response, ToolResponse):
        kind = type(response).__name__
        how = "of a record, its `response`; of JSON, ToolResponse.from_wire(...)"
        raise Misuse(f"model_view takes a response, not a value of type {kind}; give, {how}")
    if unexpected not in UNEXPECTED:
        raise Misuse(f'unexpected is "message" or "type", not {unexpected!r}')
    if type(max_chars) is not int or max_chars < 1:
        raise Misuse(f"max_chars is a number of characters from 1, not {max_chars!r}")


def plain_text(result: Any) -> str:
    """Give a string raw, and any other value as compact JSON in plain form (clause 11.2)."""
    return text_of_tree(Walk().root(result))


def text_of_tree(tree: Any) -> str:
    """Do what `plain_text` does for a value whose portable tree this is."""
    plain = plain_form(tree)
    is_string = type(tree) is str or (type(tree) is dict and tree.keys() == {STR})
    return plain if is_string and type(plain) is str else write(plain).decode()


def plain_form(tree: Any) -> Any:
    """Give the plain form of a tree of portable JSON, in which tags are told simply (11.3)."""
    kind = type(tree)
    if kind is list:
        return list(map(plain_form, tree))
    if kind is not dict:
        return tree
    if len(tree) == 1:
        ((tag, payload),) = tree.items()
        if tag.startswith(TAG):
            return _plain_tag(tag, payload)
    return {key: plain_form(item) for key, item in tree.items()}


def _plain_tag(tag: str, payload: Any) -> Any:
    """Give the plain form of a tag; one that is unknown, or not in its form, is as it is."""
    if type(payload) is str:
        return payload if is_text_form(tag, payload) else {tag: payload}
    if tag == MAP and is_map(payload):
        pairs = [[plain_form(key), plain_form(item)] for key, item in payload]
        escaped = is_escape([key for key, _ in payload])
        return {payload[0][0]: pairs[0][1]} if escaped else pairs
    if tag == "$iso:set" and is_set(payload):
        return list(map(plain_form, payload))
    if tag == "$iso:opaque" and is_opaque(payload):
        return {"opaque": payload["type"]}
    text = read_str(payload) if tag == STR else None
    return {tag: payload} if text is None else without_surrogates(text)


def _failure(failure: ToolFailure, unexpected: Unexpected) -> tuple[Block, ...]:
    public = failure.error.public(unexpected)
    label = f"{public['kind']} {public['code']}" if "code" in public else public["kind"]
    first = Block.text(f"error [{label}]: {public['message']}")
    content = failure.content
    if text_of(content) == failure.error.message:
        content = tuple(block for block in content if not is_text(block))
    return (first, *content)


def _cut(content: tuple[Block, ...], max_chars: int) -> tuple[Block, ...]:
    """Cut the text blocks so that together they keep to the limit (clause 11.5)."""
    room = max_chars
    cut = []
    for block in content:
        if is_text(block):
            text = without_surrogates(block.fields["text"])
            cut.append(Block("text", {**block.fields, "text": _cut_text(text, room)}))
            room = max(0, room - len(text))
        else:
            cut.append(block)
    return tuple(cut)


def _cut_text(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    line = f"[cut: {len(text) - room} more characters]"
    return f"{text[:room]}\n{line}" if room else line
