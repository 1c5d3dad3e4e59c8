// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.Map;

/**
 * The JSON form of one Java type: its schema, and how a valid JSON value becomes a value of the
 * type. Both sides of one decision stand in one class, so that they cannot disagree.
 */
interface Form {

    /** A new schema of this form, free to be added to. */
    Map<String, Object> schema(Definitions definitions);

    /**
     * Makes a value of the type.
     *
     * @param value plain JSON that fits the schema
     * @throws Unreadable the value fits the schema and cannot be read as the type
     */
    Object bind(Object value) throws Unreadable;

    /** What an absent, optional parameter without a default is. */
    default Object absent() {
        return null;
    }

    /** Whether the JSON form is a string, so that a default is written without quotes. */
    default boolean isText() {
        return false;
    }
}
