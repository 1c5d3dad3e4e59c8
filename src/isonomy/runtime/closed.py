# SPDX-License-Identifier: Apache-2.0
"""What a caller sees whose executor is closed."""

from isonomy.contract.misuse import IsonomyError


class ExecutorClosed(IsonomyError):  # noqa: N818 - a state that ends a call, not a mistake
    """Raised when an executor is used after `close`, or closed under a running batch (8.14)."""

    def __init__(self) -> None:
        super().__init__("the executor is closed; make a new ToolExecutor to run calls")
