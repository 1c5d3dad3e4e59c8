# SPDX-License-Identifier: Apache-2.0
"""A batch that is kept in a journal: what is reused, what is written, and when (clause 13)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from isonomy.contract.canonical import plain_digest
from isonomy.contract.envelope import encode_outcome, read_envelope
from isonomy.contract.error import Cause, Effect, ErrorInfo, ErrorKind, ToolError
from isonomy.contract.journal import (
    Finished,
    Journal,
    JournalError,
    JournalMismatch,
    Lease,
    StoredCall,
)
from isonomy.contract.jsontext import write
from isonomy.contract.mapping import to_response
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Raised, Returned, Settled
from isonomy.contract.response import ToolFailure, ToolResponse, ToolSuccess
from isonomy.contract.slots import SlotKey, injected_digest, schema_version
from isonomy.contract.tagged import PortableError
from isonomy.tools.arguments import parse
from isonomy.tools.tool import Tool

_log: Final = logging.getLogger("isonomy.runtime")

LOST: Final = "the batch has another owner"
NOT_WRITTEN: Final = "the outcome could not be written to the journal: "
INTERRUPTED: Final = "a run of this call was interrupted, and nobody knows how far it came"


class Identities:
    """Gives the slots of calls; what tools contribute is looked up once.

    Args:
        injected: The host's values by name.
        key: The key of digests over those that count, or None.
    """

    def __init__(self, injected: Mapping[str, Any], key: bytes | None) -> None:
        self._injected = injected
        self._key = key
        self._known: dict[int, tuple[Tool, str, str | None]] = {}

    def of(self, position: int, tool: Tool | None, arguments: Any) -> SlotKey | None:
        """Give the slot of a call; None where it has none (clause 13.11)."""
        if tool is None:
            return None
        parsed = parse(arguments)
        if isinstance(parsed, Settled):
            return None
        known = self._known.get(id(tool))
        if known is None:
            known = self._known[id(tool)] = (tool, _version(tool), self._counted(tool))
        return SlotKey(position, tool.name, known[1], plain_digest(parsed), known[2])

    def _counted(self, tool: Tool) -> str | None:
        names = {str(mark.name) for mark in tool.injected.values() if mark.identity}
        values = {name: self._injected[name] for name in names if name in self._injected}
        if not names:
            return None
        if self._key is None:
            raise Misuse(
                f"tool {tool.name!r} has injected values that count for its identity;"
                " give the executor an identity_key"
            )
        return injected_digest(self._key, values)


class Reused(NamedTuple):
    """A call that finished before: its response, and the paths that were decoded then."""

    position: int
    response: ToolResponse
    decoded: tuple[str, ...]


class Prepared(NamedTuple):
    """A call that ended and is to be written; `finished` is None where that is nothing."""

    position: int
    response: ToolResponse
    finished: Finished | None


class Durable:
    """What one batch that is kept has to do with its journal. Safe to use from several threads."""

    def __init__(self, lease: Lease, slots: Sequence[SlotKey | None]) -> None:
        self._lease = lease
        self._slots = slots
        self._state = threading.Lock()
        #: Positions of which nothing is written yet.
        self._left = set(range(len(slots)))
        self._released = False
        self._kept: dict[int, Tool] = {}
        #: The responses of calls that have ended, by position.
        self._ended: dict[int, ToolResponse] = {}
        #: Why nothing more is started.
        self.failed: str | None = None

    @classmethod
    def claim(
        cls,
        journal: Journal,
        batch_id: str,
        slots: Sequence[SlotKey | None],
        waits: Callable[[], bool],
    ) -> tuple[Durable, list[Reused], set[int]]:
        """Become the owner of a batch.

        Returns:
            The batch, what is reused in the order in which it was written, and the positions that
            are reserved only.

        Raises:
            JournalMismatch: The journal has other calls for the batch.
            JournalError: It cannot be used.
            NotClaimed: `waits` said no.
        """
        lease = journal.claim(batch_id, len(slots), waits)
        try:
            reused: list[tuple[int, Reused]] = []
            reserved: set[int] = set()
            for stored in lease.stored():
                position = _checked(stored, slots, batch_id)
                if stored.record is None:
                    reserved.add(position)
                else:
                    reused.append((stored.seq, _read(stored.record, journal, batch_id, position)))
        except BaseException:
            _give_back(lease, ended=False)
            raise
        durable = cls(lease, slots)
        reused.sort(key=lambda each: each[0])
        again = [each for _, each in reused]
        durable._left.difference_update(each.position for each in again)
        return durable, again, reserved

    def watch(self, stop: Callable[[], object]) -> None:
        """Have nothing more started, and `stop` called, where the lease is lost (clause J3.3)."""

        def lost() -> None:
            self.failed = self.failed or LOST
            stop()

        self._lease.on_lost(lost)

    def keeping(self, tool: Tool) -> Tool:
        """Give a tool whose calls are kept."""
        kept = self._kept.get(id(tool))
        if kept is None:
            # Not by `copy`, which asks a tool as pickling does; tools of workers refuse that.
            kept = self._kept[id(tool)] = object.__new__(type(tool))
            vars(kept).update(vars(tool))
            kept.durable = self
        return kept

    def end(
        self,
        position: int,
        outcome: Outcome,
        response: ToolResponse,
        decoded: Sequence[str],
        duration_us: int,
    ) -> ToolResponse:
        """Write how a call ended; give the response that has been written (13.5 to 13.7)."""
        self.write([self.prepare(position, outcome, response, decoded, duration_us)])
        return self._ended[position]

    def ended(self, position: int) -> ToolResponse | None:
        """Give the response of a call that has been written."""
        return self._ended.get(position)

    def prepare(
        self,
        position: int,
        outcome: Outcome,
        response: ToolResponse,
        decoded: Sequence[str],
        duration_us: int,
    ) -> Prepared:
        """Make ready what is written of a call, and the response that it has then."""
        record = encode_outcome(_kept(outcome, response), decoded=decoded, max_bytes=None)
        response = to_response(read_envelope(record).outcome)
        slot = self._slots[position]
        if slot is None or _is_free(response):
            return Prepared(position, response, None)
        return Prepared(position, response, Finished(slot, record.decode(), 1, duration_us))

    def write(self, together: Sequence[Prepared]) -> None:
        """Write calls by one commit; `ended` has their responses then."""
        stored = [each.finished for each in together if each.finished is not None]
        positions = {each.position for each in together}
        with self._state:
            # What others write just now is left too: the lease is not given back before that.
            last = bool(stored) and self._left <= positions
        try:
            if stored:
                self._lease.finish(stored, last=last)
            with self._state:
                self._left -= positions
                self._released = self._released or last
        except JournalError as failed:
            self.failed = str(failed)
            message = NOT_WRITTEN + self.failed
            lost = ToolFailure(ToolError(ErrorKind.INTERNAL, message, Effect.POSSIBLE))
            for each in together:
                self._ended[each.position] = each.response if each.finished is None else lost
            return
        for each in together:
            self._ended[each.position] = each.response

    def over(self, *, ended: bool) -> None:
        """Give the lease back, unless that was done with the last call's outcome."""
        with self._state:
            first, self._released = not self._released, True
        if first:
            _give_back(self._lease, ended=ended and self.failed is None)


def _version(tool: Tool) -> str:
    return schema_version(tool.input_schema) if tool.version is None else f"v:{tool.version}"


def _is_free(response: ToolResponse) -> bool:
    """Whether a response is never stored: it is known that nothing was done (clause 13.2)."""
    return isinstance(response, ToolFailure) and response.error.effect is Effect.NONE


def _checked(stored: StoredCall, slots: Sequence[SlotKey | None], batch_id: str) -> int:
    position = stored.slot.position
    offered = slots[position] if position < len(slots) else None
    if offered == stored.slot:
        return position
    if offered is None:
        had, has = f'tool "{stored.slot.tool}"', "a call that cannot be run"
    else:
        had, has = stored.slot.differs(offered)
    raise JournalMismatch(
        f"batch {write(batch_id).decode()}, call {position}: the journal has {had}, this is {has}"
    )


def _read(record: str, journal: Journal, batch_id: str, position: int) -> Reused:
    try:
        envelope = read_envelope(record.encode())
        return Reused(position, to_response(envelope.outcome), envelope.decoded)
    except PortableError as broken:
        raise JournalError(
            f"{journal.where()} cannot be used: the record of call {position} of batch"
            f" {write(batch_id).decode()} cannot be read: {broken.message}"
        ) from None


def _kept(outcome: Outcome, response: ToolResponse) -> Outcome:
    """Give the outcome that is written: how it ended, and what its response says of it.

    The response has what redaction and the limits left (J2.1).
    """
    if isinstance(response, ToolSuccess):
        bare = not response.content and not response.meta
        return Returned(response.result if bare else response)
    error = response.error
    if error is None:
        raise RuntimeError("a response is a success or a failure")
    if type(outcome) is Returned and error.kind is ErrorKind.TOOL_ERROR:
        return Returned(response)
    if type(outcome) is Raised and error.kind is ErrorKind.EXCEPTION:
        return Raised(_info(error))
    return Settled(error, response.content, response.meta)


def _info(error: ToolError) -> ErrorInfo:
    details = error.details if isinstance(error.details, Mapping) else {}
    members = tuple(Cause(**member) for member in details.get("members", ()))
    more = details.get("more", 0)
    return ErrorInfo(
        error.type or "", error.message, error.causes, error.trace, error.language, members, more
    )


def _give_back(lease: Lease, *, ended: bool) -> None:
    try:
        lease.release(ended=ended)
    except JournalError as failed:  # the lease ends by itself
        _log.warning("a lease could not be given back: %s", failed)
