# SPDX-License-Identifier: Apache-2.0
"""Parameters that the host fills in and a model never sees (clause 7.13)."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    """

    name: str | None = None
    identity: bool = False

    def __post_init__(self) -> None:
        if self.name is not None and not self.name:
            raise Misuse("Injected(name=...) is empty; leave it out to use the parameter's name")

    def named(self, parameter: str) -> Injected:
        """Return this mark with its host name filled in from `parameter` where it had none."""
        return self if self.name else replace(self, name=parameter)


def folded(name: str) -> str:
    """Return the form in which a sent name is compared with injected ones.

    >>> folded("Tenant-Id") == folded("tenant_id")
    True
    """
    return name.lower().replace("_", "").replace("-", "")
