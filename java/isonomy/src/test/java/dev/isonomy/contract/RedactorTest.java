// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Clause 12: no secret leaves the host in a failure. */
final class RedactorTest {
    private static final String SECRETS =
            "Authorization: Bearer abc123, ?access_token=xyz&n=1, postgres://u:s3cr3tp@h, tenant t-4711";

    private static ToolFailure everywhere(String secrets) {
        ToolError error = ToolError.builder(ErrorKind.EXCEPTION, secrets)
                .details(Map.of("note", List.of(secrets), "Api-Key", "k-abc123"))
                .causes(List.of(new Cause("com.acme.Cause", secrets, Language.JAVA)))
                .trace("com.acme.Error: " + secrets + "\n\tat com.acme.Tool.run(Tool.java:7)\n")
                .build();
        return new ToolFailure(error, List.of(Block.text(secrets), Block.link("file:///a", "a")), Map.of("m", "kept"));
    }

    @Test
    void everyOutletOfAFailureIsCovered() {
        ToolFailure clean = Redactor.DEFAULT.failure(everywhere(SECRETS), SecretValues.of(List.of("t-4711")));
        String all = new String(Wire.encode(clean), StandardCharsets.UTF_8);
        for (String secret : List.of("abc123", "xyz", "s3cr3tp", "t-4711")) {
            assertFalse(all.contains(secret), all);
        }
        assertTrue(all.contains("Authorization: Bearer [redacted], ?access_token=[redacted]&n=1"), all);
        assertTrue(clean.error().trace().contains("\tat com.acme.Tool.run(Tool.java:7)\n"));
        assertEquals(Map.of("m", "kept"), clean.meta());
        assertEquals(clean, Redactor.DEFAULT.failure(clean, SecretValues.of(List.of("t-4711"))));
    }

    @Test
    void redactionComesBeforeTheCut() {
        String message = "x".repeat(8_170) + " password=hunter2hunter2hunter2";
        ToolFailure clean = Redactor.DEFAULT.failure(ToolResponse.error(message), SecretValues.NONE);
        assertFalse(clean.error().message().contains("hunter2"));
        assertEquals(8_190, clean.error().message().length());
        ToolFailure cut = Redactor.DEFAULT.failure(everywhere("y".repeat(70_000)), SecretValues.NONE);
        assertEquals(8_192, cut.error().message().length());
        assertEquals(8_192, cut.error().causes().get(0).message().length());
        assertEquals(65_536, cut.error().trace().length());
    }

    @Test
    void ourOwnWordsStayAsTheyAre() {
        for (ErrorKind kind : List.of(ErrorKind.NOT_FOUND, ErrorKind.INVALID_ARGUMENTS, ErrorKind.TIMEOUT)) {
            ToolError error = ToolError.builder(kind, "token: expected string").details("token: required").build();
            assertEquals(error, Redactor.DEFAULT.failure(new ToolFailure(error), SecretValues.NONE).error());
        }
        ToolError broken = ToolError.builder(ErrorKind.INTERNAL, "token: expected string").build();
        assertEquals(
                "token: [redacted] string", Redactor.DEFAULT.failure(new ToolFailure(broken), SecretValues.NONE).error().message());
    }

    @Test
    void aHostAddsNamesAndPatterns() {
        Redactor redactor = Redactor.DEFAULT
                .withName("Licence-Key")
                .withPattern(Pattern.compile("ACME-[0-9]{4}"));
        assertEquals("licence_key=[redacted] [redacted]", redactor.text("licence_key=$1 ACME-1234"));
        assertEquals("password=[redacted]", redactor.text("password=hunter2"));
        assertEquals(Map.of("licence_key", "[redacted]"), redactor.details(Map.of("licence_key", 5), SecretValues.NONE));
        assertEquals("licence_key=1", Redactor.DEFAULT.text("licence_key=1"));
    }

    @Test
    void aHostReplacesTheRules() {
        Redactor redactor = Redactor.of(text -> text.replace("x", "_"));
        assertEquals("_ password=hunter2", redactor.text("x password=hunter2"));
        assertEquals("[redacted] _", redactor.text("t-4711 x", SecretValues.of(List.of("t-4711"))));
    }

    @Test
    void aRedactorThatFailsLeavesNothingThatCouldBeSecret() {
        Redactor broken = Redactor.of(text -> {
            throw new IllegalStateException("broken");
        });
        for (Redactor redactor : List.of(broken, Redactor.of(text -> null))) {
            ToolFailure bare = redactor.failure(everywhere(SECRETS), SecretValues.NONE);
            assertEquals("[redacted]", bare.error().message());
            assertEquals(ErrorKind.EXCEPTION, bare.error().kind());
            assertNull(bare.error().details());
            assertNull(bare.error().trace());
            assertEquals(
                    List.of(new Cause("com.acme.Cause", "com.acme.Cause", Language.JAVA)), bare.error().causes());
            assertEquals(List.of(Block.link("file:///a", "a")), bare.content());
            assertEquals(Map.of("m", "kept"), bare.meta());
        }
    }

    @Test
    void textMadeToBeSlowIsNot() {
        for (String piece : List.of(
                "_", "eyJ-", "eyJ.", "sk-", "a=", "=", ":", "password=", "bearer ", "basic", "://", "://:@", " ", "\\",
                "-----BEGIN ", "-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY-----", "-----END ", "[redacted]",
                "authorization: bearer ", "a_", "x-", "'", "token:'", "xsk-", "xeyJ", "ghp_", "aghp_a", "AKIA", "xoxb-",
                "db_password: ", "authorization:scram-sha-1", "PRIVATE KEY", "\\\"", "\u00a0", "=>", "bearer\n")) {
            for (String text : List.of(piece.repeat(1_000_000 / piece.length()), piece.repeat(100_000) + "=x",
                    "password" + piece.repeat(100_000), "password=" + piece.repeat(100_000),
                    "-----BEGIN PRIVATE KEY-----" + piece.repeat(100_000))) {
                assertTimeoutPreemptively(Duration.ofSeconds(20), () -> Redactor.DEFAULT.text(text), piece);
            }
        }
    }

    @Test
    void whatVectorsDoNotSay() {
        assertEquals("token: [redacted] [redacted]", Redactor.DEFAULT.text("token: bearer abcdef123"));
        assertEquals("{\\\"password\\\": \\\"[redacted]\"}", Redactor.DEFAULT.text("{\\\"password\\\": \\\"hunter2\"}"));
        assertEquals("bad token:\n\tat com.acme.Tool", Redactor.DEFAULT.text("bad token:\n\tat com.acme.Tool"));
        assertEquals("-----BEGIN RSA", Redactor.DEFAULT.text("-----BEGIN RSA"));
        assertEquals("[redacted]", Redactor.DEFAULT.text("-----BEGIN PRIVATE KEY-----\nMIIB"));
        assertEquals("x://u@h:p@i", Redactor.DEFAULT.text("x://u@h:p@i").replace("[redacted]@i", "u@h:p@i"));
        String clean = "nothing to see: 1 = 1";
        assertSame(clean, Redactor.DEFAULT.text(clean));
    }

    /** What the runtime words itself is its error; content beside it never is (clause 12.6). */
    @Test
    void contentIsRedactedWhateverTheKind() {
        ToolError error = ToolError.builder(ErrorKind.TIMEOUT, "password=as-it-is").build();
        ToolFailure failure = new ToolFailure(error, List.of(Block.text("password=hunter2")), Map.of());
        ToolFailure clean = Redactor.DEFAULT.failure(failure, SecretValues.NONE);
        assertEquals("password=as-it-is", clean.error().message());
        assertEquals(List.of(Block.text("password=[redacted]")), clean.content());
    }
}
