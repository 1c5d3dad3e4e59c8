# SPDX-License-Identifier: Apache-2.0
"""The exception for workers that cannot be started."""

from __future__ import annotations

from isonomy.contract.misuse import IsonomyError


class WorkerUnavailable(IsonomyError):  # noqa: N818 - it names a state, as JavaUnavailable does
    """Raised when a worker cannot be started: its program is missing, ends, or loads no tools.

    Its message is one sentence that says which program, which tools, and why. Where the worker
    told a trace, that is a note of the exception.
    """
