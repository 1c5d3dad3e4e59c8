# SPDX-License-Identifier: Apache-2.0
"""A module that cannot be imported."""

raise LookupError("no database")
