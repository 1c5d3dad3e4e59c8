// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.ResponseEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The last events, oldest first (clause 9.6). */
final class MemorySinkTest {

    private static List<String> ids(MemorySink sink) {
        return sink.responses().stream().map(ResponseEvent::id).toList();
    }

    @Test
    void theLastEventsAreKept() {
        MemorySink sink = new MemorySink(3);
        assertEquals(List.of(), ids(sink));
        for (int i = 0; i < 5; i++) {
            sink.emit(new ResponseEvent("b" + i, List.of()));
        }
        assertEquals(List.of("b2", "b3", "b4"), ids(sink));
        assertTrue(sink.executions().isEmpty());
        sink.clear();
        assertEquals(List.of(), ids(sink));
    }

    @Test
    void tenThousandUnlessToldOtherwise() {
        MemorySink sink = new MemorySink();
        for (int i = 0; i < 10_001; i++) {
            sink.emit(new ResponseEvent("b" + i, List.of()));
        }
        assertEquals(10_000, sink.events().size());
        assertEquals("b1", ids(sink).get(0));
        assertThrows(Misuse.class, () -> new MemorySink(0));
    }
}
