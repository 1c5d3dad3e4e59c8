// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolSuccess;
import java.util.List;
import java.util.Map;

/**
 * The limits of results, checked on every path (clause 5.29). The codec is the arbiter; a value that surely fits, which
 * is most of them, is not encoded to find out.
 */
final class ResultCheck {

    /** No character takes more bytes than this, whatever escape or tag it needs. */
    private static final long BYTES_PER_CHARACTER = 12;
    /** Brackets, quotes, commas, a tag's name, the longest number. */
    private static final long BYTES_PER_VALUE = 64;
    private static final int MAX_DEPTH = 16;

    private final Limits limits;

    ResultCheck(Limits limits) {
        this.limits = limits;
    }

    /** The outcome under the limits. */
    Outcome applied(Outcome outcome) {
        if (!(outcome instanceof Returned returned)) {
            return limits.applied(outcome);
        }
        Object value = returned.value();
        if (value instanceof ToolFailure) {
            return limits.applied(outcome);
        }
        if (value instanceof ToolSuccess success && success.content().isEmpty() && success.meta().isEmpty()) {
            value = success.result();
        }
        return left(value, limits.maxResultBytes(), MAX_DEPTH) >= 0 ? outcome : limits.applied(outcome);
    }

    /** A failure under the limit of size, to be asked again after redaction (clause 4.15). */
    ToolFailure bounded(ToolFailure failure) {
        return limits.bounded(failure);
    }

    /** How many bytes are left of {@code room} after a value at its largest; negative where that is not sure. */
    private static long left(Object value, long room, int depth) {
        long left = room - BYTES_PER_VALUE;
        if (left < 0 || value == null || value instanceof Boolean || isSmallNumber(value)) {
            return left;
        }
        if (value instanceof String text) {
            return left - BYTES_PER_CHARACTER * text.length();
        }
        // The tool's own collections are left to the codec, which is prepared for all that they may do.
        if (depth == 0 || value.getClass().getClassLoader() != null) {
            return -1;
        }
        if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                left = entry.getKey() instanceof String ? left(entry.getKey(), left, 0) : -1;
                left = left < 0 ? -1 : left(entry.getValue(), left, depth - 1);
                if (left < 0) { // also because a map that a wrapper hides may have no end
                    break;
                }
            }
            return left;
        }
        if (value instanceof List<?> list) {
            for (Object item : list) {
                left = left(item, left, depth - 1);
                if (left < 0) {
                    break;
                }
            }
            return left;
        }
        return -1;
    }

    private static boolean isSmallNumber(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Double;
    }
}
