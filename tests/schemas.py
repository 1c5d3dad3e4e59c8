# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of spec/schema, as validators of wire forms."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema_rs

FOLDER = Path(__file__).resolve().parent.parent / "spec" / "schema"


@functools.cache
def validator(name: str) -> Any:
    """Give the validator of one schema, such as `events`."""
    read = [json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")]
    by_id = {schema["$id"]: schema for schema in read}
    registry = jsonschema_rs.Registry(list(by_id.items()))
    return jsonschema_rs.Draft202012Validator(by_id[f"urn:isonomy:{name}"], registry=registry)


def check_wire(name: str, wire: Any) -> None:
    """Fail where a wire form does not fit its schema."""
    faults = [
        f"{fault.instance_path}: {fault.message}" for fault in validator(name).iter_errors(wire)
    ]
    assert faults == [], wire
