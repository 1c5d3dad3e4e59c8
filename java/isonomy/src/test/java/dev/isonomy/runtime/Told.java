// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.observe.MemorySink;
import java.util.List;

/** What a memory sink was told, as short texts. */
final class Told {
    private Told() {}

    /** {@code started 0}, {@code failed 1 exception}, {@code cancelled 0 suspended}, in order of {@code seq}. */
    static List<String> of(MemorySink memory) {
        return memory.executions().stream().map(Told::text).toList();
    }

    private static String text(ExecutionEvent event) {
        String more = event.kind() != null ? " " + event.kind().wire() : event.reason() != null ? " " + event.reason() : "";
        return event.type().wire() + " " + event.position() + more;
    }
}
