# SPDX-License-Identifier: Apache-2.0
"""One explicit response for every tool call, with the same meaning in Python and in Java."""

__version__ = "0.1.0"
