# SPDX-License-Identifier: Apache-2.0
"""The regular expressions that every language reads the same way (clause 7.15)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, NoReturn

LAST: Final = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]


class Characters(NamedTuple):
    """One character, of ranges of code points or of Unicode general categories.

    Args:
        ranges: Pairs of a first and a last code point.
        categories: Names such as `L` or `Lu`, each with whether it is meant the other way round.
        negated: Whether all the others are meant.
    """

    ranges: Ranges
    categories: tuple[tuple[str, bool], ...] = ()
    negated: bool = False


class Sequence(NamedTuple):
    """One part after the other; of no part, the empty text."""

    parts: tuple[Node, ...]


class Choice(NamedTuple):
    """One of several."""

    options: tuple[Node, ...]


class Repeat(NamedTuple):
    """A part several times; `most` is None for any number."""

    part: Node
    least: int
    most: int | None


class Assertion(NamedTuple):
    """A place: `^`, `$`, `b` for a word's edge, or `B` for none."""

    place: str


class Ahead(NamedTuple):
    """What follows has to fit a part, or must not."""

    part: Node
    negated: bool


Node = Characters | Sequence | Choice | Repeat | Assertion | Ahead


class PatternFault(Exception):  # noqa: N818 - it is a verdict on what an author wrote
    """Raised when a pattern is none, or not one that every language reads the same way."""


MAX_REPEAT: Final = 10_000
_MAX_NESTING: Final = 100

_DIGIT: Final[Ranges] = ((0x30, 0x39),)
_WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Final[Ranges] = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
_LINE_ENDS: Final[Ranges] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_CONTROLS: Final = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_CATEGORIES: Final = re.compile("C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?")
_COUNT = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{0,9}))?\}")
_NAME = re.compile(r"\(\?<[A-Za-z_$][A-Za-z0-9_$]*>")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_PROPERTY = re.compile(r"\{(?:(?:gc|General_Category)=)?([A-Za-z]+)\}")


def complement(ranges: Ranges) -> Ranges:
    """Return all code points outside of ordered ranges."""
    made = []
    start = 0
    for first, last in ranges:
        if start < first:
            made.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        made.append((start, LAST))
    return tuple(made)


_CLASSES: Final = {
    "d": _DIGIT, "D": complement(_DIGIT), "w": _WORD, "W": complement(_WORD),
    "s": _SPACE, "S": complement(_SPACE),
}  # fmt: skip


def parse_pattern(pattern: str) -> Node:
    """Read a pattern.

    Raises:
        PatternFault: It is no regular expression, or not a portable one; the reason is a phrase.
    """
    return _Parser(pattern).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._nesting = 0

    def whole(self) -> Node:
        node = self._choice()
        if self._at < len(self._text):
            self._fail("a ) that closes nothing")
        return node

    def _choice(self) -> Node:
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            self._fail("groups nested too deep")
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        self._nesting -= 1
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            parts.append(self._repeated(self._part()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _part(self) -> Node:
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return self._set()
        if char == "\\":
            return self._escape()
        if char == ".":
            return Characters(complement(_LINE_ENDS))
        if char in "^$":
            return Assertion(char)
        if char in "*+?{":
            self._fail(f"a {char} that repeats nothing")
        return _one(ord(char))

    def _repeated(self, part: Node) -> Node:
        count = self._count()
        if count is None:
            return part
        if isinstance(part, (Assertion, Ahead)):
            self._fail("a repeated assertion")
        least, most = count
        if max(least, most or 0) > MAX_REPEAT:
            self._fail(f"a repetition of more than {MAX_REPEAT} times")
        if most is not None and most < least:
            self._fail("a repetition whose numbers are out of order")
        self._take("?")
        return Repeat(part, least, most)

    def _count(self) -> tuple[int, int | None] | None:
        if self._take("*"):
            return 0, None
        if self._take("+"):
            return 1, None
        if self._take("?"):
            return 0, 1
        found = _COUNT.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        least = int(found[1])
        if found[2] is None:
            return least, least
        return least, int(found[3]) if found[3] else None

    def _group(self) -> Node:
        ahead = None
        if self._take("?="):
            ahead = False
        elif self._take("?!"):
            ahead = True
        elif not self._take("?:"):
            named = _NAME.match(self._text, self._at - 1)
            if named is not None:
                self._at = named.end()
            elif self._text.startswith("?", self._at):
                shown = self._text[self._at - 1 : self._at + 3]
                self._fail(f"a group of the kind {shown}")
        node = self._choice()
        if not self._take(")"):
            self._fail("a ( that is not closed")
        return Sequence((node,)) if ahead is None else Ahead(node, ahead)

    def _set(self) -> Characters:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        categories: list[tuple[str, bool]] = []
        while not self._take("]"):
            item = self._member()
            if isinstance(item, int) and self._is_range():
                self._take("-")
                end = self._member()
                if isinstance(end, int):
                    if end < item:
                        self._fail("a range whose ends are out of order")
                    ranges.append((item, end))
                    continue
                ranges.append((0x2D, 0x2D))
                ranges.extend(end.ranges)
                categories.extend(end.categories)
            if isinstance(item, int):
                ranges.append((item, item))
            else:
                ranges.extend(item.ranges)
                categories.extend(item.categories)
        return Characters(tuple(ranges), tuple(categories), negated)

    def _is_range(self) -> bool:
        return self._text.startswith("-", self._at) and not self._text.startswith("-]", self._at)

    def _member(self) -> int | Characters:
        if self._at == len(self._text):
            self._fail("a [ that is not closed")
        if self._text.startswith("[:", self._at) and self._text.find(":]", self._at) > 0:
            self._fail("a class such as [:alpha:]")
        char = self._next()
        if char != "\\":
            return ord(char)
        if self._take("b"):
            return 0x08
        node = self._escape()
        if isinstance(node, Assertion):
            self._fail("a \\B inside of [ ]")
        if not node.categories and len(node.ranges) == 1 and node.ranges[0][0] == node.ranges[0][1]:
            return node.ranges[0][0]
        return node

    def _escape(self) -> Characters | Assertion:
        if self._at == len(self._text):
            self._fail("a \\ at its end")
        char = self._next()
        if char in "bB":
            return Assertion(char)
        if char in _CLASSES:
            return Characters(_CLASSES[char])
        if char in "pP":
            return self._category(char == "P")
        if char in _CONTROLS:
            return _one(_CONTROLS[char])
        if char == "0" and not re.match("[0-9]", self._text[self._at :]):
            return _one(0)
        if char == "c" and re.match("[A-Za-z]", self._text[self._at :]):
            return _one(ord(self._next()) % 32)
        if char == "x":
            return _one(self._hex(2))
        if char == "u":
            return _one(self._unicode())
        if not char.isascii() or char.isalnum() or not char.isprintable():
            self._fail(f"a \\{char}")
        return _one(ord(char))

    def _category(self, negated: bool) -> Characters:
        found = _PROPERTY.match(self._text, self._at)
        if found is None or not _CATEGORIES.fullmatch(found[1]):
            self._fail("a \\p that names no general category, such as \\p{L}")
        self._at = found.end()
        return Characters((), ((found[1], negated),))

    def _unicode(self) -> int:
        if self._take("{"):
            found = _HEX.match(self._text, self._at)
            if found is None or len(found[0]) > 8 or int(found[0], 16) > LAST:
                self._fail("a \\u that names no character")
            self._at = found.end()
            if not self._take("}"):
                self._fail("a \\u that names no character")
            return int(found[0], 16)
        high = self._hex(4)
        if 0xD800 <= high < 0xDC00 and self._text.startswith("\\u", self._at):
            start = self._at
            self._at += 2
            if not self._text.startswith("{", self._at):
                low = self._hex(4)
                if 0xDC00 <= low < 0xE000:
                    return 0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00
            self._at = start
        return high

    def _hex(self, digits: int) -> int:
        written = self._text[self._at : self._at + digits]
        if len(written) < digits or not _HEX.fullmatch(written):
            self._fail("a \\x or \\u that names no character")
        self._at += digits
        return int(written, 16)

    def _next(self) -> str:
        char = self._text[self._at]
        self._at += 1
        return char

    def _take(self, expected: str) -> bool:
        if self._text.startswith(expected, self._at):
            self._at += len(expected)
            return True
        return False

    def _fail(self, reason: str) -> NoReturn:
        raise PatternFault(f"it has {reason}")


def _one(point: int) -> Characters:
    return Characters(((point, point),))


def rewrite(node: Node) -> str | None:
    """Return a pattern in the syntax of Rust's regular expressions, or None where it has none.

    Only what means the same there whatever its options is written.
    """
    if isinstance(node, Characters):
        written = "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in node.ranges)
        if node.categories or not written or any(map(_cuts_surrogates, node.ranges)):
            return None
        return f"[{'^' if node.negated else ''}{written}]"
    if isinstance(node, Assertion):
        return node.place if node.place in "^$" else None
    if isinstance(node, Ahead):
        return None
    if isinstance(node, Repeat):
        part = rewrite(node.part)
        count = f"{{{node.least},{'' if node.most is None else node.most}}}"
        return None if part is None else f"(?:{part}){count}"
    parts = [rewrite(part) for part in (node.options if isinstance(node, Choice) else node.parts)]
    known = [part for part in parts if part is not None]
    text = ("|" if isinstance(node, Choice) else "").join(known)
    return f"(?:{text})" if len(known) == len(parts) else None


def _cuts_surrogates(ends: tuple[int, int]) -> bool:
    return any(0xD800 <= end <= 0xDFFF for end in ends)
