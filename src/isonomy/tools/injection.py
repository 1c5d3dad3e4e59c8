# SPDX-License-Identifier: Apache-2.0
"""Parameters that the host fills in and a model never sees (clause 7.13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from isonomy.contract.misuse import Misuse


@dataclass(frozen=True, slots=True)
class Injected:
    """Marks a parameter whose value comes from the host, as `Annotated[str, Injected()]`.

    The parameter is left out of the tool's schema. Its value enters no event, journal or message,
    and one that a model sends is refused, or dropped where the tool allows unknown arguments
    (clause 7.13).

    Args:
        name: The host's name for the value; the parameter's own name when left out.
        identity: Whether the value belongs to the identity of a durable slot (clause 13.1): true
            for a tenant, false for a credential.
        secret: Whether failures show none of the value's texts (clause 12.5). False for a tenant, a
            region, a user's name: words that a message may well hold. A value is secret where any
            parameter that takes it says so.
    """

    name: str | None = None
    identity: bool = False
    secret: bool = True

    def __post_init__(self) -> None:
        if self.name is not None and not self.name:
            raise Misuse("Injected(name=...) is empty; leave it out to use the parameter's name")

    def named(self, parameter: str) -> Injected:
        """Return this mark with its host name filled in from `parameter` where it had none."""
        return self if self.name else replace(self, name=parameter)


def secret_values(values: Mapping[str, Any], marks: Iterable[Mapping[str, Injected]]) -> list[Any]:
    """Return the host's values that are secret, by the marks that all tools have on parameters.

    A value that no parameter takes is secret, and so is one that any of them takes as a secret.
    """
    every = [mark for of_tool in marks for mark in of_tool.values()]
    open_ = {mark.name for mark in every} - {mark.name for mark in every if mark.secret}
    return [value for name, value in values.items() if name not in open_]


def folded(name: str) -> str:
    """Return the form in which a sent name is compared with injected ones.

    >>> folded("Tenant-Id") == folded("tenant_id")
    True
    """
    return name.lower().replace("_", "").replace("-", "")
