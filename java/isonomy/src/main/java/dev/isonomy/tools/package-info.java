// SPDX-License-Identifier: Apache-2.0
/** What a tool is: its declaration, schema, arguments, injection and registry. */
package dev.isonomy.tools;
