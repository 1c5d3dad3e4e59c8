// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** What a model is shown of an exception that a tool did not declare (clause 4.14). */
public enum Unexpected {
    /** Its message. */
    MESSAGE,
    /** Its type in place of the message. */
    TYPE
}
