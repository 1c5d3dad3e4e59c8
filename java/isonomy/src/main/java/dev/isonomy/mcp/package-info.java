// SPDX-License-Identifier: Apache-2.0
/** Tools of MCP servers (clause 14). */
package dev.isonomy.mcp;
