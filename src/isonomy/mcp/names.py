# SPDX-License-Identifier: Apache-2.0
"""Names of tools as model APIs see them (clause 14.18)."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

_FITS: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OTHER: Final = re.compile(r"[^a-zA-Z0-9_-]")
_KEPT: Final = 55


def model_name(name: str) -> str:
    """Give the name under which a model API that takes only some characters sees a tool.

    The way back is a table: `{model_name(tool.name): tool.name for tool in tools}`.

    >>> model_name("get_price"), model_name("fs.read")
    ('get_price', 'fs_read_4074bc02')
    """
    if _FITS.fullmatch(name):
        return name
    digest = sha256(name.encode("utf-8", "replace")).hexdigest()
    return f"{_OTHER.sub('_', name)[:_KEPT]}_{digest[:8]}"
