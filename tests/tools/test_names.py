# SPDX-License-Identifier: Apache-2.0
"""Safe names for model APIs are unique, stable and reversible."""

import re

from hypothesis import given
from hypothesis import strategies as st

from isonomy.tools.names import SafeNames

SAFE = re.compile(r"[A-Za-z0-9_-]{1,64}")


@given(st.lists(st.text(min_size=1) | st.sampled_from(["a.b", "a_b", "a-b", "a b"]), unique=True))
def test_every_name_has_one_safe_name_and_comes_back(names):
    mapped = SafeNames(names)
    safe = [mapped.safe(name) for name in names]
    assert all(SAFE.fullmatch(one) for one in safe)
    assert len(set(safe)) == len(names)
    assert [mapped.original(one) for one in safe] == names


def test_known_trouble():
    names = ["a.b", "a_b", "a-b", "a/b", "x" * 80, "x" * 81, "größe", "查找", "."]
    mapped = SafeNames(names)
    assert mapped.safe("a_b") == "a_b"
    assert mapped.safe("a-b") == "a-b"
    assert len({mapped.safe(name) for name in names}) == len(names)
    assert mapped.original("nothing") is None
    assert SafeNames(reversed(names)).safe("a.b") == mapped.safe("a.b")


def test_a_name_that_is_taken_already_is_not_taken_twice():
    taken = SafeNames(["a.b"]).safe("a.b")
    mapped = SafeNames(["a.b", taken])
    assert mapped.safe(taken) == taken
    assert mapped.safe("a.b") != taken
    assert mapped.original(mapped.safe("a.b")) == "a.b"
