// SPDX-License-Identifier: Apache-2.0
/** The Java tools of {@code isonomy matrix}: each ends in the way that its name says, in each form that a tool can have. */
package dev.isonomy.matrix;
