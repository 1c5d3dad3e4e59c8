// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/**
 * Compares texts of JSON by clause 5.4, without the codec under test: integers by value, floats by their bits, objects
 * without regard to order, and nothing of one type with another.
 */
public final class SameJson {
    private SameJson() {}

    /** Fails where the texts differ; names of fixtures are put into the expected one. */
    public static void check(String expected, String actual, String what) {
        String resolved = Fixtures.resolved(expected);
        if (!same(read(resolved), read(actual))) {
            fail(what + " is " + shortened(actual) + ", expected " + shortened(resolved));
        }
    }

    /** The same with an encoding. */
    public static void check(String expected, byte[] actual, String what) {
        check(expected, new String(actual, StandardCharsets.UTF_8), what);
    }

    private static JsonNode read(String text) {
        try {
            return Vectors.JSON.readTree(text.startsWith("\uFEFF") ? text.substring(1) : text);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static boolean same(JsonNode left, JsonNode right) {
        if (left.getNodeType() != right.getNodeType() || left.size() != right.size()) {
            return false;
        } else if (left.isNumber()) {
            return sameNumber(left, right);
        } else if (left.isObject()) {
            return sameMembers(left, right);
        }
        for (int i = 0; i < left.size(); i++) {
            if (!same(left.get(i), right.get(i))) {
                return false;
            }
        }
        return left.isContainerNode() || left.equals(right);
    }

    private static boolean sameNumber(JsonNode left, JsonNode right) {
        if (left.isIntegralNumber() && right.isIntegralNumber()) {
            return left.bigIntegerValue().equals(right.bigIntegerValue());
        }
        return left.isFloatingPointNumber()
                && right.isFloatingPointNumber()
                && Double.compare(left.doubleValue(), right.doubleValue()) == 0;
    }

    private static boolean sameMembers(JsonNode left, JsonNode right) {
        Iterator<String> names = left.fieldNames();
        while (names.hasNext()) {
            String name = names.next();
            if (!right.has(name) || !same(left.get(name), right.get(name))) {
                return false;
            }
        }
        return true;
    }

    private static String shortened(String text) {
        return text.length() < 2_000 ? text : text.substring(0, 2_000) + "…";
    }
}
