# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: what it imports, and that the examples in its docstrings run."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import isonomy.contract

MODULES = [module.name for module in pkgutil.iter_modules(isonomy.contract.__path__)]
FOREIGN = ["attrs", "jpype", "jsonschema_rs", "msgspec", "numpy", "pandas", "pydantic", "zoneinfo"]


def test_the_contract_imports_no_library_whose_values_it_knows() -> None:
    modules = ", ".join(f"isonomy.contract.{name}" for name in MODULES)
    # A value of each kind that needs no library is written, so that nothing is imported late.
    code = (
        f"import sys, {modules}\n"
        "from isonomy.contract.portable import decode, encode\n"
        "decode(encode({'a': [1, b'x', {1}, {2: 3}, object(), float('nan')]}))\n"
        f"print([name for name in {FOREIGN!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = importlib.import_module(f"isonomy.contract.{name}")
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_there_are_examples() -> None:
    modules = [importlib.import_module(f"isonomy.contract.{name}") for name in MODULES]
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test.name for module in modules for test in finder.find(module) if test.examples]
    assert len(found) >= 10, found
