// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Clauses 12.5, 12.6 and 12.8: what is secret of injected values, and where it is looked for. */
final class SecretValuesTest {
    record Login(String user, String password, Object inner) {}

    private static String replaced(Object value, String text) {
        return SecretValues.of(Arrays.asList(value)).replaced(text);
    }

    @Test
    void textsAreFoundInValuesOfEveryShape() {
        List<Object> shapes = new ArrayList<>(List.of(
                "s3cr3t", "s3cr3t".toCharArray(), "s3cr3t".getBytes(StandardCharsets.UTF_8),
                ByteBuffer.wrap("s3cr3t".getBytes(StandardCharsets.UTF_8)), List.of(1, List.of("s3cr3t")),
                Map.of("any", Map.of(1, "s3cr3t")), Optional.of("s3cr3t"), new Object[] {null, "s3cr3t"},
                new Login("someone", "s3cr3t", null), List.of(new Login("x", "y", Map.of("token", "s3cr3t")))));
        List<Object> loop = new ArrayList<>(List.of("s3cr3t"));
        loop.add(loop);
        shapes.add(loop);
        for (Object shape : shapes) {
            assertEquals("a [redacted] b", replaced(shape, "a s3cr3t b"), shape.toString());
        }
    }

    @Test
    void noTextIsPassedOverForWhatStandsBesideIt() {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put("rows", Collections.nCopies(200_000, 0));
        config.put("credentials", Map.of("tok", "s3cr3t"));
        assertEquals("a [redacted] b", replaced(config, "a s3cr3t b"));
        List<Object> shared = List.of("s3cr3t");
        assertEquals("a [redacted] b", replaced(List.of(shared, new Login("x", "y", shared)), "a s3cr3t b"));
        assertEquals("a [redacted] b", replaced(List.of(new Login("x", "y", shared), shared), "a s3cr3t b"));
        List<Object> many = List.of(Collections.nCopies(1_000_001, List.of()));
        assertThrows(Misuse.class, () -> SecretValues.of(many));
    }

    @Test
    void anObjectIsMoreThanData() {
        Login login = new Login("someone", "s3cr3t", Map.of("region", "north", "api-key", List.of("k-0123")));
        assertEquals("someone north [redacted] [redacted]", replaced(login, "someone north s3cr3t k-0123"));
        assertEquals("1234", replaced(1234, "1234"));
        assertEquals("abc", replaced(List.of("abc"), "abc"));
        assertEquals("a", replaced(null, "a"));
    }

    @Test
    void bytesAreFoundAsBase64AndAsPythonWritesThem() {
        byte[] key = {(byte) 0xFF, 0, 'a', '\'', '\n'};
        assertEquals("b\"[redacted]\" [redacted]", replaced(key, "b\"\\xff\\x00a'\\n\" /wBhJwo="));
        assertTrue(SecretValues.of(List.of(key)).areIn(new byte[] {1, (byte) 0xFF, 0, 'a', '\'', '\n', 2}));
        assertFalse(SecretValues.of(List.of(key)).areIn(new byte[] {1, (byte) 0xFF, 0, 'a', '\n', 2}));
    }

    @Test
    void ourOwnWordsLoseInjectedValuesAndNothingElse() {
        SecretValues secrets = SecretValues.of(List.of("t1-acme"));
        Map<String, Object> violation = Map.of("path", "[\"t1-acme\"]", "rule", "type", "message", "token: x");
        ToolError error = ToolError.builder(ErrorKind.INVALID_ARGUMENTS, "[\"t1-acme\"]: token: x")
                .details(Map.of("violations", List.of(violation)))
                .build();
        ToolError clean = Redactor.DEFAULT.failure(new ToolFailure(error), secrets).error();
        assertEquals("[\"[redacted]\"]: token: x", clean.message());
        assertEquals(
                Map.of("violations", List.of(Map.of("path", "[\"[redacted]\"]", "rule", "type", "message", "token: x"))),
                clean.details());
    }

    @Test
    void halfOfASecretAtACutIsGone() {
        String half = "sk-abcdefghijkl"; // too short to be known by its shape
        String before = "password=" + "x".repeat(262_143 - 9 - 1 - half.length()) + " " + half;
        String cut = ErrorText.cut(before + "mnopqrstuvwxyz", 262_144);
        String message = Redactor.DEFAULT.failure(ToolResponse.error(cut), SecretValues.NONE).error().message();
        assertFalse(message.contains("sk-abc"), message);
        String secret = "y".repeat(10_000);
        for (String language : List.of(Language.JAVA, Language.PYTHON)) {
            boolean atStart = language.equals(Language.PYTHON);
            String part = secret.substring(0, 9_999);
            String rest = " token=" + "x".repeat(262_144 - 7 - 1 - part.length());
            ToolError error = ToolError.builder(ErrorKind.EXCEPTION, "m")
                    .language(language)
                    .trace(atStart ? part + rest + " " : "a" + rest + part)
                    .build();
            String trace = Redactor.DEFAULT
                    .failure(new ToolFailure(error), SecretValues.of(List.of(secret))).error().trace();
            assertFalse(trace.contains("yyyy"), language);
        }
    }

    @Test
    void aNameIsAName() {
        for (String name : List.of("a b", "_x", "é", "x".repeat(65), "a.b")) {
            assertThrows(Misuse.class, () -> Redactor.DEFAULT.withName(name), name);
        }
        String longest = "x".repeat(64);
        assertEquals("a_" + longest + "=[redacted]", Redactor.DEFAULT.withName(longest).text("a_" + longest + "=1"));
    }
}
