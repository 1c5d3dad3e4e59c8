# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings of `isonomy.tools` run."""

import doctest
import importlib
import pkgutil

import pytest

import isonomy.tools

MODULES = [one.name for one in pkgutil.iter_modules(isonomy.tools.__path__, "isonomy.tools.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert failed == 0
