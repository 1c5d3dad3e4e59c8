# SPDX-License-Identifier: Apache-2.0
"""Whether a text holds a match of a pattern, in time that its length bounds (clause 7.15).

A pattern becomes states. From the end of the text to its start, the states that match what follows
are found from those of one character later: no way is tried twice, so no pattern runs away, and
what lies ahead is known where a lookahead asks for it.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from isonomy.tools.pattern_syntax import (
    Ahead,
    Assertion,
    Characters,
    Choice,
    Node,
    PatternFault,
    Repeat,
    Sequence,
    parse_pattern,
    rewrite,
)

MAX_SIZE: Final = 20_000
"""Parts that a pattern may have, repetitions written out."""
MAX_WORK: Final = 100_000_000
"""States times characters that one judgement may take."""

_CACHED: Final = 4_096
_State = tuple[int, Any, int]
_MATCH, _CHARACTER, _EITHER, _PLACE, _AHEAD = range(5)
_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


class TooMuchWork(Exception):  # noqa: N818 - what cannot be judged is no fault of a text
    """Raised when a text is too long for its pattern; the message names the pattern."""


class Pattern:
    r"""A compiled pattern; safe to use from several threads.

    >>> Pattern("^(a+)+$").found_in("a" * 1000 + "b")
    False
    >>> Pattern(r"^(?=.*\d)\w{3,}$").found_in("ab1")
    True

    Raises:
        PatternFault: It is not portable, or too large.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        node = parse_pattern(pattern)
        #: The same pattern as Rust's regular expressions write it; None where they have none.
        self.rewritten = rewrite(node)
        made = _Compiler()
        self._start = made.stratum(node)
        self._size = len(made.states)
        self._strata = [_Stratum(made.states, stratum) for stratum in made.strata]
        self._sets: dict[Characters, int] = {}
        for at, (kind, what, _) in enumerate(made.states):
            if kind == _CHARACTER:
                self._sets[what] = self._sets.get(what, 0) | 1 << at
        self._reading: dict[str, int] = {}
        self._columns: dict[tuple[int, int, int], int] = {}

    def found_in(self, text: str) -> bool:
        """Tell whether some part of a text matches.

        Raises:
            TooMuchWork: The text is too long for this pattern.
        """
        if self._size * (len(text) + 1) > MAX_WORK:
            raise TooMuchWork(f"the pattern {self.pattern} cannot be judged on so long a text")
        wanted = 1 << self._start
        column = reading = 0
        was_word = False
        for at in range(len(text), -1, -1):
            is_word = at > 0 and text[at - 1] in _WORD
            place = (at == 0) | (at == len(text)) << 1 | (is_word != was_word) << 2
            key = (column, reading, place)
            known = self._columns.get(key)
            column = self._column(key) if known is None else known
            if column & wanted:
                return True
            was_word = is_word
            if at:
                char = text[at - 1]
                known = self._reading.get(char)
                reading = self._readers(char) if known is None else known
        return False

    def _readers(self, char: str) -> int:
        """Return the states that read a character."""
        reading = 0
        for characters, states in self._sets.items():
            if _holds(characters, char):
                reading |= states
        if len(self._reading) >= _CACHED:
            self._reading = {}
        self._reading[char] = reading
        return reading

    def _column(self, key: tuple[int, int, int]) -> int:
        """Return the states that match what follows a place."""
        later, reading, place = key
        column = 0
        for stratum in self._strata:
            column = stratum.add(column, later, reading, place)
        if len(self._columns) >= _CACHED:
            self._columns = {}
        self._columns[key] = column
        return column


class _Stratum:
    """States that depend on each other, as sets of them: the bits of an integer.

    Most states depend on the one before them, which is one shift for all; the others are grouped
    by what they depend on.
    """

    def __init__(self, states: list[_State], members: list[int]) -> None:
        self._always = 0
        self._reads_next = 0
        self._reads: dict[int, int] = {}
        self._next = 0
        self._either: dict[int, int] = {}
        self._places: list[tuple[int, int, int, int]] = []
        self._aheads: list[tuple[int, int, bool, int]] = []
        for at in members:
            kind, what, after = states[at]
            bit = 1 << at
            if kind == _MATCH:
                self._always |= bit
            elif kind == _CHARACTER and after == at - 1:
                self._reads_next |= bit
            elif kind == _CHARACTER:
                self._reads[after] = self._reads.get(after, 0) | bit
            elif kind == _PLACE:
                self._places.append((bit, *what, after))
            elif kind == _AHEAD:
                self._aheads.append((bit, *what, after))
            else:
                for needed in (what, after):
                    if needed == at - 1:
                        self._next |= bit
                    else:
                        self._either[needed] = self._either.get(needed, 0) | bit

    def add(self, column: int, later: int, reading: int, place: int) -> int:
        """Add to a column those states that match, given the column of one character later."""
        column |= self._always | (later << 1 & self._reads_next & reading)
        for needed, states in self._reads.items():
            if later >> needed & 1:
                column |= states & reading
        before = -1
        while before != column:
            before = column
            column |= column << 1 & self._next
            for needed, states in self._either.items():
                if column >> needed & 1:
                    column |= states
            for bit, mask, wanted, after in self._places:
                if place & mask == wanted and column >> after & 1:
                    column |= bit
            for bit, ahead, negated, after in self._aheads:
                if (column >> ahead & 1) != negated and column >> after & 1:
                    column |= bit
        return column


_PLACES: Final = {"^": (1, 1), "$": (2, 2), "b": (4, 4), "B": (4, 0)}


class _Compiler:
    """Writes states from the end of a pattern to its start, each with the one that follows it.

    What a lookahead holds is a stratum of its own, complete before the stratum that asks for it.
    """

    def __init__(self) -> None:
        self.states: list[_State] = []
        self.strata: list[list[int]] = []
        self._stratum: list[int] = []
        self._size = 0

    def stratum(self, node: Node) -> int:
        """Return the state at which a part begins that ends by itself."""
        outer, self._stratum = self._stratum, []
        start = self.build(node, self._add(_MATCH, None, 0))
        self.strata.append(self._stratum)
        self._stratum = outer
        return start

    def build(self, node: Node, after: int) -> int:
        """Return the state at which a part begins that goes on with the state `after`."""
        self._size += 1
        if self._size > MAX_SIZE:
            raise PatternFault("it is too large with its repetitions written out")
        if isinstance(node, Characters):
            return self._add(_CHARACTER, node, after)
        if isinstance(node, Assertion):
            return self._add(_PLACE, _PLACES[node.place], after)
        if isinstance(node, Sequence):
            for part in reversed(node.parts):
                after = self.build(part, after)
            return after
        if isinstance(node, Choice):
            starts = [self.build(option, after) for option in node.options]
            made = starts.pop()
            while starts:
                made = self._add(_EITHER, starts.pop(), made)
            return made
        if isinstance(node, Ahead):
            return self._add(_AHEAD, (self.stratum(node.part), node.negated), after)
        return self._repeat(node, after)

    def _repeat(self, node: Repeat, after: int) -> int:
        if node.most is None:
            loop = self._add(_EITHER, after, after)
            body = self.build(node.part, loop)
            self.states[loop] = (_EITHER, body, after)
            start, least = (loop, 0) if node.least == 0 else (body, node.least - 1)
        else:
            start, least = after, node.least
            for _ in range(node.most - node.least):
                start = self._add(_EITHER, self.build(node.part, start), after)
        for _ in range(least):
            start = self.build(node.part, start)
        return start

    def _add(self, kind: int, what: Any, after: int) -> int:
        self.states.append((kind, what, after))
        self._stratum.append(len(self.states) - 1)
        return len(self.states) - 1


def _holds(characters: Characters, char: str) -> bool:
    point = ord(char)
    held = any(first <= point <= last for first, last in characters.ranges) or any(
        unicodedata.category(char).startswith(name) != negated
        for name, negated in characters.categories
    )
    return held != characters.negated
