# SPDX-License-Identifier: Apache-2.0
"""What identifies the slot of a call in a durable batch (clause J1)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, Final, final

from isonomy.contract.canonical import canonical, digest
from isonomy.contract.value import value

_WORDS: Final = frozenset({"title", "description", "examples", "$comment", "deprecated"})
_ONE: Final = frozenset(
    {
        "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if",
        "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
_LIST: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_NAMED: Final = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)


@final
@value
class SlotKey:
    """A position and what must be equal for its outcome to be reused (clause J1.2).

    Digests are in lower-case hexadecimal; `injected` is None where no injected value counts.
    """

    position: int
    tool: str
    version: str
    arguments: str
    injected: str | None = None

    def idempotency_key(self, batch_id: str) -> str:
        """Give the key of this slot, the same for every attempt and every resume (J1.6)."""
        return digest(
            [
                "isonomy", batch_id, self.position, self.tool, self.version, self.arguments,
                self.injected,
            ]
        )  # fmt: skip

    def differs(self, other: SlotKey) -> tuple[str, str]:
        """Say of two slots of one position what each is, as far as they differ (clause 13.3)."""
        return self._said(other), other._said(self)

    def _said(self, other: SlotKey) -> str:
        said = f'tool "{self.tool}"'
        for name in ("version", "arguments", "injected"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                said += f", {name} {_short(mine)}"
        return said


def _short(text: str | None) -> str:
    if text is None:
        return "none"
    return text[:14] if text.startswith(("s:", "v:")) else text[:12]


def schema_version(schema: Mapping[str, Any]) -> str:
    """Give the version of a tool without one of its own (clause J1.3).

    >>> words = {"type": "object", "title": "Price", "properties": {"title": {"title": "T"}}}
    >>> bare = {"type": "object", "properties": {"title": {}}}
    >>> schema_version(words) == schema_version(bare)
    True
    """
    return f"s:{digest(_bare(schema))}"


def injected_digest(key: bytes, values: Mapping[str, Any]) -> str:
    """Give the digest of the injected values that count (clause J1.5)."""
    return hmac.new(key, canonical(values), hashlib.sha256).hexdigest()


def _bare(schema: Any) -> Any:
    """Give a schema without the words in it that say nothing of what it accepts."""
    if not isinstance(schema, Mapping):
        return schema
    kept: dict[str, Any] = {}
    for name, part in schema.items():
        if name in _WORDS:
            continue
        if name in _ONE and isinstance(part, Mapping):
            kept[name] = _bare(part)
        elif name in _LIST and isinstance(part, list):
            kept[name] = [_bare(each) for each in part]
        elif name in _NAMED and isinstance(part, Mapping):
            kept[name] = {each: _bare(inner) for each, inner in part.items()}
        else:
            kept[name] = part
    return kept
