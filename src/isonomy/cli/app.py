# SPDX-License-Identifier: Apache-2.0
"""The entry point of the isonomy command."""

import sys

from isonomy.cli.codes import FAILED, INTERRUPTED
from isonomy.cli.standard import open_missing, settle, tell

CLI_EXTRA = frozenset({"rich", "typer", "yaml"})


def main() -> None:
    """Run the command, or say how to install what it needs."""
    open_missing()
    code: str | int | None = FAILED
    told = False
    try:
        _run()
    except SystemExit as ended:
        code = ended.code
    except KeyboardInterrupt:
        # While the command itself is still being loaded.
        tell("interrupted")
        code = INTERRUPTED
    except OSError as failed:
        # What a command reads and writes is looked after there; what is left is its help.
        tell(f"isonomy stops: {failed.strerror}")
        told = True
    written = settle(told=told)
    sys.exit(code if written else code or FAILED)


def _run() -> None:
    try:
        from isonomy.cli.commands import app
    except ModuleNotFoundError as missing:
        if missing.name not in CLI_EXTRA:
            raise
        sys.exit("The isonomy command needs its extra: pip install 'isonomy[cli]'")
    app()
