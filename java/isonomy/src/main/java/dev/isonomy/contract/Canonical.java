// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** The canonical encoding of portable values, and digests over it (clause 6). Safe for use by several threads. */
public final class Canonical {
    private Canonical() {}

    /**
     * The canonical encoding of a value.
     *
     * @throws PortableException where an integer is too long (clause 5.8)
     */
    public static byte[] encode(Object value) {
        CanonicalForm form = new CanonicalForm();
        new Encoder(form, false).value(value);
        return form.toBytes();
    }

    /** The SHA-256 of the canonical encoding, in lower-case hexadecimal. */
    public static String digest(Object value) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha256.digest(encode(value)));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }

    /** Whether two values are equal as portable values: whether their encodings are (clause 5.4). */
    public static boolean equal(Object left, Object right) {
        return Arrays.equals(encode(left), encode(right));
    }

    /** The canonical encoding of plain JSON in which tags are maps. */
    static byte[] ofPlain(Object plain) {
        CanonicalForm form = new CanonicalForm();
        new Encoder(form, false).payload(plain);
        return form.toBytes();
    }
}
