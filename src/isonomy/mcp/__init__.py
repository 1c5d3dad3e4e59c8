# SPDX-License-Identifier: Apache-2.0
"""Tools of MCP servers (clause 14)."""

from isonomy.mcp.server import McpServer, McpUnavailable, mcp_server

__all__ = ["McpServer", "McpUnavailable", "mcp_server"]
