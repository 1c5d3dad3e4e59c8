// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Messages as bytes: what is read of broken ones, and how streams are split (clauses 14.9 and 14.14). */
final class MessagesTest {

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whatIsReadLeniently() {
        assertEquals(Map.of("a", 2L), Messages.read(utf8("\uFEFF {\"a\":1,\"a\":2} ")));
        assertEquals(
                Map.of("a", Double.NaN, "b", Double.POSITIVE_INFINITY, "c", Double.NEGATIVE_INFINITY),
                Messages.read(utf8("{\"a\":NaN,\"b\":Infinity,\"c\":-Infinity}")));
        assertEquals(
                Map.of("a", new BigInteger("9223372036854775808"), "b", Long.MIN_VALUE, "c", 0L, "d", -0.0),
                Messages.read(utf8("{\"a\":9223372036854775808,\"b\":-9223372036854775808,\"c\":-0,\"d\":-0.0}")));
        assertEquals(Map.of("\udc00", "\ud800x"), Messages.read(utf8("{\"\\udc00\":\"\\ud800x\"}")));
        assertNotNull(Messages.read(utf8("{\"a\":" + "[".repeat(127) + "]".repeat(127) + "}")));
        assertNotNull(Messages.read(utf8("{\"a\":-" + "1".repeat(4_300) + "}")));
        byte[] broken = {'{', '"', 'a', '"', ':', '"', (byte) 0xFF, (byte) 0xC3, '"', '}'};
        assertEquals(Map.of("a", "\uFFFD\uFFFD"), Messages.read(broken));
    }

    @Test
    void whatIsNoMessage() {
        List<String> none = List.of(
                "", " ", "[1]", "1", "\"a\"", "{", "{\"a\":}", "{\"a\":1}{", "{\"a\":1,}", "log", "{'a':1}",
                "{\"a\":1e400}", "{\"a\":INF}", "{\"a\":+Infinity}", "{\"a\":-NaN}",
                "{\"a\":" + "[".repeat(128) + "]".repeat(128) + "}", "{\"a\":-" + "1".repeat(4_301) + "}");
        for (String text : none) {
            assertNull(Messages.read(utf8(text)), text);
        }
    }

    @Test
    void idsAtEitherEnd() {
        String rest = "x\\\"\\n".repeat(40_000);
        assertEquals(7L, id("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"" + rest + "\"}"));
        assertEquals(8L, id("{\"result\":{\"id\":1,\"x\":\"" + rest + "\"},\"id\" : 8 }"));
        assertEquals(9L, id("{\"result\":\"" + rest + "\",\"id\":9,\"more\":{\"id\":1}}"));
        assertNull(id("{\"result\":{\"x\":\"" + rest + "\",\"id\":1}}"));
        assertNull(id("{\"result\":\"" + rest + "\",\"id\":\"a\"}"));
        assertNull(id("{\"id\":1.5,\"result\":\"" + rest + "\"}"));
    }

    @Test
    void surrogatesAreNoUtf8() {
        byte[] surrogates = {'{', '"', 'a', '"', ':', '"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, 'x', '"', '}'};
        assertEquals(Map.of("a", "\uFFFD\uFFFD\uFFFDx"), Messages.read(surrogates));
        assertEquals((byte) 0xED, surrogates[6]);
        assertEquals(Map.of("a", "\uD7FF"), Messages.read(utf8("{\"a\":\"\uD7FF\"}")));
    }

    /** Ids that are no message's do not take long to be passed over. */
    @Test
    void manyIdsAtTheEnd() {
        String ids = ",\"id\":1".repeat(MessageId.SCANNED / 7);
        assertTimeoutPreemptively(java.time.Duration.ofSeconds(20), () -> {
            for (int i = 0; i < 50; i++) {
                assertNull(id("x" + ids + ids));
            }
        });
    }

    @Test
    void idsOfBrokenMessages() {
        assertEquals(7L, MessageId.of(utf8("\uFEFF\r {\"id\":7,\"result\":{]")));
        assertNull(MessageId.of(utf8("got {\"id\":7,\"result\":{]")));
        assertNull(MessageId.of(utf8("")));
    }

    private static Long id(String text) {
        byte[] data = utf8(text);
        return MessageId.of(
                Arrays.copyOf(data, MessageId.SCANNED),
                Arrays.copyOfRange(data, data.length - MessageId.SCANNED, data.length));
    }

    /** What is received, as texts; what is too long as its length at either end. */
    private static final class Taken implements Received {
        private final List<String> all = new ArrayList<>();

        @Override
        public void message(byte[] data) {
            all.add(new String(data, StandardCharsets.UTF_8));
        }

        @Override
        public void tooLong(byte[] head, byte[] tail) {
            all.add("too long, " + (char) head[0] + " to " + (char) tail[tail.length - 1]);
        }
    }

    private interface Splitter {
        void feed(byte[] data, int count);
    }

    /** The same whatever the pieces are in which it comes. */
    private static void checkSplit(List<String> expected, String stream, Function<Received, Splitter> made) {
        byte[] data = utf8(stream);
        for (int size = 1; size <= data.length; size++) {
            Taken taken = new Taken();
            Splitter splitter = made.apply(taken);
            for (int at = 0; at < data.length; at += size) {
                byte[] piece = Arrays.copyOfRange(data, at, Math.min(data.length, at + size));
                splitter.feed(piece, piece.length);
            }
            assertEquals(expected, taken.all, "in pieces of " + size);
        }
    }

    @Test
    void lines() {
        checkSplit(
                List.of("", "ab", "0123456789", "too long, a to c", "\u00e9\r", "z"),
                "\nab\n0123456789\na123456789c\n\u00e9\r\nz\nunfinished",
                into -> new Lines(10, into)::feed);
    }

    @Test
    void events() {
        checkSplit(
                List.of("a", "b\nc", "0123456789", "", "too long, { to }", "too long, { to }", "d"),
                ": comment\r\nid: 1\r\ndata: a\r\n\r\nevent: message\ndata:b\ndata: c\n\n"
                        + "data: 0123456789\n\ndata:\n\ndata:{" + "1".repeat(30) + "}\n\n"
                        + "data:{2345\ndata:78901}\n\n\ndata: d\n\ndata: unfinished\n",
                into -> new Events(10, into)::feed);
    }
}
