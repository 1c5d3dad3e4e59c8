# SPDX-License-Identifier: Apache-2.0
"""Patterns that every language reads the same way (clause 7.15)."""

import re

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.tools.pattern import MAX_WORK, Pattern, TooMuchWork
from isonomy.tools.pattern_syntax import PatternFault

atoms = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", "^", "$", r"\b", r"\B", "", "é"]
)
patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(
            inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "{0}"])
        ).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        inner.map(lambda part: f"(?={part})"),
        inner.map(lambda part: f"(?!{part})"),
    ),
    max_leaves=6,
)
texts = st.text(st.sampled_from("ab1 é_\n\u2028"), max_size=6)


@given(patterns, texts)
def test_it_finds_what_a_backtracking_engine_finds(pattern, text):
    """Python's own engine, told of what ECMA-262 means by `.`, `$` and `\\s`."""
    told = pattern.replace(".", "[^\n\r\u2028\u2029]").replace("$", r"\Z")
    told = told.replace(r"\s", "[\\s\u2028]")
    expected = re.search(told, text, re.ASCII) is not None
    if text or r"\B" not in pattern:  # of no text Python says that it has no \B
        assert Pattern(pattern).found_in(text) is expected


@given(patterns, texts)
def test_the_quick_validator_finds_the_same(pattern, text):
    made = Pattern(pattern)
    if made.rewritten is not None:
        try:
            quick = jsonschema_rs.Draft202012Validator({"pattern": made.rewritten})
        except ValueError:  # it refuses to repeat nothing; the judge then judges alone
            return
        assert quick.is_valid(text) is made.found_in(text)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^a$", "a\n", False),
        ("^b", "a\nb", False),
        (r"^\d$", "٣", False),
        (r"^\w$", "é", False),
        (r"^\s$", "\xa0", True),
        (r"^\S$", "\ufeff", False),
        (r"\bé\b", "é", False),
        ("^.$", "\r", False),
        ("^.$", "\U0001f600", True),
        ("^.$", "\ud800", True),
        (r"^(?=.*\d).{3,}$", "ab1", True),
        (r"^(?!.*\.\.)[a-z.]+$", "a..b", False),
        (r"^\p{L}+$", "éa", True),
        (r"^\P{L}$", "1", True),
        (r"^[\p{Lu}\d]$", "É", True),
        (r"^[^\P{gc=Nd}]$", "٣", True),
        (r"^\cA\t\0$", "\x01\t\0", True),
        (r"^[[a]$", "[", True),
        ("^[a&&b]+$", "a&b", True),
        (r"^a\/\-\@\ \"b$", 'a/-@ "b', True),
        (r"^[a\-z]$", "-", True),
        (r"^[\w-.]+$", "a-b.c", True),
        ("^[+-.]+$", "+,-.", True),
        ("^(?<x>a)$", "a", True),
        ("^[^]$", "\n", True),
        ("^[]$", "", False),
        (r"^\u{1F600}\x41\ud83d\ude00$", "\U0001f600A\U0001f600", True),
        (r"^[\b]$", "\b", True),
        ("^}]$", "}]", True),
        ("(a*)*b", "aaab", True),
        ("^(a+)+$", "a" * 5000 + "b", False),
        ("^(a|b)*$", "ab" * 20_000, True),
        ("^(?=(a+)+$).*$", "a" * 5000 + "b", False),
        ("^(a?){200}a{200}$", "a" * 200, True),
        ("^(|a)+$", "", True),
        ("^(?:(?=(?!b)a)a)+$", "aa", True),
    ],
)
def test_what_it_finds(pattern, text, found):
    assert Pattern(pattern).found_in(text) is found


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", ")", "[", "a)", "*", "a**", "a++", "a{2,1}", "a{,3}", "a{99999}", "{", "(?i)a"),
        *("(?P<x>a)", "(?>a)", "(?#x)a", "(?<=a)b", "(?<!a)b", r"(a)\1", r"(?<x>a)\k<x>", r"a\Z"),
        *(r"\Aa", r"a\z", r"\h", r"\e", r"\Qa\E", r"\Ga", r"\pL", r"\p{Script=Greek}", r"\p{IsL}"),
        *(r"\p{Alpha}", "[[:alpha:]]", "[b-a]", "[a--b]", r"[\B]", r"\u{110000}", r"\u12", r"\x4"),
        *(r"\c1", r"\07", r"\8", "\\", "^*", "(?=a)*", r"\b+", r"\é", "(?", "(?<1>a)", "a{1"),
        *("(?:a{100}){100}{9}", "(" * 200 + ")" * 200, "(?:(?:a{100}){100}){9}"),
    ],
)
def test_what_is_not_portable(pattern):
    with pytest.raises(PatternFault, match=r"^it "):
        Pattern(pattern)


def test_a_text_too_long_for_its_pattern_is_not_judged():
    pattern = Pattern("^(?:ab){4000}$")
    with pytest.raises(TooMuchWork, match=r"the pattern .* cannot be judged"):
        pattern.found_in("a" * (MAX_WORK // 8000))
    assert pattern.found_in("ab" * 4000)
