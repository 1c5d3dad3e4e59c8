// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * What a sink is told: the execution events of a batch, in order, and its response event last (clause 9); between them
 * what the runtime counts.
 */
public sealed interface Event permits ExecutionEvent, Notice, ResponseEvent {}
