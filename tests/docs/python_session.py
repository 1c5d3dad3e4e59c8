# SPDX-License-Identifier: Apache-2.0
"""Run blocks of Python one after the other in one module, and tell what each printed.

    python_session.py BLOCKS.json PRINTED.json

BLOCKS is a list of [place, page, line, code]; PRINTED becomes an object of texts by place. A block
that raises ends the run, and its trace names the line of the page.
"""

import contextlib
import io
import json
import sys
import types
from pathlib import Path


def main() -> None:
    blocks, printed_to = map(Path, sys.argv[1:])
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    sys.path.insert(0, str(Path.cwd()))
    printed = {}
    try:
        for place, page, line, code in json.loads(blocks.read_text(encoding="utf-8")):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * (line - 1) + code, page, "exec"), vars(module))
            printed[place] = out.getvalue()
    finally:
        printed_to.write_text(json.dumps(printed), encoding="utf-8")


main()
