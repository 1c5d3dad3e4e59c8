// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * Raised where a journal cannot be opened, read or written; its message says why. What had been committed before stays
 * so.
 */
public class JournalException extends IsonomyException {
    private static final long serialVersionUID = 1L;

    /** A journal that cannot be used, described in one sentence. */
    public JournalException(String message) {
        super(message);
    }

    /** The same with the exception that led to it. */
    public JournalException(String message, Throwable cause) {
        super(message, cause);
    }
}
