# SPDX-License-Identifier: Apache-2.0
"""Paths into values (clause 5.27)."""

from __future__ import annotations

import json
import re
from typing import Any

Path = tuple[Any, str | int] | None
"""Steps linked to their parents, None being the root; text is made of them only when needed."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def key_step(key: str) -> str:
    """Give the step of a path for a string key (clause 5.27)."""
    if _NAME.fullmatch(key):
        return "." + key
    return f"[{_SURROGATE.sub(_escape, json.dumps(key, ensure_ascii=False))}]"


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def path_text(at: Any) -> str:
    """Give the text of a path (clause 5.27)."""
    steps = []
    while at is not None:
        at, step = at
        steps.append(f"[{step}]" if type(step) is int else step)
    return "$" + "".join(reversed(steps))
