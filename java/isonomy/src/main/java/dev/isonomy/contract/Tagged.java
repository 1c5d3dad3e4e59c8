// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * A tag that this language cannot hold exactly, does not know, or finds written in another way than the canonical one
 * (clause 5.3). It is written as it was read.
 *
 * @param tag the key of the tag, for example {@code $iso:matrix}
 * @param payload its plain JSON: null, {@link Boolean}, {@link Long}, {@link java.math.BigInteger}, {@link Double},
 *     {@link String}, {@link java.util.List}, {@link java.util.Map}; tags inside it are plain maps
 */
public record Tagged(String tag, Object payload) {
    /** Refuses a key that is no tag. */
    public Tagged {
        if (tag == null || !tag.startsWith(Tags.PREFIX)) {
            throw new Misuse("a tag starts with " + Tags.PREFIX + "; give the whole key");
        }
    }
}
