# SPDX-License-Identifier: Apache-2.0
"""How one batch is run: the options of `run` and `arun`, checked once."""

from __future__ import annotations

from isonomy.tools.amounts import Seconds, limit, seconds


class Options:
    """The checked options of a batch (clauses 8.6 to 8.8)."""

    __slots__ = ("call_deadline", "deadline", "fail_fast", "parallel")

    def __init__(
        self,
        parallel: int = 1,
        deadline: Seconds | None = None,
        call_deadline: Seconds | None = None,
        fail_fast: bool = False,
    ) -> None:
        self.parallel = limit("parallel", parallel)
        self.deadline = seconds("deadline", deadline)
        self.call_deadline = seconds("call_deadline", call_deadline)
        self.fail_fast = fail_fast
