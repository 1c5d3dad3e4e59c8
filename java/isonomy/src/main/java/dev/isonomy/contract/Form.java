// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigInteger;

/**
 * One way of writing a portable value, node by node: JSON text, the canonical encoding, or both at once. Whoever
 * writes opens and closes lists and objects in pairs. Not for use by several threads.
 */
abstract class Form {
    /** A place to go back to; valid while everything that was open then is still open. */
    record Mark(int json, int canonical, int openObjects) {}

    /** Refuses where so many bytes are too many, whatever is written already. */
    abstract void expect(long more);

    /** How many bytes may be written in all. */
    abstract long bound();

    abstract void nul();

    abstract void bool(boolean value);

    abstract void integer(long value);

    abstract void integer(BigInteger value);

    /** A finite number. */
    abstract void real(double value);

    /** A string; where it has lone surrogates nothing is written and the answer is false. */
    abstract boolean text(String value);

    /** A string of plain JSON, lone surrogates included: JSON can escape them, the canonical encoding tags them. */
    abstract void plainText(String value);

    abstract void beginList();

    abstract void endList();

    abstract void beginObject();

    /** A key, written as it is. */
    abstract void key(String key);

    abstract void endObject();

    /** Opens a list whose items are put in canonical order at its end; {@link #item} comes before each of them. */
    abstract void beginSorted();

    abstract void item();

    /** The key of a pair ends here; without this call the whole item is the key. */
    abstract void keyEnd();

    /**
     * Orders the items by the canonical encoding of their keys and closes the list. Of items with equal keys the
     * first stays.
     *
     * @return whether no two keys were equal
     */
    abstract boolean endSorted();

    abstract Mark mark();

    abstract void reset(Mark mark);

    /** A string with lone surrogates as its tag (clause 5.10). */
    final void surrogates(String value) {
        beginObject();
        key(Tags.STR);
        beginList();
        int pieceStart = 0;
        int at = Surrogates.firstLone(value, 0);
        while (at >= 0) {
            if (at > pieceStart) {
                text(value.substring(pieceStart, at));
            }
            integer(value.charAt(at));
            pieceStart = at + 1;
            at = Surrogates.firstLone(value, pieceStart);
        }
        if (pieceStart < value.length()) {
            text(value.substring(pieceStart));
        }
        endList();
        endObject();
    }

    /** A tag whose payload is a text. */
    final void tag(String key, String payload) {
        beginObject();
        key(key);
        text(payload);
        endObject();
    }
}
