# SPDX-License-Identifier: Apache-2.0
"""What servers of ours tell in `_meta`, so that a response is the same behind them (clause 14.28).

What cannot be read says nothing and stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from isonomy.contract.content import EMPTY
from isonomy.contract.decoding import from_tree
from isonomy.contract.error import ToolError
from isonomy.contract.responses import read_error, read_meta
from isonomy.contract.tagged import PortableError

ERROR: Final = "dev.isonomy/error"
RESPONSE: Final = "dev.isonomy/response"
_OF_A_FAILURE: Final = frozenset({"added", "meta"})
_OF_A_SUCCESS: Final = frozenset({"added", "meta", "result"})


class OwnMeta(NamedTuple):
    """What was read: each its default where it is not told.

    `added` counts the blocks at the beginning that are no content. `response` holds `result` where
    a success's is told. `meta` is the response's meta, what was read not being part of it. `told`
    is the member that was read, as JSON; None where there is none.
    """

    meta: Mapping[str, Any] = EMPTY
    error: ToolError | None = None
    added: int = 0
    response: Mapping[str, Any] = EMPTY
    told: Mapping[str, Any] | None = None


def read_own_meta(told: Any, is_error: bool, blocks: int) -> OwnMeta:
    """Read the `_meta` of a result, which has so many blocks.

    >>> read_own_meta({"m": 1, "dev.isonomy/response": {"added": 1}}, False, 1)[:3]
    ({'m': 1}, None, 1)
    """
    if type(told) is not dict:
        return OwnMeta()
    if RESPONSE not in told and not (is_error and ERROR in told):
        return OwnMeta(told)
    meta = dict(told)
    error = _error(told[ERROR]) if is_error and ERROR in told else None
    if error is not None:
        del meta[ERROR]
    response = None
    if RESPONSE in told:
        response = _response(told[RESPONSE], _OF_A_FAILURE if is_error else _OF_A_SUCCESS, blocks)
    if response is None:
        return OwnMeta(meta, error)
    del meta[RESPONSE]
    added = response.get("added", 0)
    return OwnMeta(response.get("meta", meta), error, added, response, told[RESPONSE])


def _error(told: Any) -> ToolError | None:
    try:
        return read_error(told)
    except PortableError:
        return None


def _response(told: Any, names: frozenset[str], blocks: int) -> dict[str, Any] | None:
    """Give the members as values, None where they are not as they have to be."""
    if type(told) is not dict or not told.keys() <= names:
        return None
    added = told.get("added", 0)
    if type(added) is not int or not 0 <= added <= blocks:
        return None
    made = dict(told)
    try:
        if "meta" in told:
            made["meta"] = read_meta(told["meta"])
        if "result" in told:
            made["result"] = from_tree(told["result"])
    except PortableError:
        return None
    return made
