// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * The languages an error can come from (clause 4.11). They are texts and no enum, since a language that a newer
 * peer names is kept as it was read.
 */
public final class Language {
    /** Made in Python. */
    public static final String PYTHON = "python";

    /** Made in Java. */
    public static final String JAVA = "java";

    /** Told by a server that speaks MCP. */
    public static final String MCP = "mcp";

    private Language() {}
}
