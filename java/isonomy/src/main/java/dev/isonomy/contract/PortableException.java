// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Raised where a value cannot be written, or a text cannot be read, as a portable value (clause 5). */
public final class PortableException extends IsonomyException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    public enum Reason {
        /** The text is no portable JSON (clause 5.28). */
        MALFORMED,
        /** The value is beyond a limit of size (clauses 5.8 and 5.29). */
        TOO_LARGE,
        /** A value has no portable form and strict values are asked for (clause 5.26). */
        NOT_PORTABLE
    }

    private final Reason reason;
    private final String path;

    PortableException(Reason reason, String path, String problem) {
        super(path == null ? problem : path + ": " + problem);
        this.reason = reason;
        this.path = path;
    }

    static PortableException tooManyDigits(String path) {
        return new PortableException(
                Reason.TOO_LARGE, path, "an integer of more than " + Digits.MAX + " digits");
    }

    static PortableException malformed(String problem) {
        return new PortableException(Reason.MALFORMED, null, problem);
    }

    /** What is wrong. */
    public Reason reason() {
        return reason;
    }

    /** Where it stands (clause 5.27), or null where the whole is meant. */
    public String path() {
        return path;
    }

    /** The kind of failure that this is when a result cannot be carried (clause 3.12). */
    public ErrorKind kind() {
        return switch (reason) {
            case MALFORMED -> ErrorKind.INTERNAL;
            case TOO_LARGE -> ErrorKind.TOO_LARGE;
            case NOT_PORTABLE -> ErrorKind.RESULT_CONVERSION;
        };
    }
}
