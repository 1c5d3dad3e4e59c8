# SPDX-License-Identifier: Apache-2.0
"""The exception for a machine or an installation without what Java tools need."""

from __future__ import annotations

from isonomy.contract.misuse import IsonomyError


class JavaUnavailable(IsonomyError):  # noqa: N818 - it names a state, as the others of our tree do
    """Raised when Java tools cannot be had here: no JPype, no JVM, one too old, or no Java core.

    Its message is one sentence that says what was found where, and what to do. Tools in Python are
    not affected.
    """
