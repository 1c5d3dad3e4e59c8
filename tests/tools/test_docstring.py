# SPDX-License-Identifier: Apache-2.0
"""Docstrings of the three layouts give the same texts."""

import functools

import pytest

from isonomy.tools.docstring import parse
from isonomy.tools.sources import as_tool

GOOGLE = """Find prices.

    Looks in every shop.

    Args:
        sku (str): What to look for,
            as printed.
        limit (int, optional): How many: at most ten.
        *rest: Other shops.
        **options: Further wishes.

    Returns:
        dict: The prices.

    Raises:
        ValueError: if: colons: abound
    """

NUMPY = """Find prices.

    Looks in every shop.

    Parameters
    ----------
    sku : str
        What to look for,
        as printed.
    limit : int, optional
        How many: at most ten.
    *rest
        Other shops.
    **options
        Further wishes.

    Returns
    -------
    dict
        The prices.
    """

SPHINX = """Find prices.

    Looks in every shop.

    :param sku: What to look for,
        as printed.
    :type sku: str
    :param int limit: How many: at most ten.
    :param rest: Other shops.
    :keyword options: Further wishes.
    :returns: The prices.
    :raises ValueError: if broken
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_layouts(text):
    parsed = parse(text)
    assert parsed.description == "Find prices.\n\nLooks in every shop."
    assert parsed.parameters == {
        "sku": "What to look for, as printed.",
        "limit": "How many: at most ten.",
        "rest": "Other shops.",
        "options": "Further wishes.",
    }


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_nothing_gives_nothing(text):
    assert (parse(text).description, parse(text).parameters) == ("", {})


def test_prose_that_looks_like_headings_is_prose():
    text = """Convert units.

    Note that: this is prose.
    Takes args: a and b.

    - item
    """
    assert parse(text).description == (
        "Convert units.\n\nNote that: this is prose.\nTakes args: a and b.\n\n- item"
    )


def test_several_names_share_a_numpy_text():
    text = """Add.

    Parameters
    ----------
    a, b : int
        A number.
    """
    assert parse(text).parameters == {"a": "A number.", "b": "A number."}


def test_sections_of_keyword_and_other_parameters():
    text = """Do.

    Args:
        a: One.

    Keyword Args:
        b: Two.

    Example:
        Args:
            c: not a parameter
    """
    assert parse(text).parameters == {"a": "One.", "b": "Two."}
    assert parse(text).description == "Do."


def test_numpy_texts_of_several_paragraphs():
    text = """Do.

    Parameters
    ----------
    a : dict of {str: int}
        One.

        More.
    b
    See Also
    --------
    other : thing
    """
    assert parse(text).parameters == {"a": "One. More.", "b": ""}


class Undocumented:
    def __call__(self) -> None: ...

    def method(self) -> None: ...

    @staticmethod
    def static() -> None: ...

    @classmethod
    def of_class(cls) -> None: ...


def undocumented() -> None: ...


async def later() -> None: ...


@functools.wraps(undocumented)
def wrapper() -> None: ...


@pytest.mark.parametrize(
    "source",
    [
        undocumented,
        later,
        wrapper,
        functools.partial(undocumented),
        Undocumented(),
        Undocumented().method,
        Undocumented.static,
        Undocumented.of_class,
        Undocumented,
    ],
    ids=lambda source: getattr(source, "__qualname__", type(source).__name__),
)
def test_without_a_docstring_there_is_no_description(source):
    assert as_tool(source).description == ""
    assert as_tool(lambda: 1, name="one").description == ""
