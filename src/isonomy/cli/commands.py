# SPDX-License-Identifier: Apache-2.0
"""The commands and their options."""

from typing import Annotated

import typer

import isonomy

app = typer.Typer(name="isonomy", no_args_is_help=True, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"isonomy {isonomy.__version__}")
        raise typer.Exit


@app.callback()
def isonomy_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Run tool calls: one explicit response each, with the same meaning in Python and Java."""
    del version
