// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * The body returned.
 *
 * @param value what it returned, possibly null, possibly a {@link ToolResponse}
 */
public record Returned(Object value) implements Outcome {}
