# SPDX-License-Identifier: Apache-2.0
"""Lets `python -m isonomy.cli` stand for the isonomy command."""

from isonomy.cli.app import main

if __name__ == "__main__":
    main()
