# SPDX-License-Identifier: Apache-2.0
"""The entry point of the isonomy command."""

import sys

CLI_EXTRA = frozenset({"rich", "typer", "yaml"})


def main() -> None:
    """Run the command, or say how to install what it needs."""
    try:
        from isonomy.cli.commands import app
    except ModuleNotFoundError as missing:
        if missing.name not in CLI_EXTRA:
            raise
        sys.exit("The isonomy command needs its extra: pip install 'isonomy[cli]'")
    app()
