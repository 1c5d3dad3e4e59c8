// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * How an invocation ended (clause 1.1). {@link Mapping#toResponse} says what it means for a tool call. Outcomes of
 * plain callables are only {@link Returned} or {@link Raised}.
 */
public sealed interface Outcome permits Returned, Raised, Settled {}
