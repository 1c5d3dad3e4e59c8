// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.nio.charset.StandardCharsets;

/**
 * Portable values as JSON text (clause 5): the one form of every value that leaves its process or is stored. Plain JSON
 * stays plain JSON; what JSON cannot say is an object with one key that starts with {@code $iso:}.
 *
 * <pre>{@code
 * byte[] json = Portable.encode(Map.of("price", new BigDecimal("0.10")));
 * // {"price":{"$iso:decimal":"0.10"}}
 * Object value = Portable.decode(json);
 * }</pre>
 *
 * Safe for use by several threads.
 */
public final class Portable {
    private Portable() {}

    /**
     * A value as UTF-8 JSON without white space. What has no portable form is {@link Opaque} in place.
     *
     * @throws PortableException where an integer is too long (clause 5.8)
     */
    public static byte[] encode(Object value) {
        return encode(value, Limits.NONE);
    }

    /**
     * The same within limits.
     *
     * @throws PortableException where an integer or the whole is too large, and, with strict values, where a value has
     *     no portable form; the message names the place
     */
    public static byte[] encode(Object value, Limits limits) {
        JsonForm out = new JsonForm();
        out.beginBound(limits.maxResultBytes());
        new Encoder(out, limits.strictValues()).value(value);
        return out.toBytes();
    }

    /**
     * The value of a JSON text: null, {@link Boolean}, {@link Long} or {@link java.math.BigInteger}, {@link Double},
     * {@link String}, {@link java.util.List}, {@link java.util.Map}, what tags stand for ({@code byte[]},
     * {@link java.math.BigDecimal}, {@code java.time}, {@link java.util.UUID}, {@link java.util.Set}, maps with keys of
     * any kind), {@link Opaque}, or {@link Tagged} where Java cannot hold it exactly. Collections keep their order and
     * cannot be changed. Sets and maps that come from tags find elements and keys by their encoding, so that bytes are
     * found by content; in lists and in values of maps {@code byte[]} is equal only to itself: compare with
     * {@link Canonical#equal}.
     *
     * @throws PortableException where the text is no portable JSON or holds an integer that is too long
     */
    public static Object decode(byte[] json) {
        return JsonReader.portable(json);
    }

    /** The value of a JSON text in a string. */
    public static Object decode(String json) {
        return JsonReader.portable(json);
    }

    /**
     * The value of plain JSON in which no object is a tag, as models send it (clause 7.1).
     *
     * @throws PortableException as {@link #decode(String)}
     */
    public static Object decodePlain(String json) {
        return JsonReader.plain(json);
    }

    /**
     * The value that plain JSON values stand for, in which tags are maps; the same one where no tag is in them.
     *
     * @throws PortableException where that is no portable value
     */
    public static Object ofPlain(Object plain) {
        return Tags.decode(plain);
    }

    /**
     * Plain JSON values as UTF-8 JSON without white space, in which no object becomes a tag.
     *
     * @param plain null, {@link Boolean}, integers, finite {@link Double}, {@link String}, {@link java.util.List},
     *     {@link java.util.Map} with strings as keys
     */
    public static byte[] encodePlain(Object plain) {
        JsonForm out = new JsonForm();
        new Encoder(out, false).plain(plain);
        return out.toBytes();
    }

    /** A name as messages show it: a JSON string, lone surrogates as U+FFFD (clauses 3.15 and 4.3). */
    public static String quoted(String name) {
        return jsonString(ErrorText.wellFormed(name));
    }

    /** A string as JSON, quotes included. */
    static String jsonString(String text) {
        JsonForm out = new JsonForm();
        out.plainText(text);
        return new String(out.toBytes(), StandardCharsets.UTF_8);
    }
}
