// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.Fixtures;
import dev.isonomy.vectors.Making;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.SameJson;
import dev.isonomy.vectors.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestFactory;

/** Portable values against the vectors. */
final class PortableVectorsTest {

    @Nested
    @ReadsVectors("decode")
    final class Decode {
        @TestFactory
        Stream<DynamicTest> decode() {
            return Vectors.tests("decode", Decode::check);
        }

        private static void check(Fields vector) {
            String text = vector.text("text");
            if (vector.has("refused")) {
                String refused = vector.text("refused");
                assertEquals(refused, refusal(() -> Portable.decode(utf8(text))));
                assertEquals(refused, refusal(() -> Portable.decode(text)));
                return;
            }
            Object value = Portable.decode(utf8(text));
            assertEquals(vector.forJava("native"), typeName(value));
            if (vector.has("value")) {
                assertEquals(vector.forJava("value"), String.valueOf(value));
            }
            String encodes = vector.has("encodes") ? vector.text("encodes") : text;
            SameJson.check(encodes, Portable.encode(value), "the value written again");
            assertArrayEquals(Canonical.encode(value), Canonical.encode(Portable.decode(text)));
        }

        private static String typeName(Object value) {
            if (value instanceof Set) {
                return "Set";
            } else if (value instanceof List) {
                return "List";
            } else if (value instanceof Map) {
                return "Map";
            }
            return value == null ? "null" : value.getClass().getSimpleName();
        }
    }

    @Nested
    @ReadsVectors("encode")
    final class Encode {
        @TestFactory
        Stream<DynamicTest> encode() {
            return Vectors.tests("encode", Encode::check);
        }

        private static void check(Fields vector) {
            Object value = Making.value(vector.json("make"));
            if (vector.has("refused")) {
                assertEquals(vector.text("refused"), refusal(() -> Portable.encode(value)));
                return;
            }
            SameJson.check(vector.text("text"), Portable.encode(value), "the encoding");
            Limits strict = new Limits(Long.MAX_VALUE, true);
            if (vector.has("strict")) {
                Fields expected = vector.object("strict");
                PortableException refused =
                        assertThrows(PortableException.class, () -> Portable.encode(value, strict));
                String path = expected.text("path");
                String type = Fixtures.resolved((String) expected.forJava("type"));
                assertEquals(path, refused.path());
                assertEquals(PortableException.Reason.NOT_PORTABLE, refused.reason());
                assertEquals(
                        path + ": a value of type " + type + " has no portable form", refused.getMessage());
            } else {
                assertArrayEquals(Portable.encode(value), Portable.encode(value, strict));
            }
        }
    }

    @Nested
    @ReadsVectors("equal")
    final class Equal {
        @TestFactory
        Stream<DynamicTest> equal() {
            return Vectors.tests("equal", vector -> {
                Object left = Portable.decode(vector.text("left"));
                Object right = Portable.decode(vector.text("right"));
                assertEquals(vector.bool("equal"), Canonical.equal(left, right));
                assertEquals(vector.bool("equal"), Canonical.digest(left).equals(Canonical.digest(right)));
            });
        }
    }

    @Nested
    @ReadsVectors("canonical")
    final class CanonicalEncoding {
        @TestFactory
        Stream<DynamicTest> canonical() {
            return Vectors.tests("canonical", vector -> {
                Object value = Portable.decode(vector.text("text"));
                assertEquals(vector.text("canonical"), new String(Canonical.encode(value), StandardCharsets.UTF_8));
                assertEquals(vector.text("sha256"), Canonical.digest(value));
            });
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String refusal(Runnable refused) {
        PortableException.Reason reason =
                assertThrows(PortableException.class, refused::run).reason();
        return reason == PortableException.Reason.MALFORMED ? "malformed" : reason.name().toLowerCase(java.util.Locale.ROOT);
    }
}
