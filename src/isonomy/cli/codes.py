# SPDX-License-Identifier: Apache-2.0
"""The exit codes of the command, 0 apart (docs/cli.md)."""

FAILED = 1
"""A call failed where the code tells of it, or input or output did."""
MISUSED = 2
"""A mistake in the configuration, on the command line or in a line of calls."""
INTERRUPTED = 130
"""Ctrl-C."""
BROKEN_PIPE = 141
"""Nobody reads the output any more."""
