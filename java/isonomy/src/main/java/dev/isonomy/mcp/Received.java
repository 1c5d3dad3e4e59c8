// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

/** Takes the messages of a server. */
interface Received {

    /** What may be one message. */
    void message(byte[] data);

    /** A message of more bytes than the cap: its two ends. */
    void tooLong(byte[] head, byte[] tail);

    /** A message that has passed the cap and goes on, perhaps for ever; where it ends, it is told once more. */
    default void passes(byte[] head) {}
}
