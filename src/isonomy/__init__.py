# SPDX-License-Identifier: Apache-2.0
"""One explicit response for every tool call, with the same meaning in Python and in Java.

The names below are the public ones. They are imported when they are first used, so that
`import isonomy` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from isonomy.bridge.jvm import java_tools as java_tools
    from isonomy.bridge.reference import JavaMethod as JavaMethod
    from isonomy.bridge.unavailable import JavaUnavailable as JavaUnavailable
    from isonomy.bridge.workers.python_workers import python_tools as python_tools
    from isonomy.bridge.workers.unavailable import WorkerUnavailable as WorkerUnavailable
    from isonomy.contract.call import ToolCall as ToolCall
    from isonomy.contract.call import ToolRequest as ToolRequest
    from isonomy.contract.canonical import digest as digest
    from isonomy.contract.content import Block as Block
    from isonomy.contract.error import Effect as Effect
    from isonomy.contract.error import ErrorKind as ErrorKind
    from isonomy.contract.error import ToolError as ToolError
    from isonomy.contract.events import CallRecord as CallRecord
    from isonomy.contract.events import ExecutionEvent as ExecutionEvent
    from isonomy.contract.events import ResponseEvent as ResponseEvent
    from isonomy.contract.journal import JournalError as JournalError
    from isonomy.contract.journal import JournalMismatch as JournalMismatch
    from isonomy.contract.misuse import IsonomyError as IsonomyError
    from isonomy.contract.misuse import Misuse as Misuse
    from isonomy.contract.portable import decode as decode
    from isonomy.contract.portable import encode as encode
    from isonomy.contract.portable import register_converter as register_converter
    from isonomy.contract.redaction import Redactor as Redactor
    from isonomy.contract.response import ToolFailed as ToolFailed
    from isonomy.contract.response import ToolFailure as ToolFailure
    from isonomy.contract.response import ToolResponse as ToolResponse
    from isonomy.contract.response import ToolSuccess as ToolSuccess
    from isonomy.contract.tagged import Opaque as Opaque
    from isonomy.contract.tagged import PortableError as PortableError
    from isonomy.contract.tagged import Tagged as Tagged
    from isonomy.contract.view import model_view as model_view
    from isonomy.journal.memory import MemoryJournal as MemoryJournal
    from isonomy.journal.sqlite import SqliteJournal as SqliteJournal
    from isonomy.mcp.server import McpUnavailable as McpUnavailable
    from isonomy.mcp.server import mcp_server as mcp_server
    from isonomy.observe.memory import MemorySink as MemorySink
    from isonomy.observe.metrics import Metrics as Metrics
    from isonomy.runtime.closed import ExecutorClosed as ExecutorClosed
    from isonomy.runtime.executor import ToolExecutor as ToolExecutor
    from isonomy.runtime.invocations import execute_all as execute_all
    from isonomy.tools.context import ToolContext as ToolContext
    from isonomy.tools.decorator import tool as tool
    from isonomy.tools.injection import Injected as Injected
    from isonomy.tools.names import SafeNames as SafeNames
    from isonomy.tools.registry import ToolRegistry as ToolRegistry
    from isonomy.tools.sources import as_tool as as_tool

_HOME = {
    "register_converter": "contract.portable",
    "encode": "contract.portable",
    "digest": "contract.canonical",
    "decode": "contract.portable",
    "as_tool": "tools.sources",
    "SafeNames": "tools.names",
    "Redactor": "contract.redaction",
    "PortableError": "contract.tagged",
    "Tagged": "contract.tagged",
    "Opaque": "contract.tagged",
    "JavaMethod": "bridge.reference",
    "JavaUnavailable": "bridge.unavailable",
    "Block": "contract.content",
    "CallRecord": "contract.events",
    "Effect": "contract.error",
    "ErrorKind": "contract.error",
    "ExecutionEvent": "contract.events",
    "ExecutorClosed": "runtime.closed",
    "Injected": "tools.injection",
    "IsonomyError": "contract.misuse",
    "JournalError": "contract.journal",
    "JournalMismatch": "contract.journal",
    "McpUnavailable": "mcp.server",
    "MemoryJournal": "journal.memory",
    "mcp_server": "mcp.server",
    "MemorySink": "observe.memory",
    "Metrics": "observe.metrics",
    "Misuse": "contract.misuse",
    "ResponseEvent": "contract.events",
    "SqliteJournal": "journal.sqlite",
    "ToolCall": "contract.call",
    "ToolContext": "tools.context",
    "ToolError": "contract.error",
    "ToolExecutor": "runtime.executor",
    "ToolFailed": "contract.response",
    "ToolFailure": "contract.response",
    "ToolRegistry": "tools.registry",
    "ToolRequest": "contract.call",
    "ToolResponse": "contract.response",
    "ToolSuccess": "contract.response",
    "WorkerUnavailable": "bridge.workers.unavailable",
    "execute_all": "runtime.invocations",
    "java_tools": "bridge.jvm",
    "model_view": "contract.view",
    "python_tools": "bridge.workers.python_workers",
    "tool": "tools.decorator",
}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604 - a dict of names


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'isonomy' has no attribute {name!r}")
    value = getattr(import_module(f"isonomy.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
