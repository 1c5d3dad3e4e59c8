# SPDX-License-Identifier: Apache-2.0
"""A tool whose body is Java, called in this process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from threading import get_ident
from time import perf_counter_ns
from typing import Any, Final, NoReturn

from isonomy.bridge.bridged_tool import BridgedTool
from isonomy.bridge.endpoint import MAIN, Endpoint, tokens
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome
from isonomy.tools.tool import Invocation

_QUICK_NS: Final = 10_000_000
"""A call in the main thread that takes less is followed by one that runs in that thread itself."""


class JavaTool(BridgedTool):
    """A Java method or `CallableTool`, made by `isonomy.bridge.jvm.java_tools`.

    The call crosses as bytes and its outcome comes back as one envelope (clause 10), whatever the
    body does; a body that calls `System.exit` ends this process all the same, as one in Python that
    calls `os._exit` does. The body runs in the caller's thread.

    In the main thread, where Python handles signals, a body runs on a thread of the JVM's instead,
    unless the tool's last call there took less than 10 ms: so Ctrl-C is seen at once, and in a
    body that turns out slow for the first time, when it ends.
    """

    def __init__(self, endpoint: Endpoint, description: Mapping[str, Any]) -> None:
        super().__init__(description, "java")
        self._endpoint = endpoint
        self._quick = False

    def _answer(self, invocation: Invocation) -> Outcome:
        endpoint = self._endpoint
        over = endpoint.over()
        if over is not None:
            return settled(ErrorKind.INTERNAL, over, Effect.NONE)
        request = self._request(invocation)
        token = next(tokens)
        invocation.on_cancel(partial(endpoint.cancel, token))
        try:
            if get_ident() != MAIN:
                reply = endpoint.call(request, token)
            elif self._quick:
                began = perf_counter_ns()
                reply = endpoint.call(request, token)
                self._quick = perf_counter_ns() - began < _QUICK_NS
            else:
                # The way to another thread does not count: on a busy machine it alone would keep
                # a quick tool from being found quick.
                reply, took = endpoint.call_aside(request, token)
                self._quick = took < _QUICK_NS
        except endpoint.broken as broken:
            return settled(ErrorKind.INTERNAL, f"the call broke down in the JVM: {broken}")
        return self._outcome(reply, invocation)

    def __reduce__(self) -> NoReturn:
        raise Misuse(
            f"the Java tool {self.name!r} belongs to the JVM of its process and cannot be sent to"
            " another; call java_tools there"
        )
