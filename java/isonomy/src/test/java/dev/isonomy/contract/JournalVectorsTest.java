// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.Vectors;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What identifies slots (clause J1), against the vectors. */
@ReadsVectors("journal")
final class JournalVectorsTest {

    @TestFactory
    Stream<DynamicTest> journal() {
        return Vectors.tests("journal", JournalVectorsTest::check);
    }

    private static void check(Fields vector) {
        if (vector.has("schema")) {
            assertEquals(vector.text("version"), SlotDigests.version(null, object(vector.json("schema"))));
        } else if (vector.has("identity_key")) {
            byte[] key = vector.text("identity_key").getBytes(UTF_8);
            assertEquals(vector.text("digest"), SlotDigests.injected(key, object(vector.json("injected"))));
        } else {
            Map<String, Object> slot = object(vector.json("slot"));
            SlotKey key = new SlotKey(
                    (Integer) slot.get("position"), (String) slot.get("tool"), (String) slot.get("version"),
                    (String) slot.get("arguments"), (String) slot.get("injected"));
            assertEquals(vector.text("idempotency_key"), key.idempotencyKey((String) slot.get("batch")));
        }
    }

    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    private static Map<String, Object> object(Object json) {
        return (Map<String, Object>) json;
    }

    @Test
    void aSlotIsToldByWhatDiffersOfAnother() {
        SlotKey one = new SlotKey(0, "price", "s:" + "0123456789abcdef".repeat(4), "a".repeat(64), null);
        SlotKey other = new SlotKey(0, "stock", "v:2", "b".repeat(64), "c".repeat(64));
        assertEquals("tool \"price\"", one.told(one));
        assertEquals("tool \"price\", version s:0123456789ab, arguments aaaaaaaaaaaa, injected none", one.told(other));
        assertEquals("tool \"stock\", version v:2, arguments bbbbbbbbbbbb, injected cccccccccccc", other.told(one));
    }

    @Test
    void aVersionOfTheAuthorStandsAsItIs() {
        assertEquals("v:2026-01", SlotDigests.version("2026-01", Map.of()));
    }
}
