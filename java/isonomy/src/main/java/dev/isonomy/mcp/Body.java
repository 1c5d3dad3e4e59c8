// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/** Takes the whole of a body of at most so many bytes; of a longer one, nothing (clause 14.14). */
final class Body implements Incoming.Taker {

    private final int cap;
    private final Consumer<byte[]> into;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    /** @param into is given the body, or null where it is too long; not where it is cut off */
    Body(int cap, Consumer<byte[]> into) {
        this.cap = cap;
        this.into = into;
    }

    @Override
    public boolean take(byte[] part) {
        if (part.length > cap - kept.size()) {
            into.accept(null);
            return true;
        }
        kept.writeBytes(part);
        return false;
    }

    @Override
    public void whole() {
        into.accept(kept.toByteArray());
    }
}
