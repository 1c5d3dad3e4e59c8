// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.tools.Injected;
import dev.isonomy.tools.Tool;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values as they cross. */
public final class Values {
    private Values() {}

    @Tool
    public static Object echo(Object value) {
        return value;
    }

    /** Arguments are plain JSON; a value of the host may be any. */
    @Tool
    public static Object echoGiven(@Injected Object given) {
        return given;
    }

    @Tool
    public static Map<String, Object> types(Object value) {
        return Map.of("type", value == null ? "null" : value.getClass().getName(), "text", String.valueOf(value));
    }

    @Tool
    public static Object integer(String digits, String type) {
        BigInteger value = new BigInteger(digits);
        return switch (type) {
            case "int" -> value.intValueExact();
            case "long" -> value.longValueExact();
            default -> value;
        };
    }

    @Tool
    public static String boxed(Long id) {
        return "id " + id;
    }

    @Tool
    public static Map<Long, Integer> longKeys() {
        return Map.of(25L, 26);
    }

    /** Values that are alive in this JVM: they must not be so in the host. */
    @Tool
    public static Map<String, Object> alive() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("nested", List.of(Map.of("n", (short) 7, "f", 1.5f), Arrays.asList(1, null, 'x')));
        value.put("thread", new Thread("idle"));
        value.put("exception", new IllegalStateException("a value"));
        return value;
    }

    @Tool
    public static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) 0xa5);
        return bytes;
    }

    @Tool
    public static String text(int size) {
        return "x".repeat(size);
    }

    @Tool
    public static int length(String text) {
        return text.length();
    }

    @Tool
    public static String surrogate() {
        return "a\ud800b \ud83d\ude00 \u00e9\u0000";
    }
}
