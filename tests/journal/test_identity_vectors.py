# SPDX-License-Identifier: Apache-2.0
"""What identifies slots (J1)."""

from __future__ import annotations

from isonomy.contract.slots import SlotKey, injected_digest, schema_version
from tests.vectors import Case, each


@each("journal", lambda case: "schema" in case)
def test_version(case: Case) -> None:
    assert schema_version(case["schema"]) == case["version"]


@each("journal", lambda case: "identity_key" in case)
def test_injected(case: Case) -> None:
    key = case["identity_key"].encode()
    assert injected_digest(key, case["injected"]) == case["digest"]


@each("journal", lambda case: "slot" in case)
def test_idempotency_key(case: Case) -> None:
    slot = dict(case["slot"])
    batch = slot.pop("batch")
    assert SlotKey(**slot).idempotency_key(batch) == case["idempotency_key"]
