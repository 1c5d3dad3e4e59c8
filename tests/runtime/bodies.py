# SPDX-License-Identifier: Apache-2.0
"""Tools for the runtime's tests: a body and nothing else, so that only the runtime is tested."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from isonomy.contract.outcome import Outcome
from isonomy.tools.boundary import run
from isonomy.tools.tool import Invocation, Tool


class Body(Tool):
    """A tool whose body takes the call's arguments as keywords, and the context as ``context``."""

    def __init__(self, body: Callable[..., Any], name: str | None = None, **options: Any) -> None:
        wants_context = "context" in inspect.signature(body).parameters
        super().__init__(
            name or body.__name__,
            is_async=inspect.iscoroutinefunction(body),
            wants_context=wants_context,
            **options,
        )
        self._body = body

    def invoke(self, invocation: Invocation) -> Outcome:
        arguments = dict(invocation.arguments or {})  # type: ignore[arg-type]
        if self.wants_context:
            arguments["context"] = invocation.context
        return run(lambda: self._body(**arguments), invocation.passing)
