// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Arrays;

/**
 * A position in a durable batch and what must be equal for the outcome at it to be reused (clause J1.2).
 *
 * @param position the place of the call in its batch, from 0
 * @param tool the tool's name as the call has it
 * @param version the tool's version, see {@link SlotDigests#version}
 * @param arguments the arguments' digest (clause 7.14), in lower-case hexadecimal
 * @param injected the digest of the injected values that count, in lower-case hexadecimal, or null where none counts
 */
public record SlotKey(int position, String tool, String version, String arguments, String injected) {

    private static final int SHORT = 12;

    /** Refuses what cannot be a slot. */
    public SlotKey {
        Misuse.required(tool, "the tool of a slot");
        Misuse.required(version, "the version of a slot");
        Misuse.required(arguments, "the arguments' digest of a slot");
        if (position < 0) {
            throw new Misuse("the position of a slot is from 0, got " + position);
        }
    }

    /** The key of this slot, the same for every attempt and every resume (clause J1.6). */
    public String idempotencyKey(String batchId) {
        return Canonical.digest(
                Arrays.asList("isonomy", batchId, (long) position, tool, version, arguments, injected));
    }

    /** What this slot is, with what differs of another at its position (clause 13.3). */
    public String told(SlotKey other) {
        StringBuilder told = new StringBuilder("tool \"").append(tool).append('"');
        if (!version.equals(other.version)) {
            told.append(", version ").append(cut(version, version.startsWith("s:") || version.startsWith("v:")));
        }
        if (!arguments.equals(other.arguments)) {
            told.append(", arguments ").append(cut(arguments, false));
        }
        if (injected == null ? other.injected != null : !injected.equals(other.injected)) {
            told.append(", injected ").append(injected == null ? "none" : cut(injected, false));
        }
        return told.toString();
    }

    private static String cut(String text, boolean marked) {
        int length = marked ? SHORT + 2 : SHORT;
        return text.codePointCount(0, text.length()) <= length
                ? text
                : text.substring(0, text.offsetByCodePoints(0, length));
    }
}
