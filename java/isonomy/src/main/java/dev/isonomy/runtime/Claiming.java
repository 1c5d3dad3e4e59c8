// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Journal;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.contract.ToolError;
import java.util.function.BooleanSupplier;

/** How a batch becomes durable: in which journal, under which id, with which slots. Immutable. */
final class Claiming {

    private final String id;
    private final Journal journal;
    private final SlotKey[] slots;

    /**
     * @param slots by position; null for a call without one
     * @throws Misuse the batch has no id that can be kept (clause 13.1)
     */
    Claiming(String id, Journal journal, SlotKey[] slots) {
        if (id == null || ToolError.isBlank(id)) {
            throw new Misuse("a durable batch has an id that is not blank; give its ToolRequest one");
        }
        if (id.indexOf('\0') >= 0 || id.codePoints().anyMatch(point -> point >= 0xD800 && point <= 0xDFFF)) {
            throw new Misuse("the id of a durable batch is a text without U+0000 and lone surrogates");
        }
        this.id = id;
        this.journal = journal;
        this.slots = slots;
    }

    /**
     * Becomes the owner of the batch, waiting where another host is.
     *
     * @param waits asked now and then whether to wait on
     */
    Durable claim(BooleanSupplier waits) throws InterruptedException {
        return Durable.claim(journal, id, slots, waits);
    }
}
