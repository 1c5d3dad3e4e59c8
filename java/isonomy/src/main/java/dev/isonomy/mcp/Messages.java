// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Portable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** JSON-RPC messages as bytes (clause 14.9). */
final class Messages {

    private static final long NO_SUCH_METHOD = -32_601;
    /** The first byte of a surrogate, where the next has its highest bits as 101. */
    private static final byte SURROGATE = (byte) 0xED;
    private static final byte NO_UTF_8 = (byte) 0xFF;

    private Messages() {}

    /** A request. Each of its parameters may be as deep as a value may be by itself. */
    static byte[] request(long number, String method, Map<String, ?> params) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ascii("{\"jsonrpc\":\"2.0\",\"id\":" + number + ",\"method\":\"" + method + "\",\"params\":{"));
        String before = "";
        for (Map.Entry<String, ?> each : params.entrySet()) {
            out.writeBytes(ascii(before + "\"" + each.getKey() + "\":"));
            out.writeBytes(Portable.encodePlain(each.getValue()));
            before = ",";
        }
        out.writeBytes(ascii("}}"));
        return out.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A notification. */
    static byte[] notification(String method, Map<String, ?> params) {
        Map<String, Object> message = envelope();
        message.put("method", method);
        message.put("params", params);
        return Portable.encodePlain(message);
    }

    /** The answer to a request of the server: to {@code ping}, or that there is no such method (clause 14.15). */
    static byte[] answer(Object id, String method) {
        Map<String, Object> message = envelope();
        message.put("id", id);
        if (method.equals("ping")) {
            message.put("result", Map.of());
        } else {
            message.put("error", Map.of("code", NO_SUCH_METHOD, "message", "Method not found"));
        }
        return Portable.encodePlain(message);
    }

    private static Map<String, Object> envelope() {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("jsonrpc", "2.0");
        return message;
    }

    /** Reads a message, as {@link LenientJson} does; null where the bytes are no object. What is no UTF-8 is U+FFFD. */
    static Map<String, Object> read(byte[] data) {
        return LenientJson.object(text(data));
    }

    /** Bytes as text, without a byte order mark; what is no UTF-8 is U+FFFD. */
    static String text(byte[] data) {
        String text = new String(withoutSurrogates(data), StandardCharsets.UTF_8);
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /**
     * The bytes, where a surrogate stands in them with bytes that are no UTF-8 either: the platform would make one
     * U+FFFD of its three bytes, and each of them is one.
     */
    private static byte[] withoutSurrogates(byte[] data) {
        byte[] made = data;
        for (int i = 0; i + 1 < data.length; i++) {
            if (data[i] == SURROGATE && (data[i + 1] & 0xE0) == 0xA0) {
                if (made == data) {
                    made = data.clone();
                }
                made[i] = NO_UTF_8;
            }
        }
        return made;
    }
}
